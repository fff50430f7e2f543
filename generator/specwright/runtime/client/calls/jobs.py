"""Jobs that a service has accepted, and finishes later (RFC 9110, 15.3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import SplitResult, urljoin, urlsplit

from ..errors import (
    ApiStatusError,
    ApiTimeoutError,
    InvalidArgumentError,
    InvalidResponseError,
    WaitTimeoutError,
    retry_after,
)
from ..transport.base import Response
from .flows import CallStep, Flow, YieldStep
from .retries import Pause
from .waiting import GROWTH, LONGEST_PAUSE

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)

FIRST_PAUSE = 1.0
SHORTEST_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Reading:
    """A request for the state of a job, and the seconds that are left for it."""

    url: str
    seconds: float

    @property
    def host(self) -> str:
        """The host of the URL, with its port."""
        return urlsplit(self.url).netloc


@dataclass(frozen=True, slots=True)
class JobState(Generic[Value_co]):
    """A response about a job.

    Attributes:
        url: that of the request.
        value: for the caller.
    """

    url: str
    response: Response
    value: Value_co


def waiting(
    name: str,
    accepted: JobState[object],
    timeout: float,
    is_done: Callable[[Value], bool],
    clock: Callable[[], float],
) -> Flow[Reading, Value, JobState[Value]]:
    """Return the flow that reads the state of a job until it is done.

    Its state is at the `Operation-Location` or the `Location` of the responses. A 303 names the
    place of the result. The pauses are as long as `Retry-After` says; without it, they grow.

    Args:
        name: of the call, for messages.
        timeout: seconds in total.
        clock: returns the time in seconds.

    Raises:
        InvalidArgumentError: nothing was accepted, or the timeout is not valid.
        InvalidResponseError: the response names no place of the same origin.
    """
    if not timeout >= 0:
        raise InvalidArgumentError("timeout: must be a number of seconds")
    if accepted.response.status != 202:
        raise InvalidArgumentError(f"accepted: the status is not 202 ({accepted.response.status})")
    url = _next_place(name, accepted.url, accepted.response)
    if url is None:
        raise InvalidResponseError(
            f"{name}: the response names no place of the job", accepted.response
        )
    return _waiting(name, accepted, url, timeout, is_done, clock)


def _waiting(
    name: str,
    accepted: JobState[object],
    url: str,
    timeout: float,
    is_done: Callable[[Value], bool],
    clock: Callable[[], float],
) -> Flow[Reading, Value, JobState[Value]]:
    ends = clock() + timeout
    growing = FIRST_PAUSE
    response, last = accepted.response, accepted.value
    while True:
        asked = retry_after(response)
        pause = growing if asked is None else max(asked, SHORTEST_PAUSE)
        if clock() + pause >= ends:
            raise WaitTimeoutError(name, timeout, last)
        yield Pause(pause)
        growing = min(growing * GROWTH, LONGEST_PAUSE)
        try:
            state = yield CallStep(Reading(url, ends - clock()))
        except ApiStatusError as error:
            result = _next_place(name, url, error.response) if error.status == 303 else None
            if result is None:
                raise
            state = yield CallStep(Reading(result, ends - clock()))
            yield YieldStep(state.value)
            return
        except ApiTimeoutError as error:
            if ends - clock() > SHORTEST_PAUSE:
                raise
            raise WaitTimeoutError(name, timeout, last) from error
        if is_done(state.value):
            yield YieldStep(state.value)
            return
        response, last = state.response, state.value
        url = _next_place(name, url, response) or url


def _next_place(name: str, url: str, response: Response) -> str | None:
    """Return the URL in a response; None without one.

    Raises:
        InvalidResponseError: it has another origin, where credentials must not go.
    """
    place = response.header("operation-location") or response.header("location")
    if place is None:
        return None
    target = _target(url, place)
    if target is None:
        # Without the URL, whose query may be secret.
        raise InvalidResponseError(f"{name}: the place of the job has another origin", response)
    return target


def _target(url: str, place: str) -> str | None:
    """Return the URL of a place; None if it is not valid or has another origin."""
    try:
        target = urljoin(url, place)
        is_own = _origin(urlsplit(target)) == _origin(urlsplit(url))
    except ValueError:
        return None
    is_plain = target.isascii() and target.isprintable() and " " not in target
    return target if is_own and is_plain else None


def _origin(url: SplitResult) -> tuple[str, str | None, str | None, int | None]:
    """Return the scheme, user, host and port of a URL."""
    return url.scheme, url.username, url.hostname, url.port
