"""Many calls at a time, within the limits of a service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock
from typing import TypeVar

from ..errors import ApiError, retry_after
from ..transport.base import Response
from ..wire.headers import Fields
from ..wire.rate_limits import rate_limit
from .retries import LONGEST_RETRY_AFTER, observer

T = TypeVar("T")

# The names of the IETF draft, for services that do not declare others.
_POLICY, _STATE = "ratelimit-policy", "ratelimit"


class Gate:
    """Lets calls begin, but not while the service asks to wait.

    Args:
        headers: the names of the headers with the rate limit; None for those of the IETF draft.
        clock: returns the time in seconds.
    """

    def __init__(self, headers: tuple[str | None, str | None], clock: Callable[[], float]) -> None:
        self._headers = headers[0] or _POLICY, headers[1] or _STATE
        self._clock = clock
        self._lock = Lock()
        self._running = 0
        # No call may begin before the first time, and only so many before the second one.
        self._opens = self._resets = clock()
        self._left = 0

    def enter(self) -> float:
        """Begin a call and return 0, or return the seconds to wait before trying again."""
        with self._lock:
            opens = self._opens if self._left else max(self._opens, self._resets)
            wait = opens - self._clock()
            if wait > 0:
                return wait
            self._left = max(0, self._left - 1)
            self._running += 1
            return 0.0

    def leave(self) -> None:
        """End a call."""
        with self._lock:
            self._running -= 1

    def observe(self, response: Response) -> None:
        """Take the limits into account that the response to an attempt names."""
        asked = retry_after(response) if response.status in (429, 503) else None
        limit = rate_limit(Fields(response.headers), *self._headers)
        now = self._clock()
        with self._lock:
            if asked is not None:
                self._opens = max(self._opens, now + min(asked, LONGEST_RETRY_AFTER))
            elif limit is not None and limit.remaining is not None and limit.reset_seconds:
                self._resets = now + min(limit.reset_seconds, LONGEST_RETRY_AFTER)
                # The service may not have counted the other calls yet.
                self._left = max(0, limit.remaining - self._running + 1)


@contextmanager
def _observed(gate: Gate) -> Generator[None]:
    token = observer.set(gate.observe)
    try:
        yield
    finally:
        observer.reset(token)


def run_all(
    calls: Iterable[Callable[[], T]],
    concurrency: int,
    gate: Gate,
    sleep: Callable[[float], None],
) -> list[T | ApiError]:
    """Make calls in threads, and return their results and errors in order.

    An exception of another kind ends it after the calls under way.
    """
    # Imported late: programs without threads never load it.
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    source = enumerate(calls)
    lock = Lock()
    outcomes: dict[int, T | ApiError] = {}
    is_stopped = False

    def work() -> None:
        while not is_stopped:
            with lock:
                numbered = next(source, None)
            if numbered is None:
                return
            number, call = numbered
            while (pause := gate.enter()) > 0:
                sleep(pause)
            try:
                outcomes[number] = call()
            except ApiError as error:
                outcomes[number] = error
            finally:
                gate.leave()

    with _observed(gate), ThreadPoolExecutor(concurrency) as threads:
        # The threads have the context of the caller, and with it its traces.
        workers = [threads.submit(copy_context().run, work) for _ in range(concurrency)]
        try:
            wait(workers, return_when=FIRST_EXCEPTION)
        finally:
            is_stopped = True
        for worker in workers:
            worker.result()
    return [outcomes[number] for number in range(len(outcomes))]


async def run_all_async(
    calls: Iterable[Callable[[], Awaitable[T]]],
    concurrency: int,
    gate: Gate,
    sleep: Callable[[float], Awaitable[None]],
) -> list[T | ApiError]:
    """Make calls in tasks, and return their results and errors in order.

    An exception of another kind cancels the calls under way.
    """
    # Imported late, as in `flows`.
    import asyncio

    source = enumerate(calls)
    outcomes: dict[int, T | ApiError] = {}

    async def work() -> None:
        for number, call in source:
            while (pause := gate.enter()) > 0:
                await sleep(pause)
            try:
                outcomes[number] = await call()
            except ApiError as error:
                outcomes[number] = error
            finally:
                gate.leave()

    with _observed(gate):
        workers = [asyncio.create_task(work()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [outcomes[number] for number in range(len(outcomes))]
