"""Calls for the first page of a list without filters."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.calls import Call
from specwright.conformance.contract.contract import Operation, ParameterSlot
from specwright.conformance.recording.exchange import JsonValue
from specwright.document import sites

# The number of values tried for a parameter of which one is required.
_TRIED = 2


def wholes(
    bench: Workbench, operation: Operation, without: ParameterSlot | None = None
) -> Iterator[Call]:
    """Yield the call for the whole list, like the latest one that succeeded.

    Where a filter is required, they are calls with each of these filters but the given one.
    """
    call, page = bench.made[operation.pointer][0], operation.declared["pagination"]
    ways = [each for each in (page.limit, page.cursor) if each is not None] if page else []
    dropped = {("query", each.raw) for each in ways}
    dropped |= {each.key for each in operation.slots if each.filter is not None}
    plain = {key: value for key, value in call.arguments.items() if key not in dropped}
    needed = operation.declared["requires_one_of"]
    if needed is None:
        yield Call(operation, plain)
        return
    for name in needed.parameters:
        slot = operation.slot(f"query.{name.raw}")
        if slot is not None and slot is not without:
            for value in _values(bench, slot)[:_TRIED]:
                yield Call(operation, {**plain, slot.key: value})


def _values(bench: Workbench, slot: ParameterSlot) -> list[JsonValue]:
    """Return the values of a parameter that the document names."""
    document = bench.contract.document
    schema = document.follow(slot.site.value.get("schema"))
    listed = schema.get("enum") if isinstance(schema, dict) else None
    return list(listed or [value for _, value in sites.examples(document, slot.site)])
