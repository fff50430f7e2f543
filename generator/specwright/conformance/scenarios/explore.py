"""Reach every operation with success, by examples and along links."""

from __future__ import annotations

import time
from collections.abc import Iterable

from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.contract import Operation

# Successes of each operation that a run is content with.
ENOUGH = 5
# What is made may need a moment until it leads on, such as an order that is worked on.
PATIENCE_SECONDS = 6.0
PAUSE_SECONDS = 0.2
# Operations that take something away come last, so that there is something left for the others.
LAST = ("DELETE",)


def explore(bench: Workbench) -> None:
    """Call every operation until it has succeeded, for as long as anything new is learnt."""
    operations = sorted(bench.contract.operations.values(), key=_is_last)
    pending = dict.fromkeys(each for each in operations if not takes_everything(each))
    ends = time.monotonic() + PATIENCE_SECONDS
    while pending and time.monotonic() < ends:
        reached = [each for each in pending if bench.succeed(each) is not None]
        for each in reached:
            del pending[each]
        if not reached:
            time.sleep(PAUSE_SECONDS)
            for each in _askable(bench, operations):
                bench.succeed(each)
    for _ in range(ENOUGH - 1):
        for each in operations:
            if each.pointer in bench.made and not takes_everything(each):
                bench.succeed(each)


def renew(bench: Workbench) -> None:
    """Make one thing of each kind again: what was made before may be gone."""
    for operation in bench.contract.operations.values():
        creates = "201" in operation.responses and not operation.template.names
        if creates and operation.pointer in bench.made:
            bench.succeed(operation)


def _askable(bench: Workbench, operations: Iterable[Operation]) -> list[Operation]:
    return [each for each in operations if each.is_safe and each.pointer in bench.made]


def _is_last(operation: Operation) -> bool:
    return operation.method in LAST


def takes_everything(operation: Operation) -> bool:
    """Whether it is an order without any object, such as the reset of a sandbox."""
    makes = "201" in operation.responses
    return not (operation.is_safe or operation.has_body or operation.slots or makes)
