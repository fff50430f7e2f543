"""Reach every operation with success, by examples and along links."""

from __future__ import annotations

import time
from collections.abc import Iterable

from specwright.conformance.contract import Operation
from specwright.conformance.record import Violation
from specwright.conformance.workbench import Workbench
from specwright.pointer import join
from specwright.vocabulary.keywords.reset import RESET, Reset

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
    pending = dict.fromkeys(each for each in operations if not _takes_everything(each))
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
            if each.pointer in bench.made and not _takes_everything(each):
                bench.succeed(each)


def finish(bench: Workbench) -> None:
    """Call what takes everything away, once nothing else needs it."""
    for each in bench.contract.operations.values():
        if _takes_everything(each):
            made = [bench.succeed(each) for _ in range(ENOUGH)]
            if each.declared["reset"] is None:
                continue
            if not any(made):
                reason = "the operation never succeeded"
                bench.target.record.skip("reset", each.pointer + join(RESET.name), reason)
            else:
                _is_empty(bench, each, each.declared["reset"])


def _is_empty(bench: Workbench, operation: Operation, declared: Reset) -> None:
    """Look into the lists that a reset empties (`x-contract-reset`)."""
    record, place = bench.target.record, operation.pointer + join(RESET.name)
    for name in declared.empties:
        each = bench.contract.by_id[name.raw]
        page, found = each.declared["pagination"], bench.succeed(each)
        if page is None or found is None or found[1].response is None:
            record.skip("reset", place, f"{each.name} never succeeded, or is no list")
            continue
        record.check("reset", place)
        if found[1].response.at(page.items.raw):
            message = f"{operation.name}: {each.name} is not empty afterwards"
            record.violate(Violation("reset", place, message, (found[1],)))


def _askable(bench: Workbench, operations: Iterable[Operation]) -> list[Operation]:
    return [each for each in operations if each.is_safe and each.pointer in bench.made]


def _is_last(operation: Operation) -> bool:
    return operation.method in LAST


def _takes_everything(operation: Operation) -> bool:
    """Whether it is an order without any object, such as the reset of a sandbox."""
    makes = "201" in operation.responses
    return not (operation.is_safe or operation.has_body or operation.slots or makes)
