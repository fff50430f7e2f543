"""The order of items in a list (`x-contract-order`, `x-contract-sort`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.recording.exchange import seconds_of, value_at
from specwright.conformance.recording.record import Violation
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.order import ORDER, OrderContract, SortDirection
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.sort import SORT

ITEM_ORDER = BehaviourRule(
    "order",
    BehaviourCategory.LISTS,
    "Items are in the declared order.",
    example="GET /invoices shows the oldest first, and the newest first is declared",
    advice=(
        "Sort in the query, with the id as the last key, so that equal values keep their order."
    ),
)


@ResponseCheck
def items_are_in_order(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if the items of a page are not in the requested or declared order."""
    place, order = _order_of(checked)
    page = checked.operation.get(PAGINATION)
    if order is None or page is None or not checked.response.is_success or checked.declared is None:
        return
    items = checked.response.at(page.items.raw)
    if not isinstance(items, list):
        return
    values = [value_at(item, order.by.raw) for item in items]
    if len(values) > 1:
        checked.record.check(ITEM_ORDER, place)
    if not is_sorted(values, order.direction):
        message = f"not {order.direction.value} by {order.by.raw}"
        yield checked.violation(ITEM_ORDER, place, message)


def _order_of(checked: CheckedResponse) -> tuple[Pointer, OrderContract | None]:
    """Return the pointer and the value of the requested order, else of the default one."""
    query = parse_qs(urlsplit(checked.exchange.request.url).query)
    for slot in checked.operation.slots:
        chosen = query.get(slot.written.wire) if slot.sort is not None else None
        if slot.sort is not None and chosen:
            orders = {name.raw: order for name, order in slot.sort.orders.items()}
            return slot.site.pointer + join(SORT.name), orders.get(chosen[-1])
    return checked.operation.pointer + join(ORDER.name), checked.operation.get(ORDER)


def is_sorted(values: Iterable[JsonValue], direction: SortDirection) -> bool:
    """Return whether values are in an order.

    Servers differ in where they put null, and values of several types have no order.
    """
    keys = [sort_key(value) for value in values if value is not None]
    is_mixed = len({kind for kind, _, _ in keys}) > 1
    return is_mixed or keys == sorted(keys, reverse=direction is SortDirection.DESCENDING)


def sort_key(value: JsonValue) -> tuple[str, float, str]:
    """Return a value for comparison: its kind, its number, and its text.

    Timestamps are numbers, as points in time.
    """
    number = seconds_of(value)
    if number is None and isinstance(value, (int, float)):
        number = value
    if number is not None:
        return "number", number, ""
    if isinstance(value, str):
        return "text", 0, value
    return "other", 0, json.dumps(value, sort_keys=True)
