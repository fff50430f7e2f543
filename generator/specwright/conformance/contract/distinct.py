"""Values of one schema that no server takes for each other."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.alternatives import alternatives
from specwright.conformance.contract.contract import Contract
from specwright.conformance.recording.exchange import JsonValue
from specwright.pointer import Pointer, resolve


def distinct(contract: Contract, place: Pointer) -> Iterator[JsonValue]:
    """Yield values of one type that fit what a request has at a place; none for other schemas."""
    document = contract.document
    for each in alternatives(document, resolve(document.data, place)):
        for value in _values(each):
            if not any(contract.requests.problems(place, value)):
                yield value


def _values(schema: dict[str, JsonValue]) -> tuple[JsonValue, ...]:
    # What leads from one state to the next is for the server to say.
    match {"type": None} if isinstance(schema.get("enum"), list) else schema:
        case {"type": "string"} if "format" not in schema and "pattern" not in schema:
            return ("first text", "another one", "ab", "cd")
        case {"type": "integer" | "number"}:
            return (7, 8, 1, 2)
        case {"type": "boolean"}:
            return (True, False)
    return ()
