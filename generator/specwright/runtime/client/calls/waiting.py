"""Polling of a resource until it is in one of its final states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...shared.operation import FinalStates, Operation
from ..errors import ApiTimeoutError, InvalidArgumentError, WaitTimeoutError
from .flows import CallStep, Flow, YieldStep
from .retries import Pause

T = TypeVar("T")

GROWTH = 1.5
LONGEST_PAUSE = 10.0


def wait(operation: Operation[T], timeout: float, clock: Callable[[], float]) -> Flow[float, T, T]:
    """Return the flow that reads a value until it is final.

    Each question is the number of remaining seconds. The pauses start at the declared interval and
    grow; near the end they are half of the remaining time, so that the last read is not long before
    the timeout.

    Args:
        timeout: seconds in total.
        clock: returns the time in seconds.

    Raises:
        InvalidArgumentError: the timeout is not a valid number of seconds.
    """
    if not timeout >= 0:
        raise InvalidArgumentError("timeout: must be a number of seconds")
    assert operation.final is not None
    return _waiting(operation.id, operation.final, timeout, clock)


def _waiting(
    operation_id: str, final: FinalStates, timeout: float, clock: Callable[[], float]
) -> Flow[float, T, T]:
    ends = clock() + timeout
    pause, longest = final.interval, max(LONGEST_PAUSE, final.interval)
    value: T | None = None
    while (left := ends - clock()) > 0:
        try:
            value = yield CallStep(left)
        except ApiTimeoutError as error:
            if ends - clock() > final.interval:
                raise
            raise WaitTimeoutError(operation_id, timeout, value) from error
        if final.include(value):
            yield YieldStep(value)
            return
        left = ends - clock()
        now = max(final.interval, min(pause, left / 2))
        if now >= left:
            break
        yield Pause(now)
        pause = min(pause * GROWTH, longest)
    raise WaitTimeoutError(operation_id, timeout, value)
