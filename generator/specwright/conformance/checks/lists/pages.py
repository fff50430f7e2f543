"""The items of a list compared with the query parameters of the request."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

from specwright.conformance.checks.lists.paging import PAGE_SEQUENCE
from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.contract.contract import ParameterSlot
from specwright.conformance.contract.page_arguments import PageArgument, page_argument
from specwright.conformance.recording.exchange import decimal_of, readings, seconds_of, value_at
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.json_values import JsonValue
from specwright.pointer import join
from specwright.vocabulary.keywords.filter import FILTER, Match
from specwright.vocabulary.keywords.pagination import PAGINATION, is_in_body

PAGE_SIZE = BehaviourRule(
    "page-size",
    BehaviourCategory.LISTS,
    "A page has at most the requested number of items; invalid limits are refused.",
    example="GET /items?limit=2 -> 20 items, or ?limit=101 -> 200 and 100 is the maximum",
    advice="Pass the limit on to the query, and refuse one beyond the declared bounds.",
)
FILTERED_ITEMS = BehaviourRule(
    "filter",
    BehaviourCategory.LISTS,
    "A filter returns all matching items, and no others.",
    example="GET /items?status=sold -> drafts, or not all sold items",
    advice="Apply the parameter in the query before the page limit, and refuse unknown values.",
    weight=5,
)

# Of longer lists, servers estimate the length, or show the first pages only.
_MOST_COUNTED = 1_000


@ResponseCheck
def page_matches_request(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield the violations of a page: too many items, or items that do not match a filter."""
    page, response = checked.operation.get(PAGINATION), checked.response
    if page is None or not response.is_success:
        return
    items = response.at(page.items.raw)
    if not isinstance(items, list):
        return
    limit = page_argument(checked.contract, checked.operation, page.limit)
    most = None if limit is None else _size(checked, limit)
    if limit is not None and most is not None:
        if len(items) >= most:
            checked.record.check(PAGE_SIZE, limit.place)
        if len(items) > most:
            yield checked.violation(PAGE_SIZE, limit.place, "more items than requested")
    for slot, values in _query(checked):
        place = slot.site.pointer
        if slot.filter is not None and items:
            declared, place = slot.filter, place + join(FILTER.name)
            checked.record.check(FILTERED_ITEMS, place)
            shown = [value_at(item, declared.property.raw) for item in items]
            if not all(
                any(matches(declared.match, value, wanted) for wanted in values) for value in shown
            ):
                message = "items that do not match the filter were returned"
                yield checked.violation(FILTERED_ITEMS, place, message)


@ResponseCheck
def pages_hold_total(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield a violation if the announced pages have no room for the announced items."""
    page = checked.operation.get(PAGINATION)
    if page is None or page.pages is None or page.total is None or not checked.response.is_success:
        return
    limit = page_argument(checked.contract, checked.operation, page.limit)
    size = None if limit is None else _size(checked, limit)
    pages, total = (checked.response.at(place.raw) for place in (page.pages, page.total))
    if size is None or type(pages) is not int or type(total) is not int or total > _MOST_COUNTED:
        return
    place = checked.operation.pointer + join(PAGINATION.name)
    checked.record.check(PAGE_SEQUENCE, place)
    # Where pages are counted from 0, it may be the number of the last one.
    if (pages + (page.first_page == 0)) * size < total:
        message = "the announced number of pages is too small for the announced items"
        yield checked.violation(PAGE_SEQUENCE, place, message)


def _size(checked: CheckedResponse, limit: PageArgument) -> int | None:
    """Return the requested size of the page, if it is valid."""
    request = checked.exchange.request
    if is_in_body(limit.name):
        # A server may ignore a body that is not sent as JSON.
        is_sent = sites.is_json(request.header("Content-Type") or "")
        values = [value_at(request.json_or_none, limit.name.raw)] if is_sent else []
    else:
        texts = parse_qs(urlsplit(request.url).query).get(limit.name.raw, [])
        values = list(readings(texts[0])) if len(texts) == 1 else []
    problems = checked.contract.instances.problems
    # Of less than one item, an implementation may make anything.
    sizes = (value for value in values if isinstance(value, int) and value > 0)
    return next((size for size in sizes if not any(problems(limit.pointer, size))), None)


def _query(checked: CheckedResponse) -> Iterator[tuple[ParameterSlot, list[JsonValue]]]:
    """Yield the query parameters that occur once and are valid, with their possible values."""
    query = parse_qs(urlsplit(checked.exchange.request.url).query)
    problems = checked.contract.instances.problems
    for slot in checked.operation.slots:
        texts = query.get(slot.written.wire, [])
        if slot.written.location == "query" and len(texts) == 1:
            values = [
                reading for reading in readings(texts[0]) if not any(problems(slot.schema, reading))
            ]
            if values:
                yield slot, values


def matches(match: Match, actual: JsonValue, wanted: JsonValue) -> bool:
    """Return whether a filter accepts a property with a value, or with a list of values."""
    compare = _COMPARISONS[match]
    # The members of a list are whole values.
    compare = _WHOLE.get(match, compare) if isinstance(actual, list) else compare
    return any(compare(value, wanted) for value in each_of(actual))


def _folded(
    compare: Callable[[JsonValue, JsonValue], bool],
) -> Callable[[JsonValue, JsonValue], bool]:
    """Return a comparison of texts that ignores case."""
    return lambda actual, wanted: compare(str(actual).casefold(), str(wanted).casefold())


def _begins(actual: JsonValue, wanted: JsonValue) -> bool:
    return str(actual).startswith(str(wanted))


def _contains(actual: JsonValue, wanted: JsonValue) -> bool:
    return str(wanted) in str(actual)


def _ordered(
    compare: Callable[[float | Decimal, float | Decimal], bool],
) -> Callable[[JsonValue, JsonValue], bool]:
    """Return a comparison of two times, or of two numbers; other values are never in order."""

    def is_so(actual: JsonValue, wanted: JsonValue) -> bool:
        for read in (decimal_of, seconds_of):
            one, other = read(actual), read(wanted)
            if one is not None and other is not None:
                return compare(one, other)
        return False

    return is_so


_COMPARISONS: dict[Match, Callable[[JsonValue, JsonValue], bool]] = {
    Match.EQUALS: operator.eq,
    Match.EQUALS_IGNORE_CASE: _folded(operator.eq),
    Match.CONTAINS: _contains,
    Match.CONTAINS_IGNORE_CASE: _folded(_contains),
    Match.STARTS_WITH: _begins,
    Match.STARTS_WITH_IGNORE_CASE: _folded(_begins),
    Match.AT_LEAST: _ordered(operator.ge),
    Match.MORE_THAN: _ordered(operator.gt),
    Match.AT_MOST: _ordered(operator.le),
    Match.LESS_THAN: _ordered(operator.lt),
}
_WHOLE = {
    Match.CONTAINS: _COMPARISONS[Match.EQUALS],
    Match.CONTAINS_IGNORE_CASE: _COMPARISONS[Match.EQUALS_IGNORE_CASE],
}


def each_of(value: JsonValue) -> list[JsonValue]:
    """Return the members of a list, or the value alone; nothing for null."""
    return value if isinstance(value, list) else [] if value is None else [value]
