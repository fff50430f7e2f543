"""Calls that cause webhooks (`x-contract-trigger`)."""

from __future__ import annotations

import time

from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange
from specwright.vocabulary.keywords.capacity import CAPACITY

# A prerequisite of an operation may take a moment, such as the result of an order.
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.2


def cause(driver: Driver, name: str, example: str | None) -> Exchange:
    """Call an operation with its request example of this name, or with any call that succeeds.

    Prerequisites are created as needed. Returns the exchange, or the last one if none succeeds.
    """
    operation = driver.contract.by_id[name]
    call = None if example is None else driver.example(operation, example)
    if call is not None:
        return driver.send(call)
    ends = time.monotonic() + _PATIENCE_SECONDS
    while True:
        success = driver.first_success(operation)
        if success is not None:
            return success[1]
        if time.monotonic() > ends:
            return driver.target.record.exchanges[-1]
        _prepare(driver, operation)
        time.sleep(_PAUSE_SECONDS)


def _prepare(driver: Driver, operation: ContractOperation) -> None:
    """Call operations that may provide the values that an operation needs."""
    for other in driver.contract.operations.values():
        if other.pointer != operation.pointer and (
            other.is_safe or other.pointer not in driver.successes
        ):
            creates = other.has_body and not other.slots and other.get(CAPACITY) is None
            if other.is_safe or creates:
                driver.first_success(other)
