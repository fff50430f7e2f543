"""Calls that cause webhooks (`x-contract-trigger`)."""

from __future__ import annotations

import time

from specwright.conformance.contract.contract import Operation
from specwright.conformance.driver.workbench import Workbench
from specwright.conformance.recording.exchange import Exchange
from specwright.vocabulary.keywords.capacity import CAPACITY

# A prerequisite of an operation may take a moment, such as the result of an order.
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.2


def cause(bench: Workbench, name: str, example: str | None) -> Exchange:
    """Call an operation with its request example of this name, or with any call that succeeds.

    Prerequisites are created as needed. Returns the exchange, or the last one if none succeeds.
    """
    operation = bench.contract.by_id[name]
    call = None if example is None else bench.example(operation, example)
    if call is not None:
        return bench.send(call)
    ends = time.monotonic() + _PATIENCE_SECONDS
    while True:
        made = bench.succeed(operation)
        if made is not None:
            return made[1]
        if time.monotonic() > ends:
            return bench.target.record.exchanges[-1]
        _prepare(bench, operation)
        time.sleep(_PAUSE_SECONDS)


def _prepare(bench: Workbench, operation: Operation) -> None:
    """Call operations that may provide the values that an operation needs."""
    for each in bench.contract.operations.values():
        if each.pointer != operation.pointer and (each.is_safe or each.pointer not in bench.made):
            creates = each.has_body and not each.slots and each.get(CAPACITY) is None
            if each.is_safe or creates:
                bench.succeed(each)
