"""Reach every operation with success, by examples and along links."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from specwright.conformance.bench.workbench import Workbench
from specwright.conformance.contract.contract import Operation
from specwright.conformance.contract.resources import shape

# Successes of each operation that a run is content with.
ENOUGH = 5
# Without any progress: a new resource may need a moment, such as an order that is processed.
PATIENCE_SECONDS = 6.0
PAUSE_SECONDS = 0.2
# Operations that take something away come last, so that there is something left for the others.
LAST = ("DELETE",)


def explore(bench: Workbench) -> None:
    """Call every operation until it has succeeded, for as long as there is progress."""
    operations = sorted(bench.contract.operations.values(), key=_turn)
    pending = dict.fromkeys(each for each in operations if not takes_everything(each))
    ends, is_renewed = time.monotonic() + PATIENCE_SECONDS, False
    while pending and time.monotonic() < ends:
        reached = _reached(bench, [each for each in pending if not _is_last(each)])
        reached = reached or _reached(bench, [each for each in pending if _is_last(each)])
        for each in reached:
            del pending[each]
        if reached:
            ends = time.monotonic() + PATIENCE_SECONDS
            continue
        if not is_renewed:
            # What there is may have come to an end, such as an order that was shipped.
            is_renewed = True
            renew(bench)
            continue
        time.sleep(PAUSE_SECONDS)
        _reached(bench, _askable(bench, operations))
    for _ in range(ENOUGH - 1):
        for each in operations:
            if each.pointer in bench.made and not takes_everything(each):
                bench.succeed(each)


def renew(bench: Workbench) -> None:
    """Make one thing of each kind again: what was made before may be gone."""
    makers = [each for each in bench.contract.operations.values() if _makes(bench, each)]
    # One may need what another makes.
    _reached(bench, [each for each in makers if bench.succeed(each) is None])


def _makes(bench: Workbench, operation: Operation) -> bool:
    members = (*shape(operation.site.key), None)
    is_maker = operation.method == "POST" and members in bench.contract.members
    creates = is_maker or "201" in operation.responses
    return creates and not operation.template.names and operation.pointer in bench.made


def _reached(bench: Workbench, operations: Iterable[Operation]) -> list[Operation]:
    return [each for each in operations if bench.succeed(each) is not None]


def _askable(bench: Workbench, operations: Iterable[Operation]) -> list[Operation]:
    return [each for each in operations if each.is_safe and each.pointer in bench.made]


def _turn(operation: Operation) -> int:
    """What takes away comes last, a part before the whole."""
    return -len(shape(operation.site.key)) if _is_last(operation) else -sys.maxsize


def _is_last(operation: Operation) -> bool:
    return operation.method in LAST


def takes_everything(operation: Operation) -> bool:
    """Whether it is an order without any object, such as the reset of a sandbox."""
    responses = operation.responses
    makes = "201" in responses or any("links" in each.value for each in responses.values())
    return not (operation.is_safe or operation.has_body or operation.slots or makes)
