"""Query parameters that choose an order by their listed values."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.lists.plain_filters import items_of
from specwright.conformance.checks.lists.whole_lists import wholes
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.driver.driver import Driver
from specwright.findings import Level, values_of
from specwright.json_values import mapping, texts
from specwright.names import snake

PLAIN_ORDER = BehaviourRule(
    "plain-order",
    BehaviourCategory.LISTS,
    "A list in descending order is another one than in ascending order; no declaration says so, "
    "and a server may mean something else.",
    example="GET /items?sort=-name -> a, b, c, as for ?sort=name",
    advice="Apply the direction in the query, or declare the orders of the parameter.",
    level=Level.WARNING,
)


@scenario(after="plain filters", name="plain orders")
def plain_orders(driver: Driver) -> None:
    """Request lists in both directions of an order, where a parameter lists the two."""
    for operation in driver.contract.operations.values():
        if operation.method != "GET" or operation.pointer not in driver.successes:
            continue
        for slot in operation.slots:
            # Declared orders are compared with the values of the items.
            if slot.key[0] == "query" and slot.sort is None:
                for up, down in _pairs(driver, slot):
                    _compare(driver, operation, slot, (up, down))


def _pairs(driver: Driver, slot: ParameterSlot) -> Iterator[tuple[str, str]]:
    """Yield the listed values that are two directions of one order, such as `name` and `-name`.

    Where a parameter has only the direction, it may depend on another one.
    """
    document = driver.contract.document
    for schema in alternatives(document, mapping(slot.site.value.get("schema"))):
        listed = texts(schema.get("enum"))
        yield from ((value, f"-{value}") for value in listed if f"-{value}" in listed)


def _compare(
    driver: Driver, operation: ContractOperation, slot: ParameterSlot, pair: tuple[str, str]
) -> None:
    call = next(wholes(driver, operation), None)
    if call is None:
        return
    exchanges = [driver.probe(call.with_argument(slot.key, value)) for value in pair]
    up, down = (items_of(operation, exchange.response) for exchange in exchanges)
    # Items that are equal in this member are in any order, and languages differ in what is equal.
    keys = {
        str(value).strip().casefold()
        for item in up
        for name, value in item.items()
        if snake(name) == snake(pair[0])
    }
    if len(keys) < 2:
        return
    driver.target.record.check(PLAIN_ORDER, slot.site.pointer)
    if up == down:
        wire = slot.written.wire
        message = f"the order is the same for {wire}={pair[0]} and {wire}={pair[1]}"
        cause, place = "the order is the same in both directions", slot.site.pointer
        values = values_of(*pair)
        driver.violate(
            PLAIN_ORDER, operation, message, *exchanges, at=place, cause=cause, values=values
        )
