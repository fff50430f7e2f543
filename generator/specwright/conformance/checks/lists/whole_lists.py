"""Calls for the first page of a list without filters."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.contract.calls import Absent, OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.page_arguments import chooses_only_pages, from_start
from specwright.conformance.contract.value_parts import in_place
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

    It has only the required parameters, and members of its body: any other one may choose items,
    or a later page. Where a filter is required, there are several calls, with each of these filters
    but the given one.
    """
    call, page = driver.successes[operation.pointer][0], operation.get(PAGINATION)
    required = [slot.key for slot in operation.slots if slot.written.required]
    plain = {key: call.arguments[key] for key in required if key in call.arguments}
    call = OperationCall(operation, plain, _required_members(driver, call))
    if page is not None:
        call = from_start(call, page)
    needed = operation.get(REQUIRES_ONE_OF)
    if needed is None:
        yield call
        return
    for name in needed.parameters:
        slot = operation.slot(f"query.{name.raw}")
        if slot is not None and slot is not without:
            for value in _values(driver, slot)[:_TRIED]:
                yield call.with_argument(slot.key, value)


def has_all(call: OperationCall) -> bool:
    """Return whether the list of a call has all items: it tells of nothing but pages."""
    page = call.operation.get(PAGINATION)
    ways = (page.limit, page.cursor, page.page, page.offset) if page is not None else ()
    names = {way.raw for way in ways if way is not None}
    chooses_pages = page is None or chooses_only_pages(call.body, page)
    return chooses_pages and all(
        name in names for place, name in call.arguments if place == "query"
    )


def _required_members(driver: Driver, call: OperationCall) -> JsonValue | Absent:
    """Return the body of a call with its required members only."""
    schema = driver.contract.body_schema(call.operation)
    if schema is None or not isinstance(call.body, dict):
        return call.body
    required = {
        name
        for _, part in in_place(driver.contract.document, schema)
        for name in sequence(part.get("required"))
    }
    return {name: value for name, value in call.body.items() if name in required}


def _values(driver: Driver, slot: ParameterSlot) -> list[JsonValue]:
    """Return the values of a parameter that the document names."""
    document = driver.contract.document
    schema = mapping(document.follow(slot.site.value.get("schema")))
    shown = [value for _, value in sites.examples(document, slot.site)]
    return list(sequence(schema.get("enum")) or shown)
