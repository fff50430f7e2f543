"""Values of one schema that a server does not treat as equal."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.alternatives import alternatives
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import JsonValue
from specwright.pointer import Pointer, resolve


def distinct(contract: Contract, place: Pointer) -> Iterator[JsonValue]:
    """Yield values that fit a schema of a request; none for unsupported schemas."""
    document = contract.document
    for alternative in alternatives(document, resolve(document.data, place)):
        for value in _values(alternative):
            if not any(contract.requests.problems(place, value)):
                yield value


def _values(schema: dict[str, JsonValue]) -> tuple[JsonValue, ...]:
    # The transitions between the states of an enumeration are up to the server.
    match {"type": None} if isinstance(schema.get("enum"), list) else schema:
        case {"type": "string"} if "format" not in schema and "pattern" not in schema:
            return ("first text", "another one", "ab", "cd")
        case {"type": "integer" | "number"}:
            return (7, 8, 1, 2)
        case {"type": "boolean"}:
            return (True, False)
    return ()
