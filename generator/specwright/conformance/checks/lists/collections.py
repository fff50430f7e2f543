"""Whole lists: they contain the created resources, and all pages and filters agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from specwright.conformance.checks.lists.pages import FILTERED_ITEMS, PAGE_SIZE, each_of, matches
from specwright.conformance.checks.lists.paging import (
    CURSOR,
    PAGE_SEQUENCE,
    announces_end,
    following,
)
from specwright.conformance.checks.lists.whole_lists import has_all, wholes
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_existence
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.page_arguments import (
    PageArgument,
    page_argument,
    with_value,
)
from specwright.conformance.contract.resources import shape, without_verb
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import LIVE_MODE, MAIN, OTHER_TENANT
from specwright.conformance.recording.exchange import Exchange, value_at
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join
from specwright.text import Text
from specwright.vocabulary.keywords.error import Condition
from specwright.vocabulary.keywords.filter import FILTER, Filter
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF
from specwright.vocabulary.keywords.reset import RESET

CREATED_IS_FOUND = BehaviourRule(
    "created-is-found",
    BehaviourCategory.STATE,
    "A created resource can be read immediately.",
    example="POST /items -> 201 with the id 7, then GET /items/7 -> 404",
    advice=(
        "Store the resource before the response is sent, and read from where it was written: a "
        "replica or a cache may be behind. Only an id that never existed gets 404."
    ),
    weight=11,
    judge=judge_existence,
)

_PAGES = 12
# The size and the number of small pages of a filtered list, so that there are several.
_SMALL, _SMALL_PAGES = 2, 4


@scenario(after="routes", share=2)
def collections(driver: Driver) -> None:
    """Walk through every list, and compare it with created resources, its pages and filters."""
    for operation, declared in driver.contract.declaring(PAGINATION):
        if operation.pointer not in driver.successes:
            continue
        trial = _Trial(driver, operation, declared)
        for call in wholes(driver, operation):
            walk = trial.walk(call, trial.largest)
            if has_all(call):
                trial.holds_what_was_made(walk)
            trial.sizes(call, walk)
            trial.end(call, walk)
        for slot in operation.slots:
            if slot.filter is not None:
                trial.filters(slot, slot.filter)


@dataclass(slots=True)
class _Walk:
    """The followed pages, up to the end if `is_whole`."""

    exchanges: list[Exchange] = field(default_factory=list)
    items: list[JsonValue] = field(default_factory=list)
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    declared: PaginationContract

    @property
    def place(self) -> Pointer:
        return self.operation.pointer + join(PAGINATION.name)

    @property
    def largest(self) -> int | None:
        """The largest page size that may be requested."""
        limit = self._bounds().get("maximum")
        return limit if isinstance(limit, int) else None

    def _bounds(self) -> dict[str, JsonValue]:
        limit = self._argument(self.declared.limit)
        return mapping(limit and limit.schema)

    def walk(self, call: OperationCall, size: int | None, pages: int = _PAGES) -> _Walk:
        """Follow the pages of a call."""
        walk, after = _Walk(), self._sized(call, size)
        for _ in range(pages):
            exchange = self.driver.probe(after)
            walk.exchanges.append(exchange)
            walk.items += self.items(exchange)
            response = exchange.response
            if response is None or not response.is_success:
                break
            next_call = following(self.declared, after, response, len(walk.items))
            if next_call is None:
                walk.is_whole = True
                break
            after = next_call
        return walk

    def _sized(self, call: OperationCall, size: int | None) -> OperationCall:
        limit = self._argument(self.declared.limit)
        return call if limit is None or size is None else limit.given(call, size)

    def items(self, exchange: Exchange) -> list[JsonValue]:
        response = exchange.response
        items = response.at(self.declared.items.raw) if response is not None else None
        return items if isinstance(items, list) else []

    def _next_of(self, exchange: Exchange) -> JsonValue:
        """Return the cursor of the next page; None on the last page."""
        response, place = exchange.response, self.declared.next
        if response is None or place is None:
            return None
        if self.declared.more is not None and response.at(self.declared.more.raw) is False:
            return None
        return response.at(place.raw)

    def id(self, item: JsonValue) -> str:
        place = self.declared.id
        return str(item if place is None else value_at(item, place.raw))

    def holds_what_was_made(self, walk: _Walk) -> None:
        """Check that the list contains every resource created in its path."""
        if not walk.is_whole or self.declared.id is None:
            return
        missing = self._made(walk.exchanges[0])
        for item in walk.items:
            missing.pop(self.id(item), None)
        self.driver.target.record.check(CREATED_IS_FOUND, self.place)
        for exchange in list(missing.values())[:1]:
            message = "a created resource is not in the list"
            self._violate(CREATED_IS_FOUND, self.place, message, exchange, *walk.exchanges)

    def _made(self, before: Exchange) -> dict[str, Exchange]:
        """Return the creations in this path before an exchange by id, without deleted ones."""
        assert self.declared.id is not None
        operations = self.driver.contract.operations
        path = shape(urlsplit(before.request.url).path)
        if self.operation.method == "POST":
            path = without_verb(path)
        exchanges: dict[str, Exchange] = {}
        for exchange in list(self.driver.target.record.exchanges)[: before.number]:
            operation, response = operations.get(exchange.operation or ""), exchange.response
            if operation is None or response is None or not response.is_success:
                continue
            if operation.get(RESET) is not None:
                # The key whose limits may be used up may be one of the same tenant.
                if exchange.role not in (OTHER_TENANT, LIVE_MODE):
                    exchanges.clear()
            elif operation.method == "DELETE":
                removed = urlsplit(exchange.request.url).path.rstrip("/")
                exchanges.pop(removed.rpartition("/")[2], None)
            elif operation.method == "POST" and response.status != 201:
                # An action may have moved a member elsewhere.
                for part in urlsplit(exchange.request.url).path.split("/"):
                    exchanges.pop(part, None)
            # Only in the list of this parent, not of another one.
            elif shape(urlsplit(exchange.request.url).path) == path and response.status == 201:
                id_ = response.at(self.declared.id.raw)
                if exchange.role == MAIN and id_ is not None:
                    exchanges[str(id_)] = exchange
        return exchanges

    def sizes(self, call: OperationCall, walk: _Walk) -> None:
        """Check a page of the default size, and one that ends where the list does."""
        limit, whole = self._argument(self.declared.limit), len(walk.items)
        if limit is None:
            return
        usual = self._bounds().get("default")
        record, place = self.driver.target.record, limit.place
        record.check(PAGE_SIZE, place)
        if isinstance(usual, int) and whole > usual:
            exchange = self.driver.probe(call)
            if len(self.items(exchange)) > usual:
                message = f"more than {usual} items, the default, without a size"
                self._violate(PAGE_SIZE, place, message, exchange)
        most = self.largest or 0
        short = [page for page in walk.exchanges[:-1] if len(self.items(page)) < most]
        if self.declared.full and short:
            message = f"a page has fewer than the {most} items requested, and more follow"
            self._violate(PAGE_SIZE, place, message, short[0])
        size = _full_size(whole, most)
        if walk.is_whole and announces_end(self.declared) and size and whole // size < _PAGES:
            last = self.walk(call, size, whole // size + 1)
            if len(last.exchanges) > whole // size and not self.items(last.exchanges[-1]):
                message = "more items are announced than exist"
                self._violate(PAGE_SEQUENCE, self.place, message, *last.exchanges)

    def end(self, call: OperationCall, walk: _Walk) -> None:
        """Check that the last page has all of its items if it is full."""
        whole = len(walk.items)
        if not walk.is_whole or whole < _SMALL or self.declared.limit is None:
            return
        # As many as the server has shown on one page.
        most = max(len(self.items(page)) for page in walk.exchanges)
        last = self._last(call, whole, most)
        if last is None:
            return
        shown, wanted, exchanges = last
        self.driver.target.record.check(PAGE_SEQUENCE, self.place)
        if shown < wanted:
            again = self.walk(call, self.largest)
            # Items may be gone meanwhile.
            if again.is_whole and len(again.items) >= whole:
                message = "items are missing if the last page is full"
                self._violate(PAGE_SEQUENCE, self.place, message, *again.exchanges, *exchanges)

    def _last(
        self, call: OperationCall, whole: int, most: int
    ) -> tuple[int, int, list[Exchange]] | None:
        """Read a full last page: how many items it has, and should have, with the exchanges.

        Only by the number of a page, or of the items before it, it can be read alone: a cursor
        may be followed by pages that are not full.
        """
        offset, page = self.declared.offset, self.declared.page
        if offset is not None and self.declared.cursor is None and page is None:
            size = min(whole, most)
            after = self._sized(with_value(call, offset, whole - size), size)
        else:
            size = _full_size(whole, most)
            if size < 2 or whole // size > _PAGES:
                return None
            if self.declared.cursor is not None or page is None:
                walk = self.walk(call, size)
                return (len(walk.items), whole, walk.exchanges) if walk.is_whole else None
            number = self.declared.first_page + whole // size - 1
            after = self._sized(with_value(call, page, number), size)
        exchange = self.driver.probe(after)
        return (len(self.items(exchange)), size, [exchange]) if exchange.succeeded else None

    def filters(self, slot: ParameterSlot, declared: Filter) -> None:
        """Compare the filtered items, on all pages, with the unfiltered ones."""
        for call in wholes(self.driver, self.operation, slot):
            whole = self.walk(call, self.largest)
            counted = Counter(
                value
                for item in whole.items
                for value in dict.fromkeys(each_of(value_at(item, declared.property.raw)))
                if isinstance(value, str | int)
                and not any(self.driver.contract.instances.problems(slot.schema, value))
            )
            names = [value for value, _ in counted.most_common()]
            plain = {key: each for key, each in call.arguments.items() if not self._is_needed(key)}
            for wanted in dict.fromkeys([*names[:1], *names[-1:]]):
                filtered = replace(call, arguments={**plain, slot.key: wanted})
                self._filter(slot, declared, whole, filtered)
            if len(names) > 1 and slot.key not in call.arguments:
                self._cursor_of(
                    replace(call, arguments={**plain, slot.key: names[0]}), slot, names[1]
                )

    def _is_needed(self, key: tuple[str, str]) -> bool:
        """Return whether a parameter belongs to those of which one is required."""
        needed = self.operation.get(REQUIRES_ONE_OF)
        return needed is not None and key in [
            ("query", parameter.raw) for parameter in needed.parameters
        ]

    def _filter(
        self, slot: ParameterSlot, declared: Filter, whole: _Walk, call: OperationCall
    ) -> None:
        place, wanted = slot.site.pointer + join(FILTER.name), call.arguments[slot.key]

        def fitting(items: list[JsonValue]) -> set[str]:
            pointer = declared.property.raw
            return {
                self.id(item)
                for item in items
                if matches(declared.match, value_at(item, pointer), wanted)
            }

        self.driver.target.record.check(FILTERED_ITEMS, place)
        for size, pages in ((_SMALL, _SMALL_PAGES), (self.largest, _PAGES)):
            walk = self.walk(call, size, pages)
            shown = {self.id(item) for item in walk.items}
            if shown - fitting(walk.items):
                message = "items that do not match the filter were returned"
                self._violate(FILTERED_ITEMS, place, message, *walk.exchanges)
            elif walk.is_whole and fitting(whole.items) - shown:
                message = "matching items are missing"
                self._violate(FILTERED_ITEMS, place, message, *whole.exchanges, *walk.exchanges)

    def _cursor_of(self, call: OperationCall, slot: ParameterSlot, other: JsonValue) -> None:
        """Use the cursor of one filter with another one."""
        cursor, errors = self._argument(self.declared.cursor), self.driver.contract.errors
        if cursor is None or errors is None:
            return
        if all(code.condition is not Condition.INVALID_CURSOR for code in errors.codes.values()):
            return
        first = self.driver.probe(self._sized(call, 1))
        own = self._next_of(first)
        if own is None:
            return
        foreign = cursor.given(call.with_argument(slot.key, other), own)
        exchange = self.driver.probe(foreign)
        self.driver.target.record.check(CURSOR, cursor.place)
        if exchange.succeeded:
            message = "a cursor of another filter was accepted"
            self._violate(CURSOR, cursor.place, message, first, exchange)

    def _argument(self, name: Text | None) -> PageArgument | None:
        return page_argument(self.driver.contract, self.operation, name)

    def _violate(self, rule: str, place: Pointer, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(rule, self.operation, message, *exchanges, at=place)


def _full_size(whole: int, most: int) -> int:
    """Return the largest size of pages of which the last is full; 0 if there are no items."""
    return next((size for size in range(min(whole, most), 0, -1) if whole % size == 0), 0)
