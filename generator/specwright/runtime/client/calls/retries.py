"""Retries: the attempts of a call, the pauses between them, and the outcome."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, cast

from ...shared.operation import Operation
from ..errors import (
    ApiConnectionError,
    ApiError,
    ApiStatusError,
    ApiTimeoutError,
    ResponseTooLargeError,
    StatusErrors,
    retry_after,
    status_error,
)
from ..options import CallOptions
from ..transport.base import BodyTooLargeError, Request, Response, TransportError

# Proxies use 520 to 529 when the service behind them fails.
RETRIED = frozenset({408, 429, 500, 502, 503, 504, *range(520, 530)})
GONE = frozenset({404, 410})
# Minimum seconds of an attempt; 0 would make sockets non-blocking.
SHORTEST = 0.001
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LONGEST_RETRY_AFTER = 60.0

_logger = logging.getLogger(__name__.partition(".")[0])


# Called with the response to each attempt.
observer: ContextVar[Callable[[Response], None] | None] = ContextVar("observer", default=None)


class Pause(float):
    """Seconds to wait before the next attempt."""


Attempts = Generator[Request | Pause, Response | TransportError | None, Response]


def attempts(
    operation: Operation[Any], request: Request, options: CallOptions, error: StatusErrors
) -> Attempts:
    """Yield requests to send and pauses to wait; return the response of the successful attempt.

    Raises:
        ApiError: the call failed and is not retried.
    """
    retries = options.max_retries if operation.idempotent and is_repeatable(request) else 0
    deadline = options.deadline
    ends = math.inf if deadline is None else time.monotonic() + deadline
    may_be_done = False
    count = 0
    while True:
        if deadline is not None:
            request = replace(request, deadline=max(SHORTEST, ends - time.monotonic()))
        began = time.monotonic()
        outcome = cast("Response | TransportError", (yield request))
        count += 1
        fields = _fields(operation, outcome, count, time.monotonic() - began, error)
        if isinstance(outcome, Response):
            observe = observer.get()
            if observe is not None:
                observe(outcome)
            if options.traffic_report is not None:
                options.traffic_report.add(operation, outcome, error.codecs)
            _logger.debug(
                "%s %s: %d", operation.method, operation.path, outcome.status, extra=fields
            )
            if _is_success(operation, outcome) or (may_be_done and _is_gone(operation, outcome)):
                return outcome
            pause = _pause(operation, outcome, count, error)
            cause = f"status {outcome.status}"
        else:
            _logger.debug("%s %s: %s", operation.method, operation.path, outcome, extra=fields)
            pause = None if isinstance(outcome, BodyTooLargeError) else backoff(count)
            cause = str(outcome)
        may_be_done = may_be_done or _may_be_done(outcome)
        if pause is None or count > retries or time.monotonic() + pause >= ends:
            break
        _logger.info(
            "%s: attempt %d in %.1f s, after: %s",
            operation.id,
            count + 1,
            pause,
            cause,
            extra={**fields, "pause": pause},
        )
        yield Pause(pause)
        if time.monotonic() >= ends:
            break
    if isinstance(outcome, Response):
        raise status_error(outcome, error, operation)
    is_over = time.monotonic() >= ends
    over = f", the deadline of {deadline:g} s has passed" if is_over else ""
    where = f"{request.method} {request.route}, {count} {'attempt' if count == 1 else 'attempts'}"
    raise _kind(outcome, is_over)(f"{operation.id}: {outcome}{over}, {where}") from outcome


def _fields(
    operation: Operation[Any],
    outcome: Response | TransportError,
    count: int,
    seconds: float,
    error: StatusErrors,
) -> Mapping[str, object]:
    """Return the fields of log records about an attempt; none is secret."""
    response = outcome if isinstance(outcome, Response) else None
    name = error.shape.request_id_header
    return {
        "operation": operation.id,
        "method": operation.method,
        "path": operation.path,
        "status": response and response.status,
        "attempt": count,
        "seconds": round(seconds, 3),
        "request_id": response.header(name) if response and name else None,
    }


def _kind(failure: TransportError, is_over: bool) -> type[ApiError]:
    if isinstance(failure, BodyTooLargeError):
        return ResponseTooLargeError
    return ApiTimeoutError if failure.timed_out or is_over else ApiConnectionError


def is_repeatable(request: Request) -> bool:
    """Return whether the body of a request can be sent again."""
    return request.chunks is None or request.chunks.is_repeatable


def is_temporary(error: ApiError) -> bool:
    """Return whether a call that failed with this error may succeed when retried."""
    if isinstance(error, ApiStatusError):
        return error.status in RETRIED
    return isinstance(error, ApiConnectionError)


def _pause(
    operation: Operation[Any], response: Response, count: int, error: StatusErrors
) -> float | None:
    """Return the seconds to wait after a response; None if it should not be retried."""
    if response.status not in RETRIED and not _is_in_progress(operation, response, error):
        return None
    asked = retry_after(response)
    if asked is None:
        return backoff(count)
    return asked if asked <= LONGEST_RETRY_AFTER else None


def _is_in_progress(operation: Operation[Any], response: Response, error: StatusErrors) -> bool:
    """Return whether the response is the declared one for a request still in progress."""
    declared = operation.in_progress
    if declared is None or response.status != declared.status:
        return False
    return declared.code in (None, status_error(response, error).code)


def _may_be_done(outcome: Response | TransportError) -> bool:
    """Return whether a failed attempt may have reached the service and taken effect."""
    if isinstance(outcome, Response):
        return outcome.status >= 500
    return outcome.step not in ("connect", "pool")


def _is_success(operation: Operation[Any], response: Response) -> bool:
    return 200 <= response.status < 300 or operation.redirects_by(response.status)


def _is_gone(operation: Operation[Any], response: Response) -> bool:
    """Return whether a response means that the resource is already gone."""
    return operation.method == "DELETE" and not operation.has_result and response.status in GONE


def backoff(count: int) -> float:
    """Return the seconds to wait after failed attempts, of which there were `count`."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (count - 1))
    # Half of it is random, so that clients that failed together do not retry together.
    return longest * (0.5 + random.random() / 2)
