"""Replacements and changes that have another effect than HTTP and their media type say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from specwright.conformance.checks.lifecycle.readers import reader_of
from specwright.conformance.checks.lifecycle.written_members import (
    WrittenMember,
    least,
    object_after,
    required_members,
    shared_properties,
    written_members,
)
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.samples import alternatives
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.document.operations.sites import essence
from specwright.findings import Level
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, resolve

REPLACEMENT_REPLACES = BehaviourRule(
    "replacement-replaces",
    BehaviourCategory.STATE,
    "A PUT replaces the whole resource (RFC 9110, 9.3.4): a member that it does not have loses "
    "its value. Many servers only change what a PUT has.",
    example='PUT /items/7 {"title": "a"} -> 200, then GET /items/7 -> the description as it was',
    advice=(
        "Set the members that are left out to their defaults; offer PATCH for changes of some "
        "members."
    ),
    level=Level.INFO,
)
NULL_REMOVES = BehaviourRule(
    "null-removes",
    BehaviourCategory.STATE,
    "A null in a JSON merge patch removes the value of a member (RFC 7396, 2).",
    example='PATCH /items/7 {"assignee": null} -> 200, then GET /items/7 -> the assignee as it was',
    advice=(
        "Tell a member that is null from one that is left out (`exclude_unset` in Pydantic), or "
        "refuse the null."
    ),
)
LIST_IS_REPLACED = BehaviourRule(
    "list-is-replaced",
    BehaviourCategory.STATE,
    "A list in a change or a replacement takes the place of the earlier one; a server may add to "
    "it on purpose.",
    example='PATCH /items/7 {"tags": ["b"]} -> 200, then GET /items/7 -> the tags "a" and "b"',
    advice="Store the list as it was sent, or offer an operation of its own that adds items.",
    level=Level.WARNING,
)

_MERGE_PATCH = "application/merge-patch+json"
_LISTS: tuple[list[JsonValue], list[JsonValue]] = (["first text"], ["another one"])


@scenario(after="uniqueness")
def replacements(driver: Driver) -> None:
    """Replace and change resources, and read their members."""
    for writer in driver.contract.operations.values():
        reader = reader_of(driver.contract, writer)
        is_change = writer.method in ("PUT", "PATCH") and writer.body is not None
        success = success_now(driver, writer) if is_change and reader is not writer else None
        if success is None:
            continue
        trial = _Trial(driver, writer, reader, least(driver.contract, success[0]))
        if writer.method == "PUT":
            trial.replaces()
        elif writer.body is not None and essence(writer.body[0]) == _MERGE_PATCH:
            trial.removes()
        trial.lists()
        # Later calls must not use the values tried here.
        driver.successes[writer.pointer] = success


@dataclass(frozen=True, slots=True)
class _Trial:
    """A change of a resource.

    Attributes:
        call: it has the required members only.
    """

    driver: Driver
    writer: ContractOperation
    reader: ContractOperation
    call: OperationCall

    def replaces(self) -> None:
        """Replace the resource with and without members."""
        self._clear(REPLACEMENT_REPLACES, "in a replacement without it", self._free(), {})

    def removes(self) -> None:
        """Set members to values and to null."""
        problems = self.driver.contract.strict_requests.problems
        members = [member for member in self._free() if not any(problems(member.place, None))]
        nulls = {member.name: None for member in members}
        self._clear(NULL_REMOVES, "after it was set to null", members, nulls)

    def _clear(
        self,
        rule: BehaviourRule,
        when: str,
        members: list[WrittenMember],
        cleared: Mapping[str, JsonValue],
    ) -> None:
        """Write and clear members: together, and one by one if that is refused.

        Args:
            when: what clears a member, in words.
            cleared: the members of the request that clears them.
        """
        if not members or self._are_cleared(rule, when, members, cleared):
            return
        if len(members) > 1:
            for member in members:
                one = {name: value for name, value in cleared.items() if name == member.name}
                self._are_cleared(rule, when, [member], one)

    def _are_cleared(
        self,
        rule: BehaviourRule,
        when: str,
        members: list[WrittenMember],
        cleared: Mapping[str, JsonValue],
    ) -> bool:
        """Write two values of each member, and clear it after each.

        A value that comes back both times cannot be a default. Return whether all was accepted.
        """
        kept = {member.name: 0 for member in members}
        exchanges = list[Exchange]()
        for number in (0, 1):
            before = self._after({member.name: member.values[number] for member in members})
            after = self._after(cleared) if before is not None else None
            if before is None or after is None:
                return False
            exchanges += (*before[1], *after[1])
            for member in members:
                values = [shown.get(member.name) for shown in (before[0], after[0])]
                kept[member.name] += values[0] == values[1] == member.values[number]
        for member in members:
            self._check(rule, member.place)
            if kept[member.name] == 2:
                message = f"'{member.name}' keeps its value {when}"
                cause = f"a member keeps its value {when}"
                self._violate(rule, member.place, message, cause, *exchanges)
        return True

    def lists(self) -> None:
        """Write two lists of each member one after the other, and read each."""
        for name, place in self._lists():
            first, second = (self._after({name: values}) for values in _LISTS)
            if first is None or second is None:
                continue
            self._check(LIST_IS_REPLACED, place)
            one, other = (sequence(shown.get(name)) for shown, _ in (first, second))
            if len(other) > len(one) > 0 and all(item in other for item in one):
                message = f"'{name}' has the items of the earlier list, too"
                cause = "a written list has the items of the earlier one, too"
                self._violate(LIST_IS_REPLACED, place, message, cause, *first[1], *second[1])

    def _lists(self) -> Iterator[tuple[str, Pointer]]:
        """Yield the members that are lists of any texts."""
        document, problems = (
            self.driver.contract.document,
            self.driver.contract.strict_requests.problems,
        )
        for name, place, _ in shared_properties(self.driver.contract, self.writer, self.reader):
            schemas = alternatives(document, resolve(document.data, place))
            items = [mapping(document.follow(schema.get("items"))) for schema in schemas]
            is_free = any("enum" not in item and item.get("type") == "string" for item in items)
            if is_free and not any(any(problems(place, values)) for values in _LISTS):
                yield name, place

    def _free(self) -> list[WrittenMember]:
        """Return the members that may be left out, and that have two values to try."""
        needed = required_members(self.driver.contract, self.writer)
        return [
            member
            for member in written_members(self.driver.contract, self.writer, self.reader)
            if member.values and member.name not in needed
        ]

    def _after(
        self, change: Mapping[str, JsonValue]
    ) -> tuple[JsonObject, tuple[Exchange, ...]] | None:
        return object_after(self.driver, self.call, self.reader, dict(change))

    def _check(self, rule: str, place: Pointer) -> None:
        self.driver.target.record.check(rule, place)

    def _violate(
        self, rule: str, place: Pointer, message: str, cause: str, *exchanges: Exchange
    ) -> None:
        self.driver.violate(rule, self.writer, message, *exchanges, at=place, cause=cause)
