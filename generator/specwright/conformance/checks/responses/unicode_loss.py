"""Non-Latin text corrupted by the server."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.lifecycle.read_after_write import WRITTEN_IS_READ
from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.recording.record import Violation
from specwright.findings import values_of
from specwright.json_values import JsonValue

# Encodings of columns and templates that do not have all letters.
_ENCODINGS = ("ascii", "latin-1", "cp1252")
# What writes a text and what reads it do not agree on the encoding.
_MISREAD = ("latin-1", "cp1252")
_LOST = "letters beyond ASCII are lost"


@ResponseCheck
def text_is_kept(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if a response repeats a text of the request without some letters."""
    if checked.operation.is_safe or not checked.response.is_success:
        return
    sent = checked.exchange.request.json_or_none
    for name, before, after in _texts("", sent, checked.response.json_or_none):
        if _is_lost(before, after):
            # The texts may be secrets: they are in the evidence, where those are concealed.
            message = f"letters of '{name}' are lost"
            place, values = checked.operation.pointer, values_of("characters")
            yield checked.violation(WRITTEN_IS_READ, place, message, _LOST, values)
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
    texts = {
        sent.encode(encoding, errors).decode(encoding)
        for encoding in _ENCODINGS
        for errors in ("ignore", "replace")
    }
    texts |= {sent.encode(errors="replace").decode(encoding, "replace") for encoding in _MISREAD}
    return shown in texts - {sent}
