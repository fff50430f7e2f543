"""Changes and creations that are sent at the same time, and each of which succeeds alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, islice

from specwright.conformance.checks.lifecycle.readers import reader_of, reading
from specwright.conformance.checks.lifecycle.written_members import (
    is_done,
    least,
    makes_freely,
    object_after,
    shared_properties,
)
from specwright.conformance.checks.requests.explore import success_now
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.ids import is_reference
from specwright.conformance.recording.exchange import Exchange
from specwright.findings import Level, values_of
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.names import snake
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY

CHANGES_AT_ONCE = BehaviourRule(
    "changes-at-once",
    BehaviourCategory.STATE,
    "Of two changes of different members that are made at the same time, both stay.",
    example=(
        'PATCH /items/7 {"title": "ab"} and PATCH /items/7 {"note": "cd"} at the same time -> 200 '
        "and 200, then GET /items/7 -> the title as it was"
    ),
    advice=(
        "Change only the columns of the members that were sent, or lock the row before it is read."
    ),
    level=Level.WARNING,
    weight=7,
)
NUMBERS_AT_ONCE = BehaviourRule(
    "numbers-at-once",
    BehaviourCategory.STATE,
    "Resources that are created at the same time have different numbers, as those that are "
    "created in turn have.",
    example="four times POST /invoices at the same time -> 201 with the number 8, twice",
    advice="Take numbers from a sequence of the database, or lock what they are counted from.",
    level=Level.WARNING,
    weight=7,
)

# A race is not always lost.
_ROUNDS = 3
_AT_ONCE = 4
# Values for members with a pattern, and for lists.
_TEXTS: tuple[JsonValue, ...] = ("first text", "another one", "Ab1", "Cd2")
_LISTS: tuple[JsonValue, ...] = (["first text"], ["another one"])
_NUMBERS = frozenset(("number", "no", "num", "sequence", "sequence_number", "serial"))
_ENDINGS = ("_number", "_no", "_sequence", "_serial")


@scenario(after="batches", name="at once")
def at_once(driver: Driver) -> None:
    """Change two members of a resource at once, and create several resources at once."""
    for operation in driver.contract.operations.values():
        is_change = operation.method == "PATCH" and operation.pointer not in driver.conditional
        is_free = operation.get(IDEMPOTENCY) is None and (is_change or makes_freely(operation))
        success = success_now(driver, operation) if is_free else None
        if success is None:
            continue
        if is_change:
            _change(driver, success[0])
        else:
            _create(driver, success[0])
        # Later calls must not use the values tried here.
        driver.successes[operation.pointer] = success


def _change(driver: Driver, call: OperationCall) -> None:
    """Change two members in turn, and then at the same time."""
    writer, reader = call.operation, reader_of(driver.contract, call.operation)
    members = list(islice(_changeable(driver.contract, writer, reader), 2))
    if reader is writer or len(members) < 2:
        return
    plain = least(driver.contract, call)
    states = list[JsonObject]()
    for number in (0, 1):
        shown: JsonObject = {}
        for name, values in members:
            result = object_after(driver, plain, reader, {name: values[number]})
            if result is None:
                return
            shown = result[0]
        states.append(shown)
    before = states[1]
    if any(states[0].get(name) == before.get(name) for name, _ in members):
        # A member that is not stored has a finding of its own.
        return
    driver.target.record.check(CHANGES_AT_ONCE, writer.pointer)
    for number in range(_ROUNDS):
        calls = [
            replace(
                driver.with_fresh_key(plain), body={**mapping(plain.body), name: values[number % 2]}
            )
            for name, values in members
        ]
        changed = _sent(driver, calls)
        if not all(is_done(exchange.response) for exchange in changed):
            return
        read = driver.send(reading(driver, call, reader))
        after = mapping(read.response.json_or_none) if read.response is not None else {}
        names = [name for name, _ in members]
        if any(name in after and after[name] == before.get(name) for name in names):
            # Which one it is depends on the moment.
            message = f"of changes of '{names[0]}' and '{names[1]}' at the same time, one is lost"
            cause = "of two changes at the same time, one is lost"
            driver.violate(CHANGES_AT_ONCE, writer, message, *changed, read, cause=cause)
            return
        before = after


def _changeable(
    contract: Contract, writer: ContractOperation, reader: ContractOperation
) -> Iterator[tuple[str, tuple[JsonValue, JsonValue]]]:
    """Yield members with two values that differ in any server."""
    for name, place, _ in shared_properties(contract, writer, reader):
        tried = [*contract.distinct_values(place), *_TEXTS, *_LISTS]
        fitting = (
            value for value in tried if not any(contract.strict_requests.problems(place, value))
        )
        values = list(islice(fitting, 2))
        if len(values) == 2 and not is_reference(name):
            yield name, (values[0], values[1])


def _create(driver: Driver, call: OperationCall) -> None:
    """Create two resources in turn, and then several at the same time."""
    turns = [driver.send(driver.renewed(call)) for _ in range(2)]
    first, second = (_shown(exchange) for exchange in turns)
    sent = mapping(call.body)
    names = [
        name
        for name, value in first.items()
        if type(value) is int
        and name not in sent
        and (snake(name) in _NUMBERS or snake(name).endswith(_ENDINGS))
        and type(second.get(name)) is int
        and second[name] != value
    ]
    for _ in range(_ROUNDS if names else 0):
        driver.target.record.check(NUMBERS_AT_ONCE, call.operation.pointer)
        creations = _sent(driver, [driver.renewed(call) for _ in range(_AT_ONCE)])
        for name in names:
            pair = _equal(creations, name)
            if pair is not None:
                message = f"two resources that were created at the same time have one '{name}'"
                cause = "two resources that were created at the same time have one number"
                driver.violate(
                    *(NUMBERS_AT_ONCE, call.operation, message, *pair),
                    cause=cause,
                    values=values_of(name),
                )
                return


def _equal(creations: Sequence[Exchange], name: str) -> tuple[Exchange, Exchange] | None:
    """Return two exchanges with the same number in their responses."""
    for one, other in combinations(creations, 2):
        number = _shown(one).get(name)
        if number is not None and number == _shown(other).get(name):
            return one, other
    return None


def _shown(exchange: Exchange) -> JsonObject:
    response = exchange.response
    return mapping(response.json_or_none) if response is not None and is_done(response) else {}


def _sent(driver: Driver, calls: Sequence[OperationCall]) -> list[Exchange]:
    """Send calls at the same time."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(driver.probe, calls))
