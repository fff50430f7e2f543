"""Orders selected by a query parameter (`x-contract-sort`)."""

from __future__ import annotations

from dataclasses import replace

from specwright.conformance.checks.lists.item_order import ITEM_ORDER
from specwright.conformance.checks.requests.explore import renew
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.contract import Operation
from specwright.conformance.contract.read_only import in_place
from specwright.conformance.contract.resources import shape
from specwright.conformance.driver.workbench import Workbench
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.sort import SORT


@scenario(after="lists")
def sorting(bench: Workbench) -> None:
    """Request every declared order; the monitors check the responses."""
    record = bench.target.record
    for operation in bench.contract.operations.values():
        for slot in operation.slots:
            if slot.sort is None:
                continue
            place = slot.site.pointer + join(SORT.name)
            made = bench.succeed(operation)
            if made is None:
                record.skip(ITEM_ORDER, place, "the operation never succeeded")
                continue
            # A single item is in any order, and so are equal items.
            renew(bench)
            for by in dict.fromkeys(str(order.by.raw) for order in slot.sort.orders.values()):
                _mix(bench, operation, by)
            for value in slot.sort.orders:
                bench.ask(made[0].with_argument(slot.key, value.raw))
            if place not in record.checked.get(ITEM_ORDER, ()):
                record.skip(ITEM_ORDER, place, "the list never had two items")


def _mix(bench: Workbench, listing: Operation, by: Pointer) -> None:
    """Add items to a list so that its order of creation is not sorted by a member."""
    name, path = by.removeprefix("/"), shape(listing.site.key)
    for maker in bench.contract.operations.values():
        schema = bench.contract.body_schema(maker)
        is_maker = maker.method == "POST" and shape(maker.site.key) == path
        if not is_maker or schema is None or maker.pointer not in bench.made:
            continue
        for at, found in in_place(bench.contract.document, schema):
            call, _ = bench.made[maker.pointer]
            if name not in (found.get("properties") or {}) or not isinstance(call.body, dict):
                continue
            values = list(bench.contract.distinct_values(at + join("properties", name)))[:2]
            for value in (*values, *values[:1]):
                added = replace(call, body={**call.body, name: value})
                bench.ask(bench.with_fresh_key(added))
