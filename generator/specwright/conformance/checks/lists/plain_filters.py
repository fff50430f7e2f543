"""Query parameters that are filters by their names, and several filters together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from specwright.conformance.checks.lists.pages import FILTERED_ITEMS, each_of, matches
from specwright.conformance.checks.lists.whole_lists import wholes
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation, ParameterSlot
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.ids import is_reference
from specwright.conformance.recording.exchange import Exchange, HttpResponse, value_at
from specwright.findings import Level
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.names import snake
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.filter import FILTER, Match
from specwright.vocabulary.keywords.pagination import PAGINATION

PLAIN_FILTER = BehaviourRule(
    "plain-filter",
    BehaviourCategory.LISTS,
    "A parameter with the name and the values of a member of the items keeps items with that "
    "value; no declaration says so, and a server may mean something else.",
    example="GET /items?status=sold -> items with the status draft",
    advice="Apply the parameter in the query, or declare another meaning of it as a filter.",
    level=Level.WARNING,
    weight=5,
)

# A text that no item has.
_NOTHING = "no-item-has-this-text"


@dataclass(frozen=True, slots=True)
class _Filter:
    """A parameter, and the member of an item that it selects by.

    Attributes:
        rule: by which its findings are reported: that of declared filters, or of plain ones.
    """

    slot: ParameterSlot
    member: Pointer
    match: Match
    rule: BehaviourRule

    @property
    def place(self) -> Pointer:
        """The pointer of the parameter, or of its declaration."""
        declared = "" if self.slot.filter is None else join(FILTER.name)
        return self.slot.site.pointer + declared

    def fits(self, item: JsonValue, wanted: JsonValue) -> bool:
        """Return whether an item has a value."""
        return matches(self.match, value_at(item, self.member), wanted)


@scenario(after="lists", name="plain filters")
def plain_filters(driver: Driver) -> None:
    """Filter lists by values of their items: by plain parameters, and by two at once."""
    for operation in driver.contract.operations.values():
        if operation.method != "GET" or operation.pointer not in driver.successes:
            continue
        call = next(wholes(driver, operation), None)
        whole = None if call is None else driver.send(call)
        items = items_of(operation, whole.response) if whole is not None else []
        if call is None or whole is None or not items:
            continue
        filters = list(_filters(driver, operation, items))
        trial = _Trial(driver, operation, call, whole, items)
        usable = [
            filter_
            for filter_ in filters
            if filter_.slot.filter is not None or trial.alone(filter_)
        ]
        for one, other in pairwise(usable):
            trial.together(one, other)


@scenario(after="at once", name="empty filters")
def empty_filters(driver: Driver) -> None:
    """Filter lists by a text of some items, and by one that no item has."""
    for operation in driver.contract.operations.values():
        if operation.method != "GET" or operation.pointer not in driver.successes:
            continue
        call = next(wholes(driver, operation), None)
        whole = None if call is None else driver.probe(call)
        items = items_of(operation, whole.response) if whole is not None else []
        if call is None or whole is None or not items:
            continue
        trial = _Trial(driver, operation, call, whole, items)
        for slot in operation.slots:
            member = _member(items[0], slot.key[1])
            if slot.key[0] == "query" and slot.filter is None and member is not None:
                trial.empty(_Filter(slot, join(member), Match.EQUALS, PLAIN_FILTER))


def _member(item: JsonObject, name: str) -> str | None:
    """Return the member of an item with the name of a parameter, or with its plural."""
    members = {snake(member): member for member in item}
    return members.get(snake(name)) or members.get(f"{snake(name)}s")


def items_of(operation: ContractOperation, response: HttpResponse | None) -> list[JsonObject]:
    """Return the items of a list: those of its page, else the only list in the response."""
    if response is None or not response.is_success:
        return []
    page = operation.get(PAGINATION)
    body = response.json_or_none if page is None else response.at(page.items.raw)
    if isinstance(body, dict):
        lists = [value for value in body.values() if isinstance(value, list)]
        body = lists[0] if len(lists) == 1 else None
    return [item for item in body if isinstance(item, dict)] if isinstance(body, list) else []


def _filters(
    driver: Driver, operation: ContractOperation, items: list[JsonObject]
) -> Iterator[_Filter]:
    """Yield declared filters, and parameters with the name of a member of the items."""
    members = {snake(name): name for name in items[0]}
    for slot in operation.slots:
        place, name = slot.key
        if place != "query":
            continue
        if slot.filter is not None:
            yield _Filter(slot, slot.filter.property.raw, slot.filter.match, FILTERED_ITEMS)
        elif snake(name) in members and _is_closed(driver, slot):
            yield _Filter(slot, join(members[snake(name)]), Match.EQUALS, PLAIN_FILTER)


def _is_closed(driver: Driver, slot: ParameterSlot) -> bool:
    """Return whether a parameter can only mean equality: a listed value, a flag, or an id."""
    document = driver.contract.document
    schemas = list(alternatives(document, mapping(slot.site.value.get("schema"))))
    return is_reference(slot.written.wire) or any(
        "enum" in schema or schema.get("type") == "boolean" for schema in schemas
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    driver: Driver
    operation: ContractOperation
    call: OperationCall
    whole: Exchange
    items: list[JsonObject]

    def alone(self, plain: _Filter) -> bool:
        """Filter by a value of an item; return whether other items are left out."""
        for value in (self._value(plain, item) for item in self.items):
            if value is None:
                continue
            exchange = self.driver.probe(self.call.with_argument(plain.slot.key, value))
            shown = items_of(self.operation, exchange.response)
            if not exchange.succeeded:
                return False
            self.driver.target.record.check(plain.rule, plain.place)
            if all(plain.fits(item, value) for item in shown):
                return True
            name = plain.slot.written.wire
            message = f"items with another '{name}' than the requested one are returned"
            cause = "items with another value than the requested one are returned"
            self._violate(plain, message, cause, exchange)
            return False
        return False

    def empty(self, plain: _Filter) -> None:
        """Filter by a text that some items have; if these are returned, by one that none has."""
        problems = self.driver.contract.instances.problems
        texts = {
            value: None
            for item in self.items
            for value in each_of(value_at(item, plain.member))
            if isinstance(value, str) and not all(plain.fits(other, value) for other in self.items)
        }
        for text in [text for text in texts if not any(problems(plain.slot.schema, text))][:1]:
            some = self.driver.probe(self.call.with_argument(plain.slot.key, text))
            shown = items_of(self.operation, some.response)
            if not shown or not all(plain.fits(item, text) for item in shown):
                return
            none = self.driver.probe(self.call.with_argument(plain.slot.key, _NOTHING))
            self.driver.target.record.check(plain.rule, plain.place)
            if len(items_of(self.operation, none.response)) >= len(self.items):
                name = plain.slot.written.wire
                message = f"all items are returned for a '{name}' that none of them has"
                cause = "all items are returned for a value that none of them has"
                self._violate(plain, message, cause, some, none)

    def together(self, one: _Filter, other: _Filter) -> None:
        """Filter by two values of one item, of which other items have only one."""
        pairs = [(self._value(one, item), self._value(other, item)) for item in self.items]
        pair = max(pairs, key=lambda values: self._telling(one, other, values))
        if self._telling(one, other, pair) == 0:
            return
        call = self.call.with_argument(one.slot.key, pair[0])
        exchange = self.driver.probe(call.with_argument(other.slot.key, pair[1]))
        shown = items_of(self.operation, exchange.response)
        self.driver.target.record.check(one.rule, one.place)
        if exchange.succeeded and not all(
            one.fits(item, pair[0]) and other.fits(item, pair[1]) for item in shown
        ):
            names = f"'{one.slot.written.wire}' and '{other.slot.written.wire}'"
            message = f"items that match only one of {names} are returned"
            cause = "items that match only one of two filters are returned"
            self._violate(one, message, cause, exchange)

    def _telling(self, one: _Filter, other: _Filter, values: tuple[JsonValue, JsonValue]) -> int:
        """Return how many of two filters would be missed if a server applied the other alone."""
        if None in values:
            return 0
        fits = {(one.fits(item, values[0]), other.fits(item, values[1])) for item in self.items}
        return len(fits & {(True, False), (False, True)})

    def _value(self, plain: _Filter, item: JsonObject) -> JsonValue:
        """Return the value of an item, if it is valid for the parameter; None for others."""
        problems = self.driver.contract.instances.problems
        value = value_at(item, plain.member)
        is_plain = isinstance(value, str | int | float)
        return value if is_plain and not any(problems(plain.slot.schema, value)) else None

    def _violate(self, plain: _Filter, message: str, cause: str, *exchanges: Exchange) -> None:
        proofs, rule = (self.whole, *exchanges), plain.rule
        self.driver.violate(rule, self.operation, message, *proofs, at=plain.place, cause=cause)
