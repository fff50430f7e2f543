"""The course of a call: its attempts, the pauses between them, and its end."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any, cast

from ..shared.operation import Operation
from .errors import (
    ApiConnectionError,
    ApiError,
    ApiStatusError,
    ApiTimeoutError,
    ResponseTooLargeError,
    StatusErrors,
    retry_after,
    status_error,
)
from .service import Options
from .transport import Request, Response, TransportError
from .transport import ResponseTooLargeError as TooLargeError

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LONGEST_RETRY_AFTER = 60.0

_logger = logging.getLogger(__name__.partition(".")[0])


class Pause(float):
    """Seconds to wait before the next attempt."""


Attempts = Generator[Request | Pause, Response | TransportError | None, Response]


def attempts(
    operation: Operation[Any], request: Request, options: Options, error: StatusErrors
) -> Attempts:
    """Yield what to send and how long to wait; return the answer of the attempt that succeeds.

    Raises:
        ApiError: the call failed for good.
    """
    retries = options.max_retries if operation.idempotent else 0
    deadline = options.deadline
    ends = None if deadline is None else time.monotonic() + deadline
    outcome: Response | TransportError | None = None
    for attempt in range(retries + 1):
        if ends is not None:
            left = ends - time.monotonic()
            if left <= 0:
                raise ApiTimeoutError(f"{operation.id}: the deadline of {deadline} s is over")
            request = replace(request, timeout=min(request.timeout, left), deadline=left)
        outcome = yield request
        if isinstance(outcome, Response):
            _logger.debug("%s %s: %d", request.method, operation.path, outcome.status)
            if 200 <= outcome.status < 300:
                return outcome
            pause = _pause(operation, outcome, attempt)
        else:
            is_final = isinstance(outcome, TooLargeError)
            pause = None if is_final else _backoff(attempt)
        out_of_time = ends is not None and time.monotonic() + (pause or 0) >= ends
        if pause is None or attempt == retries or out_of_time:
            break
        _logger.info("%s: attempt %d in %.1f s", operation.id, attempt + 2, pause)
        yield Pause(pause)
    if isinstance(outcome, Response):
        pagination = operation.pagination
        raise status_error(outcome, error, pagination.expired if pagination else None)
    failure = cast("TransportError", outcome)
    raise _kind(failure)(f"{operation.id}: {failure}") from failure


def _kind(failure: TransportError) -> type[ApiError]:
    if isinstance(failure, TooLargeError):
        return ResponseTooLargeError
    return ApiTimeoutError if failure.timed_out else ApiConnectionError


def is_temporary(error: ApiError) -> bool:
    """Tell whether the same call, which may be repeated, can succeed later."""
    if isinstance(error, ApiStatusError):
        return error.status in RETRIED
    return isinstance(error, ApiConnectionError)


def _pause(operation: Operation[Any], response: Response, attempt: int) -> float | None:
    """Seconds to wait after an answer; None when another attempt cannot help."""
    if response.status not in RETRIED and response.status != operation.in_progress:
        return None
    asked = retry_after(response)
    if asked is None:
        return _backoff(attempt)
    return asked if asked <= LONGEST_RETRY_AFTER else None


def _backoff(attempt: int) -> float:
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    # Half of it is chance, so that clients that failed together do not return together.
    return longest * (0.5 + random.random() / 2)
