"""Non-Latin text corrupted by the server."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.lifecycle.read_after_write import WRITTEN_IS_READ
from specwright.conformance.contract.contract import Operation
from specwright.conformance.recording.exchange import Exchange, JsonValue
from specwright.conformance.recording.record import Violation

# Encodings of columns and templates that do not have all letters.
_ENCODINGS = ("ascii", "latin-1", "cp1252")
# What writes a text and what reads it do not agree on the encoding.
_MISREAD = ("latin-1", "cp1252")
_LOST = "letters beyond ASCII are lost"


def letters(operation: Operation, exchange: Exchange) -> Iterator[Violation]:
    """Yield a violation if the response repeats a text of the request without some letters."""
    response = exchange.response
    if operation.is_safe or response is None or not response.is_success:
        return
    sent = exchange.request.json_or_none
    for name, before, after in _texts("", sent, response.json_or_none):
        if _is_lost(before, after):
            # The texts may be secrets: they are in the evidence, where those are concealed.
            message = f"letters of '{name}' are lost"
            rule = WRITTEN_IS_READ
            yield Violation(rule, operation.pointer, message, (exchange,), _LOST, operation.name)
            return


def _texts(name: str, sent: JsonValue, shown: JsonValue) -> Iterator[tuple[str, str, str]]:
    """Yield the texts at the same place of a request and its response, with their names."""
    if isinstance(sent, dict) and isinstance(shown, dict):
        for each, value in sent.items():
            if each in shown:
                yield from _texts(each, value, shown[each])
    elif isinstance(sent, str) and isinstance(shown, str):
        yield name, sent, shown


def _is_lost(sent: str, shown: str) -> bool:
    """Return whether a text went through an encoding that does not have all its letters."""
    if sent.isascii() or sent == shown:
        return False
    found = {
        sent.encode(encoding, errors).decode(encoding)
        for encoding in _ENCODINGS
        for errors in ("ignore", "replace")
    }
    found |= {sent.encode(errors="replace").decode(each, "replace") for each in _MISREAD}
    return shown in found - {sent}
