"""Lists: pages, filters, and parameters of which at least one is required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from specwright.conformance.checks.lists.item_order import ITEM_ORDER, is_sorted
from specwright.conformance.checks.lists.pages import FILTERED_ITEMS, PAGE_SIZE, each_of, matches
from specwright.conformance.checks.lists.paging import CURSOR, PAGE_SEQUENCE, following
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.checks.verdicts import judge_rejection
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.page_arguments import (
    PageArgument,
    from_start,
    largest,
    page_argument,
)
from specwright.conformance.contract.resources import shape, without_verb
from specwright.conformance.contract.samples import alternatives, number
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import (
    Exchange,
    decimal_of,
    seconds_of,
    value_at,
)
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, join
from specwright.text import Text
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.filter import FILTER, Filter
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF, RequiresOneOf

MISSING_ONE_OF = BehaviourRule(
    "requires-one-of",
    BehaviourCategory.VALIDATION,
    (
        "A request without any of the parameters of which one must be given is refused with the "
        "declared code."
    ),
    example="GET /invoices without `id` and without `reference` -> 200",
    advice=(
        "Refuse a request without any of the parameters with the code that the document names."
    ),
    judge=judge_rejection,
)

# The number of pages to follow, and their size where it can be chosen.
_PAGES, _SIZE = 8, 2
_GARBAGE = "not-a-cursor"


@scenario(after="idempotency", share=3)
def lists(driver: Driver) -> None:
    """Test every operation that returns a page of a list."""
    cursors: dict[Pointer, JsonValue] = {}
    for operation, declared in driver.contract.declaring(PAGINATION):
        success = driver.first_success(operation)
        if success is None:
            reason = "the operation never succeeded"
            driver.target.record.skip(PAGE_SEQUENCE, operation.pointer, reason)
            continue
        trial = _Trial(driver, operation, declared, from_start(success[0], declared))
        trial.fill()
        trial.pages()
        trial.sizes()
        trial.filters()
        cursors[operation.pointer] = trial.cursors(cursors)
    for operation, requirement in driver.contract.declaring(REQUIRES_ONE_OF):
        _requires_one_of(driver, operation, requirement)


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    declared: PaginationContract
    call: OperationCall

    def items(self, exchange: Exchange) -> list[JsonValue]:
        response = exchange.response
        items = response.at(self.declared.items.raw) if response is not None else None
        return items if isinstance(items, list) else []

    def ids(self, exchange: Exchange) -> list[str]:
        return [self.id(item) for item in self.items(exchange)]

    def id(self, item: JsonValue) -> str:
        """Return the id of an item; the whole item if the list does not declare an id."""
        place = self.declared.id
        return str(item if place is None else value_at(item, place.raw))

    def following(
        self, call: OperationCall, exchange: Exchange, shown: int
    ) -> OperationCall | None:
        """Return the call for the next page; None on the last page."""
        response = exchange.response
        return None if response is None else following(self.declared, call, response, shown)

    def is_whole(self, exchange: Exchange) -> bool:
        """Return whether the first page is the whole list."""
        return self.following(self.call, exchange, len(self.items(exchange))) is None

    def limited(self, size: int = _SIZE) -> OperationCall:
        """Return the call for a first page of a given size, if the size can be chosen."""
        limit = self._argument(self.declared.limit)
        return self.call if limit is None else limit.given(self.call, size)

    @property
    def largest(self) -> OperationCall:
        """The call for the first page, as large as the contract allows."""
        return largest(self.call, self.driver.contract)

    def fill(self) -> None:
        """Create enough items for two pages, if the list has fewer and any can be created."""
        add, there = self._adder(), len(self.items(self.driver.send(self.call)))
        if add is not None:
            for _ in range(_SIZE + 1 - there):
                add()

    def pages(self) -> None:
        """Follow the pages; with a cursor, add an item meanwhile if that is possible."""
        ways = ("cursor", "next_url", "link", "page", "offset")
        if not any(getattr(self.declared, way) for way in ways):
            self._skip(PAGE_SEQUENCE, "the list has only one page")
            return
        place = self.operation.pointer + join(PAGINATION.name)
        # Without a cursor, an item added between two pages shifts the items of the second one.
        has_cursor = self.declared.cursor is not None
        add = self._adder() if has_cursor else None
        whole = self.driver.send(self.call if has_cursor else self.largest)
        size = _SIZE if has_cursor else max(_SIZE, len(self.items(whole)) // (_PAGES - 2))
        exchanges, seen, call = [], list[str](), self.limited(size)
        values = []
        ended = False
        for count in range(_PAGES):
            exchange = self.driver.send(call)
            exchanges.append(exchange)
            seen += self.ids(exchange)
            values += (
                [value_at(item, self._by) for item in self.items(exchange)] if self._by else []
            )
            after = self.following(call, exchange, len(seen))
            if after is None:
                ended = exchange.succeeded
                break
            call = after
            if count == 0 and add is not None:
                add()
        self.driver.target.record.check(PAGE_SEQUENCE, place)
        twice = sorted({id for id in seen if seen.count(id) > 1})
        if twice:
            self._violate(PAGE_SEQUENCE, place, "items were returned twice", *exchanges)
        if self._expected(whole, seen, ended) - set(seen):
            self._violate(PAGE_SEQUENCE, place, "items are missing", whole, *exchanges)
        self._ordered(values, exchanges)

    def _expected(self, whole: Exchange, seen: list[str], ended: bool) -> set[str]:
        """Return the ids that pages must show: all of a whole list, else those up to their last."""
        ids = self.ids(whole)
        if ended:
            return set(ids)
        reached = max((count for count, each in enumerate(ids, 1) if each in seen), default=0)
        return set(ids[:reached]) if self._by else set()

    @property
    def _by(self) -> Pointer | None:
        order = self.operation.get(ORDER)
        return None if order is None else str(order.by.raw)

    def _ordered(self, values: list[JsonValue], exchanges: list[Exchange]) -> None:
        order = self.operation.get(ORDER)
        if order is None:
            return
        if not is_sorted(values, order.direction):
            place = self.operation.pointer + join(ORDER.name)
            message = f"not {order.direction.value} by {order.by.raw} from page to page"
            self._violate(ITEM_ORDER, place, message, *exchanges)

    def _adder(self) -> Callable[[], object] | None:
        """Return a function that adds an item by the POST of the collection; None if impossible."""
        collection = shape(self.operation.site.key)
        if self.operation.method == "POST":
            collection = without_verb(collection)
        for operation in self.driver.contract.operations.values():
            same = shape(operation.site.key) == collection and operation.method == "POST"
            if (
                same
                and operation.get(PAGINATION) is None
                and operation.pointer in self.driver.successes
                and operation.get(CAPACITY) is None
            ):
                example = self.driver.successes[operation.pointer][0]
                # Add to this list, not to that of another parent.
                path = {key: own for key, own in self.call.arguments.items() if key[0] == "path"}
                added = replace(example, arguments={**example.arguments, **path})
                return lambda: self.driver.send(self.driver.with_fresh_key(added))
        return None

    def sizes(self) -> None:
        """Check the size of pages, and that sizes beyond the bounds are refused."""
        limit = self._argument(self.declared.limit)
        if limit is None:
            return
        place = limit.place
        if len(self.items(self.driver.send(self.largest))) > _SIZE:
            # There are more items than that, so that the monitors notice an ignored limit.
            self.driver.send(self.limited())
        else:
            self.driver.target.record.skip(PAGE_SIZE, place, "the list is too short")
        for bounds in alternatives(self.driver.contract.document, limit.schema):
            for keyword, step in (("maximum", 1), ("minimum", -1)):
                bound = number(bounds.get(keyword))
                if bound is None:
                    continue
                beyond = bound + step
                exchange = self.driver.send(limit.given(self.call, beyond))
                if exchange.succeeded:
                    message = f"a size of {beyond} was accepted"
                    self._violate(PAGE_SIZE, place, message, exchange)

    def cursors(self, others: dict[Pointer, JsonValue]) -> JsonValue:
        """Try cursors that this list did not issue, and return one that it issued."""
        cursor = self._argument(self.declared.cursor)
        if cursor is None:
            return None
        first = self.driver.send(self.limited())
        own = self._cursor(first)
        foreign = next((value for value in others.values() if isinstance(value, str)), None)
        for how, value in (
            ("an invented cursor", _GARBAGE),
            ("the cursor of another list", foreign),
        ):
            if value is None:
                continue
            exchange = self.driver.send(cursor.given(self.call, value))
            self.driver.target.record.check(CURSOR, cursor.place)
            if exchange.succeeded:
                self._violate(CURSOR, cursor.place, f"{how} was accepted", exchange)
        return own

    def _cursor(self, exchange: Exchange) -> JsonValue:
        response, place = exchange.response, self.declared.next
        return None if response is None or place is None else response.at(place.raw)

    def filters(self) -> None:
        """Filter by a value of one of the items, and compare with the whole list."""
        for slot in self.operation.slots:
            if slot.filter is not None:
                self._filter(slot)

    def _filter(self, slot: ParameterSlot) -> None:
        declared = slot.filter
        assert declared is not None
        others = {key: value for key, value in self.call.arguments.items() if key != slot.key}
        for call in (replace(self.call, arguments=others), self.call):
            whole = self.driver.send(call)
            values = [
                value
                for item in self.items(whole)
                for value in each_of(value_at(item, declared.property.raw))
            ]
            schema = slot.schema
            wanted = next(
                (
                    value
                    for value in values
                    if not any(self.driver.contract.instances.problems(schema, value))
                ),
                None,
            )
            if wanted is not None:
                break
        else:
            self._skip(FILTERED_ITEMS, f"no item has a value to filter by '{slot.written.wire}'")
            return
        for value in (wanted, *_near(wanted, others=values)):
            if not any(self.driver.contract.instances.problems(slot.schema, value)):
                self._filter_by(slot, declared, whole, call.with_argument(slot.key, value))

    def _filter_by(
        self, slot: ParameterSlot, declared: Filter, whole: Exchange, call: OperationCall
    ) -> None:
        """Compare the items of a filtered list with those of the whole list."""
        place, wanted = slot.site.pointer + join(FILTER.name), call.arguments[slot.key]
        exchange = self.driver.send(call)
        self.driver.target.record.check(FILTERED_ITEMS, place)
        if exchange.response is None or exchange.response.status == 429:
            return

        def matching(exchange: Exchange) -> set[str]:
            return {
                self.id(item)
                for item in self.items(exchange)
                if matches(declared.match, value_at(item, declared.property.raw), wanted)
            }

        fitting = matching(whole)
        if not exchange.response.is_success:
            # A value that no item has may be invalid.
            if fitting:
                message = f"answered {exchange.response.status}"
                self._violate(FILTERED_ITEMS, place, message, whole, exchange)
            return
        shown = set(self.ids(exchange))
        if shown - matching(exchange):
            self._violate(
                FILTERED_ITEMS,
                place,
                "items that do not match the filter were returned",
                exchange,
            )
        if self.is_whole(exchange) and self.is_whole(whole) and fitting - shown:
            self._violate(FILTERED_ITEMS, place, "matching items are missing", whole, exchange)

    def _argument(self, name: Text | None) -> PageArgument | None:
        return page_argument(self.driver.contract, self.operation, name)

    def _skip(self, rule: str, reason: str) -> None:
        self.driver.target.record.skip(rule, self.operation.pointer, reason)

    def _violate(self, rule: str, place: Pointer, message: str, *exchanges: Exchange) -> None:
        self.driver.violate(rule, self.operation, message, *exchanges, at=place)


def _requires_one_of(driver: Driver, operation: ContractOperation, declared: RequiresOneOf) -> None:
    success = driver.first_success(operation)
    place = operation.pointer + join(REQUIRES_ONE_OF.name)
    if success is None:
        driver.target.record.skip(MISSING_ONE_OF, place, "the operation never succeeded")
        return
    names = {("query", parameter.raw) for parameter in declared.parameters}
    rest = {key: value for key, value in success[0].arguments.items() if key not in names}
    exchange = driver.send(OperationCall(operation, rest, success[0].body))
    driver.target.record.check(MISSING_ONE_OF, place)
    response, errors = exchange.response, driver.contract.errors
    if response is None or response.status == 429:
        return
    code = response.at(errors.code.raw) if errors is not None else declared.code.raw
    if response.is_success or code != declared.code.raw:
        message = f"answered {response.status} without '{declared.code.raw}'"
        driver.violate(MISSING_ONE_OF, operation, message, exchange, at=place)


def _near(value: JsonValue, others: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Return values for which a filter may keep other items.

    These are similar texts, with swapped case, and without end or beginning; and of the values
    that other items have, the last number and the last time.
    """
    texts = (value.swapcase(), value[:-1], value[1:]) if isinstance(value, str) else ()
    numbers = [(number, other) for other in others if (number := decimal_of(other)) is not None]
    times = [(time, other) for other in others if (time := seconds_of(other)) is not None]
    return (*texts, *(max(pairs)[1] for pairs in (numbers, times) if pairs))
