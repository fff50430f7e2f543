"""Successful calls of every operation, by examples and along links."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import groupby

from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.resources import shape, up_to_variables
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.sign_in import SOURCE as SIGN_IN
from specwright.conformance.recording.exchange import Exchange
from specwright.names import snake
from specwright.vocabulary.keywords.reset import RESET

# The number of successes of each operation that is enough for a run.
ENOUGH = 5
# Without progress: a new resource may take a moment, such as an order that is processed. A slow
# server gets the same number of attempts as another one.
PATIENCE_SECONDS = 6.0
PAUSE_SECONDS = 0.2
_LEAST_ATTEMPTS = 3
# Deletions come last, so that the other operations find resources; where DELETE does not fit, as
# for several at once, a word in the path tells.
_DELETIONS = frozenset(("delete", "remove", "purge", "clear", "destroy", "drop", "truncate"))


@scenario(share=20)
def explore(driver: Driver) -> None:
    """Call every operation until it has succeeded, for as long as there is progress."""
    operations = _in_turn([*driver.contract.operations.values()])
    pending = dict.fromkeys(
        operation for operation in operations if not takes_everything(driver.contract, operation)
    )
    ends, is_renewed, is_seen = time.monotonic() + PATIENCE_SECONDS, False, False
    # A sign-in that has succeeded needs a password that no document has.
    idle = 0
    while not pending.keys() <= _signed_in(driver) and (
        time.monotonic() < ends or idle < _LEAST_ATTEMPTS
    ):
        idle += 1
        reached = _pass(driver, [operation for operation in pending if not _is_last(operation)])
        if not (reached or is_seen):
            # All that could be made is there: no list will be fuller.
            is_seen = True
            _reached(driver, _askable(driver, operations))
        reached = reached or _reached(
            driver, [operation for operation in pending if _is_last(operation)]
        )
        for operation in reached:
            del pending[operation]
        if reached:
            ends, idle = time.monotonic() + PATIENCE_SECONDS, 0
            continue
        # A single operation may always fail so.
        is_locked = 2 * sum(
            operation.pointer in driver.busy_operations for operation in pending
        ) > len(pending)
        if not is_renewed and (not is_locked or time.monotonic() > ends - PATIENCE_SECONDS / 2):
            # The existing resources may be in a final state, such as an order that was shipped.
            is_renewed = True
            renew(driver)
            # A new one may hinder everything else, as the first one did until it was deleted.
            pending |= dict.fromkeys(
                operation for operation in operations if _deletes(driver, operation)
            )
            continue
        time.sleep(PAUSE_SECONDS)
        # What has changed meanwhile is of use to those that were not refused for a lock.
        _reached(driver, () if is_locked else _askable(driver, operations))
    again = [
        operation for operation in operations if not takes_everything(driver.contract, operation)
    ]
    # The last round deletes nothing: the scenarios that follow need resources.
    for operation in (
        *again * (ENOUGH - 2),
        *(operation for operation in again if not _is_last(operation)),
    ):
        if operation.pointer in driver.successes:
            driver.first_success(operation)


def _pass(driver: Driver, operations: Iterable[ContractOperation]) -> list[ContractOperation]:
    """Call each operation, again as soon as later ones have given it other values.

    What is made last may hinder everything else, such as a rule that fires all the time.
    """
    reached, failed = list[ContractOperation](), list[ContractOperation]()
    for _, those in groupby(operations, lambda each: shape(each.site.key)[:1]):
        group = list(those)
        reached += _reached(driver, group)
        reached += _reached(driver, filter(driver.has_new_candidates, failed))
        failed = [operation for operation in (*failed, *group) if operation not in reached]
    return reached


def renew(driver: Driver) -> None:
    """Create one resource of each kind again, as earlier ones may be gone."""
    makers = [
        operation for operation in driver.contract.operations.values() if _makes(driver, operation)
    ]
    # One may need a resource that another one creates.
    _reached(driver, [maker for maker in makers if driver.first_success(maker) is None])


def success_now(
    driver: Driver, operation: ContractOperation
) -> tuple[OperationCall, Exchange] | None:
    """Return a call that succeeds; with new resources if those of earlier calls are gone."""
    success = driver.first_success(operation)
    if success is not None or operation.pointer not in driver.successes:
        return success
    renew(driver)
    above = [part[:-1] for part, _ in up_to_variables(operation.site.key)]
    for collection in reversed(above):
        for maker in driver.contract.operations.values():
            if maker.method == "POST" and shape(maker.site.key) == collection:
                driver.first_success(maker)
    return driver.first_success(operation)


def _makes(driver: Driver, operation: ContractOperation) -> bool:
    members = (*shape(operation.site.key), None)
    is_maker = operation.method == "POST" and members in driver.contract.members
    creates = is_maker or "201" in operation.responses
    return creates and not operation.template.names and operation.pointer in driver.successes


def _reached(driver: Driver, operations: Iterable[ContractOperation]) -> list[ContractOperation]:
    return [operation for operation in operations if driver.first_success(operation) is not None]


def _askable(driver: Driver, operations: Iterable[ContractOperation]) -> list[ContractOperation]:
    return [
        operation
        for operation in operations
        if operation.is_safe and operation.pointer in driver.successes
    ]


def _in_turn(operations: Sequence[ContractOperation]) -> list[ContractOperation]:
    """Sort the deletions to the end: first the kind that was made last, nested resources first."""
    first = [operation for operation in operations if not _is_last(operation)]
    shapes = {
        operation: shape(operation.site.key) for operation in operations if _is_last(operation)
    }
    kinds = [shape(operation.site.key)[:1] for operation in operations]
    last = sorted(shapes, key=lambda each: (-kinds.index(shapes[each][:1]), -len(shapes[each])))
    return first + last


def _signed_in(driver: Driver) -> set[ContractOperation]:
    """Return the operations by which the run has obtained its credentials."""
    pointers = {
        exchange.operation
        for exchange in driver.target.record.exchanges
        if exchange.source == SIGN_IN and exchange.succeeded
    }
    operations = driver.contract.operations
    return {operations[pointer] for pointer in operations.keys() & pointers}


def _deletes(driver: Driver, operation: ContractOperation) -> bool:
    is_command = takes_everything(driver.contract, operation)
    return _is_last(operation) and not is_command and operation.pointer in driver.successes


def _is_last(operation: ContractOperation) -> bool:
    command = operation.site.key.rstrip("/").rpartition("/")[2]
    is_command = operation.method == "POST" and "{" not in command
    words = snake(command).split("_") if is_command else ()
    return operation.method == "DELETE" or not _DELETIONS.isdisjoint(words)


def takes_everything(contract: Contract, operation: ContractOperation) -> bool:
    """Return whether an operation is a command without an object, such as a sandbox reset.

    Where a member of its path can be named, it makes one: a job without arguments.
    """
    responses = operation.responses
    makes = "201" in responses or any("links" in response.value for response in responses.values())
    makes = makes or (*shape(operation.site.key), None) in contract.members
    is_command = not (operation.is_safe or operation.has_body or operation.slots or makes)
    return is_command or operation.get(RESET) is not None
