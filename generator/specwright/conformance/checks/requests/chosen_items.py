"""Items of a list that a request can choose (`x-contract-chosen-from`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from specwright.conformance.checks.lists.listed_ids import listed_ids
from specwright.conformance.checks.lists.whole_lists import wholes
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED, accepted_form
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.choosing import Choosing, choosing
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.samples import sample
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import seconds_of, value_at
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.chosen_from import CHOSEN_FROM, REQUIRED_WHEN, RequiredWhen
from specwright.vocabulary.keywords.pagination import PaginationContract

# The most items to choose, and the most resources whose lists are read.
_MOST, _PARENTS = 12, 50
_DECIMAL = re.compile(r"-?\d+(?:\.(\d+))?")
# A count that shows whether it is taken into account, where it is allowed.
_COUNT = 3


@scenario(after="agreement")
def choices(driver: Driver) -> None:
    """Choose one item of each kind from the lists that need no resource.

    The monitors judge the responses to valid choices: what is computed, for every kind of item.
    """
    _choices(driver, is_below=False)


@scenario(after="choices")
def choices_below(driver: Driver) -> None:
    """Choose one item of each kind from the lists of several resources, and one of another list."""
    _choices(driver, is_below=True)


def _choices(driver: Driver, *, is_below: bool) -> None:
    for operation in driver.contract.operations.values():
        if bool(operation.template.names) is not is_below:
            continue
        for member in choosing(driver.contract, operation):
            success, lister, page = (
                driver.successes.get(operation.pointer),
                member.lister,
                member.page,
            )
            is_made = success is not None and isinstance(success[0].body, dict)
            is_listed = lister is not None and lister.pointer in driver.successes
            if success is None or lister is None or page is None or not (is_made and is_listed):
                reason = "the operation never succeeded, or the list names no ids"
                driver.target.record.skip(INVALID_ACCEPTED, member.place, reason)
                continue
            _Choices(driver, success[0], member, lister, page).run()
            # Below what unusual choices make, usual requests may be refused.
            driver.first_success(operation)


@dataclass(frozen=True, slots=True)
class _Choices:
    """The choices of one member of a successful call."""

    driver: Driver
    call: OperationCall
    member: Choosing
    lister: ContractOperation
    page: PaginationContract

    def run(self) -> None:
        lists = [(parent, self._listed(parent)) for parent in self._parents()]
        pairs = [(call, item) for call, items in lists for item in items.values()]
        if not pairs:
            reason = f"{self.lister.name} has no items"
            self.driver.target.record.skip(INVALID_ACCEPTED, self.member.place, reason)
        tried = set[tuple[str, bool]]()
        for call, item in _varied(pairs):
            self._choose(self._fitting(call, item), item, tried)
        self._of_another_list(lists)

    def _parents(self) -> Iterator[OperationCall]:
        """Yield the call for each resource that the list may belong to."""
        names = [("path", name) for name in self.call.operation.template.names]
        if len(names) != 1:
            yield self.call
            return
        for value in [*dict.fromkeys(listed_ids(self.driver, self.lister))][:_PARENTS]:
            yield self.call.with_argument(names[0], value)

    def _listed(self, call: OperationCall) -> dict[str, JsonValue]:
        """Return the items of the first pages of the list for a call, by their ids."""
        slots = {slot.key for slot in self.lister.slots}
        own = {key: value for key, value in call.arguments.items() if key in slots}
        listed: dict[str, JsonValue] = {}
        for whole in wholes(self.driver, self.lister):
            response = self.driver.probe(
                replace(whole, arguments={**whole.arguments, **own})
            ).response
            items = None if response is None else response.at(self.page.items.raw)
            for item in items if isinstance(items, list) else ():
                if (id_ := self._id(item)) is not None:
                    listed[str(id_)] = item
        return listed

    def _id(self, item: JsonValue) -> JsonValue:
        return None if self.page.id is None else value_at(item, self.page.id.raw)

    def _fitting(self, call: OperationCall, item: JsonValue) -> OperationCall:
        """Return the call with an item and the members that this item requires."""
        call = call.with_member(join(self.member.name), self._id(item))
        for name, each in self.member.required.items():
            call = self._with(call, name, is_there=_applies(each.declared, item))
        return call

    def _choose(self, call: OperationCall, item: JsonValue, tried: set[tuple[str, bool]]) -> None:
        self.driver.probe(self.driver.with_fresh_key(call))
        for name, each in self.member.required.items():
            is_needed = _applies(each.declared, item)
            if (name, is_needed) not in tried:
                tried.add((name, is_needed))
                wrong = self._with(call, name, is_there=not is_needed)
                suffix = "out" if is_needed else ""
                reason = "requires" if is_needed else "does not allow"
                how = f"a body with{suffix} '{name}', which the chosen item {reason}"
                self._is_refused(wrong, each.place + join(REQUIRED_WHEN.name), how)

    def _of_another_list(self, lists: list[tuple[OperationCall, dict[str, JsonValue]]]) -> None:
        """Choose an item that only the list of another resource has."""
        for call, own in lists:
            for _, others in lists:
                foreign = next((item for item in others if item not in own), None)
                if own and foreign is not None:
                    how = f"a '{self.member.name}' that {self.lister.name} does not have"
                    place = self.member.place + join(CHOSEN_FROM.name)
                    self._is_refused(self._fitting(call, others[foreign]), place, how)
                    return

    def _with(self, call: OperationCall, name: str, *, is_there: bool) -> OperationCall:
        """Return the call with or without a member."""
        if not is_there:
            return call.without_member("", name)
        contract, required = self.driver.contract, self.member.required[name]
        value = sample(contract.document, required.schema)
        problems = contract.requests.problems(required.place, _COUNT)
        is_count = type(value) is int and not any(problems)
        return call.with_member(join(name), _COUNT if is_count else value)

    def _is_refused(self, call: OperationCall, place: Pointer, how: str) -> None:
        exchange = self.driver.probe(self.driver.with_fresh_key(call))
        self.driver.target.record.check(INVALID_ACCEPTED, place)
        if exchange.succeeded:
            rule = INVALID_ACCEPTED
            violation = accepted_form(call.operation, exchange, place, how, rule)
            self.driver.target.record.violate(violation)


def _applies(declared: RequiredWhen, item: JsonValue) -> bool:
    return value_at(item, declared.at.raw) in [value.raw for value in declared.values]


def _varied(pairs: list[tuple[OperationCall, JsonValue]]) -> list[tuple[OperationCall, JsonValue]]:
    """Return items of which each has something that those before it do not have."""
    texts = Counter(text for _, item in pairs for text in dict.fromkeys(_texts(item)))
    seen = set[Hashable]()
    chosen = []
    for call, item in pairs:
        if new := set(_traits("", item, texts)) - seen:
            seen |= new
            chosen.append((call, item))
    return chosen[:_MOST]


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)


def _traits(place: Pointer, value: JsonValue, texts: Counter[str]) -> Iterator[Hashable]:
    """Yield the traits of an item, each with its place.

    They are words that several items have, the presence of values, and decimal places.
    """
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _traits(place + join(name), each, texts)
    elif isinstance(value, list):
        yield place, bool(value)
    elif isinstance(value, str):
        decimal = _DECIMAL.fullmatch(value)
        is_word = texts[value] > 1 and seconds_of(value) is None
        yield place, len(decimal[1] or "") if decimal else (value if is_word else "text")
    else:
        yield place, value if isinstance(value, bool) or value is None else "number"
