"""Written values, compared with the values that are read afterwards."""

from __future__ import annotations

from dataclasses import replace

from specwright.conformance.checks.lifecycle.readers import reader_of, reading
from specwright.conformance.checks.lifecycle.written_members import (
    WrittenMember,
    is_done,
    least,
    makes_freely,
    required_members,
    shown_after,
    written_members,
)
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.write_only import is_masked
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange

WRITTEN_IS_READ = BehaviourRule(
    "written-is-read",
    BehaviourCategory.STATE,
    "A member that was written successfully has its new value.",
    example='PATCH /items/7 {"title": "first text"} -> 200, then GET /items/7 -> the old title',
    advice="Store the member, or refuse it. Declare one that only responses have as `readOnly`.",
)
CHANGE_KEEPS = BehaviourRule(
    "change-keeps",
    BehaviourCategory.STATE,
    "A change leaves the members that it does not name as they were.",
    example='PATCH /items/7 {"title": "ab"} -> 200, then GET /items/7 -> an empty description',
    advice=(
        "Change only the members in the request (`exclude_unset` in Pydantic, `partial=True` in "
        "Django REST framework), and do not apply defaults."
    ),
)

# A server that stores nothing, such as a mock, has one fault and not one for each member.
_NOT_STORED = "a value is the same after two values were written"


@scenario(after="conservation")
def written(driver: Driver) -> None:
    """Write two values one after the other, and read the resource after each.

    A server may normalize a value. If it shows the same value for both, it has not written the
    second one.
    """
    for writer in driver.contract.operations.values():
        changes, reader = writer.method in ("PUT", "PATCH"), reader_of(driver.contract, writer)
        if writer.body is not None and (makes_freely(writer) or changes):
            _written(driver, writer, reader)
        elif writer.files and changes and reader is not writer:
            _uploaded(driver, writer, reader)


def _written(driver: Driver, writer: ContractOperation, reader: ContractOperation) -> None:
    success = driver.first_success(writer)
    if success is None:
        reason = "the operation never succeeded"
        driver.target.record.skip(WRITTEN_IS_READ, writer.pointer, reason)
        return
    members = [
        member for member in written_members(driver.contract, writer, reader) if member.values
    ]
    for member in members:
        one, other = ({member.name: value} for value in member.values)
        first, second = (
            shown_after(driver, success[0], reader, value, member) for value in (one, other)
        )
        if first is None or second is None:
            continue
        driver.target.record.check(WRITTEN_IS_READ, member.place)
        if first[0] == second[0] != member.values[1] and not is_masked(second[0]):
            message = f"'{member.name}' is the same after two values were written"
            proofs, rule = (*first[1], *second[1]), WRITTEN_IS_READ
            driver.violate(rule, writer, message, *proofs, at=member.place, cause=_NOT_STORED)
    if writer.method == "PATCH":
        _kept(driver, success[0], reader, members)
    # Later calls must not use the values tried here.
    driver.successes[writer.pointer] = success


def _uploaded(driver: Driver, writer: ContractOperation, reader: ContractOperation) -> None:
    """Upload two files one after the other, and read each; a server may convert them."""
    success = driver.first_success(writer)
    if success is None or not isinstance(success[0].body, dict):
        return
    exchanges: list[Exchange] = []
    for text in ("first text", "another one"):
        body = {**success[0].body, **dict.fromkeys(sorted(writer.files), text)}
        sent = driver.send(replace(driver.with_fresh_key(success[0]), body=body))
        read = driver.send(reading(driver, success[0], reader))
        if not (is_done(sent.response) and is_done(read.response)):
            return
        exchanges += sent, read
    first, second = (exchange.response and exchange.response.body for exchange in exchanges[1::2])
    driver.target.record.check(WRITTEN_IS_READ, writer.pointer)
    if first == second:
        message = "the file is the same after two were uploaded"
        driver.violate(WRITTEN_IS_READ, writer, message, *exchanges)
    driver.successes[writer.pointer] = success


def _kept(
    driver: Driver, call: OperationCall, reader: ContractOperation, members: list[WrittenMember]
) -> None:
    """Change one member after another, and read the one that was changed before.

    A change does not affect members that it does not name (RFC 5789; RFC 7396, section 1).
    """
    needed = required_members(driver.contract, call.operation)
    plain = least(driver.contract, call)
    free = [member for member in members if member.name not in needed]
    for kept, changed in zip(free, [*free[1:], *free[:1]], strict=True):
        if kept is changed:
            continue
        before = shown_after(driver, plain, reader, {kept.name: kept.values[0]}, kept)
        after = shown_after(driver, plain, reader, {changed.name: changed.values[0]}, kept)
        if before is None or after is None:
            continue
        driver.target.record.check(CHANGE_KEEPS, kept.place)
        if before[0] != after[0]:
            message = f"'{kept.name}' is different after '{changed.name}' was changed"
            proofs, rule = (*before[1], *after[1]), CHANGE_KEEPS
            driver.violate(rule, call.operation, message, *proofs, at=kept.place)
