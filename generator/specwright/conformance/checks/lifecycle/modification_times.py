"""Times of the latest change, such as `updated_at`, before and after a change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from specwright.conformance.checks.lifecycle.readers import reader_of
from specwright.conformance.checks.lifecycle.written_members import (
    WrittenMember,
    object_after,
    written_members,
)
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.value_parts import in_place
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, seconds_of
from specwright.findings import Level, values_of
from specwright.json_values import JsonObject, mapping
from specwright.names import snake

MODIFIED_CHANGES = BehaviourRule(
    "modified-changes",
    BehaviourCategory.STATE,
    "The time of the latest change of a resource is another one after a change.",
    example='PATCH /items/7 {"title": "ab"} -> 200, and "updated_at" of GET /items/7 is as before',
    advice="Set the time in the statement that makes the change, or in a trigger of the database.",
    level=Level.WARNING,
)

_TIMES = frozenset(
    (
        *("updated", "updated_at", "updated_on", "update_time", "date_updated", "last_updated"),
        *("modified", "modified_at", "modified_on", "last_modified", "date_modified"),
        *("changed_at", "last_updated_at", "last_modified_at", "last_changed_at"),
    )
)
# Many servers store times in seconds, and some in minutes, which are not waited for.
_PAUSE_SECONDS, _COARSE_SECONDS = 1.1, 60


@scenario(after="defaults", share=6, name="modification times")
def modification_times(driver: Driver) -> None:
    """Change a member of each resource, and change it once more after a moment."""
    trials = list(_trials(driver))
    first = [(trial, shown) for trial in trials if (shown := trial.after(0)) is not None]
    telling = [(trial, shown) for trial, shown in first if trial.times(shown[0])]
    if telling:
        time.sleep(_PAUSE_SECONDS)
    for trial, before in telling:
        after = trial.after(1)
        if after is not None:
            trial.compare(before, after)
    for trial in trials:
        # Later calls must not use the values tried here.
        driver.successes[trial.writer.pointer] = trial.success


def _trials(driver: Driver) -> Iterator[_Trial]:
    for writer in driver.contract.operations.values():
        reader = reader_of(driver.contract, writer)
        is_change = writer.method in ("PUT", "PATCH") and writer.body is not None
        success = success_now(driver, writer) if is_change and reader is not writer else None
        if success is not None:
            members = written_members(driver.contract, writer, reader)
            member = next((member for member in members if member.values), None)
            if member is not None:
                yield _Trial(driver, writer, reader, success, member)


@dataclass(frozen=True, slots=True)
class _Trial:
    """Two changes of a member of a resource."""

    driver: Driver
    writer: ContractOperation
    reader: ContractOperation
    success: tuple[OperationCall, Exchange]
    member: WrittenMember

    def after(self, number: int) -> tuple[JsonObject, tuple[Exchange, ...]] | None:
        """Write one of the values, and return the resource as it is read."""
        change = {self.member.name: self.member.values[number]}
        return object_after(self.driver, self.success[0], self.reader, change)

    def times(self, shown: JsonObject) -> list[str]:
        """Return the names of the times of the latest change, without those that clients set."""
        document, schema = (
            self.driver.contract.document,
            self.driver.contract.body_schema(self.writer),
        )
        sent = {
            name
            for _, part in (in_place(document, schema) if schema is not None else ())
            for name in mapping(part.get("properties"))
        }
        moments = {name: seconds_of(value) for name, value in shown.items() if name not in sent}
        return [
            name
            for name, seconds in moments.items()
            if snake(name) in _TIMES and seconds is not None and seconds % _COARSE_SECONDS
        ]

    def compare(
        self,
        before: tuple[JsonObject, tuple[Exchange, ...]],
        after: tuple[JsonObject, tuple[Exchange, ...]],
    ) -> None:
        """Compare the times, if the resource has changed at all."""
        (was, first), (is_, second) = before, after
        if was.get(self.member.name) == is_.get(self.member.name):
            return
        for name in self.times(was):
            self.driver.target.record.check(MODIFIED_CHANGES, self.writer.pointer)
            if was[name] == is_.get(name):
                message = f"'{name}' is the same after a later change"
                cause = "the time of the latest change is the same after a later one"
                rule, proofs, values = MODIFIED_CHANGES, (*first, *second), values_of(name)
                self.driver.violate(rule, self.writer, message, *proofs, cause=cause, values=values)
