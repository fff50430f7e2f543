"""Calls for the first page of a list without filters."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.driver.driver import Driver
from specwright.document.operations import sites
from specwright.json_values import JsonValue, mapping, sequence
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF

# The number of values tried for a parameter of which one is required.
_TRIED = 2


def wholes(
    driver: Driver, operation: ContractOperation, without: ParameterSlot | None = None
) -> Iterator[OperationCall]:
    """Yield the call for the first page, like the latest one that succeeded.

    It has the required parameters only: any other one may choose items, or a later page. Where a
    filter is required, there are several calls, with each of these filters but the given one.
    """
    known, page = driver.successes[operation.pointer][0].arguments, operation.get(PAGINATION)
    required = [slot.key for slot in operation.slots if slot.written.required]
    plain = {key: known[key] for key in required if key in known}
    if page is not None:
        for name, first in ((page.page, page.first_page), (page.offset, 0)):
            if name is not None and ("query", name.raw) in plain:
                plain["query", name.raw] = first
    needed = operation.get(REQUIRES_ONE_OF)
    if needed is None:
        yield OperationCall(operation, plain)
        return
    for name in needed.parameters:
        slot = operation.slot(f"query.{name.raw}")
        if slot is not None and slot is not without:
            for value in _values(driver, slot)[:_TRIED]:
                yield OperationCall(operation, {**plain, slot.key: value})


def has_all(call: OperationCall) -> bool:
    """Return whether the list of a call has all items: its query tells of nothing but pages."""
    page = call.operation.get(PAGINATION)
    ways = (page.limit, page.cursor, page.page, page.offset) if page is not None else ()
    names = {way.raw for way in ways if way is not None}
    return all(name in names for place, name in call.arguments if place == "query")


def _values(driver: Driver, slot: ParameterSlot) -> list[JsonValue]:
    """Return the values of a parameter that the document names."""
    document = driver.contract.document
    schema = mapping(document.follow(slot.site.value.get("schema")))
    shown = [value for _, value in sites.examples(document, slot.site)]
    return list(sequence(schema.get("enum")) or shown)
