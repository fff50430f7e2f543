"""Orders selected by a query parameter (`x-contract-sort`)."""

from __future__ import annotations

from dataclasses import replace

from specwright.conformance.checks.lists.item_order import ITEM_ORDER
from specwright.conformance.checks.requests.explore import renew
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.resources import shape
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.driver.driver import Driver
from specwright.json_values import mapping
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.sort import SORT


@scenario(after="lists")
def sorting(driver: Driver) -> None:
    """Request every declared order; the monitors check the responses."""
    record = driver.target.record
    for operation in driver.contract.operations.values():
        for slot in operation.slots:
            if slot.sort is None:
                continue
            place = slot.site.pointer + join(SORT.name)
            success = driver.first_success(operation)
            if success is None:
                record.skip(ITEM_ORDER, place, "the operation never succeeded")
                continue
            # A single item is in any order, and so are equal items.
            renew(driver)
            for by in dict.fromkeys(str(order.by.raw) for order in slot.sort.orders.values()):
                _mix(driver, operation, by)
            for value in slot.sort.orders:
                driver.probe(success[0].with_argument(slot.key, value.raw))
            if place not in record.checked.get(ITEM_ORDER, ()):
                record.skip(ITEM_ORDER, place, "the list never had two items")


def _mix(driver: Driver, listing: ContractOperation, by: Pointer) -> None:
    """Add items to a list so that its order of creation is not sorted by a member."""
    name, path = by.removeprefix("/"), shape(listing.site.key)
    for maker in driver.contract.operations.values():
        schema = driver.contract.body_schema(maker)
        is_maker = maker.method == "POST" and shape(maker.site.key) == path
        if not is_maker or schema is None or maker.pointer not in driver.successes:
            continue
        for at, part in in_place(driver.contract.document, schema):
            call, _ = driver.successes[maker.pointer]
            if name not in mapping(part.get("properties")) or not isinstance(call.body, dict):
                continue
            values = list(driver.contract.distinct_values(at + join("properties", name)))[:2]
            for value in (*values, *values[:1]):
                added = replace(call, body={**call.body, name: value})
                driver.probe(driver.with_fresh_key(added))
