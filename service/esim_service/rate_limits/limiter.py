"""Rate limits: an exact maximum of requests per key in any window."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Protocol

from partner_esim.server import Allowance, Context, RateLimitClass

from ..api.slots import Slots
from ..store.changes.database import UnavailableError
from ..values.clock import Clock
from ..values.entities import Principal
from ..values.problems import unavailable

# Hundreds of requests of one partner that are counted before those of others would delay these.
_COUNTS_PER_SCOPE = 16


class Windows(Protocol):
    """Counts requests in sliding windows, shared by all processes that serve one key.

    Every request of the last window is stored: a counter per minute would allow twice the limit
    around the turn of the minute, and a leaky bucket nearly that.
    """

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full.

        Raises:
            UnavailableError: requests cannot be counted now.
        """
        ...

    async def check(self) -> None:
        """Check that requests can be counted.

        Raises:
            UnavailableError: they cannot.
        """
        ...


def verdict(is_allowed: bool, used: int, wait_seconds: float, limit: int) -> Allowance:
    """Return the verdict on a request; `used` counts those in the window, itself included."""
    # The limit of a key may have been lowered after the requests were counted.
    return Allowance(is_allowed, max(0, limit - used), max(1, math.ceil(wait_seconds)), limit)


class LocalWindows:
    """The windows of a process that serves alone."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken: dict[str, deque[float]] = {}

    def all(self) -> Iterator[tuple[str, float]]:
        """Return the counted requests: buckets, and times on the monotonic clock."""
        return ((bucket, time) for bucket, times in self._taken.items() for time in times)

    def restore(self, bucket: str, taken_at: float) -> None:
        """Count a request that an earlier process allowed; call in order of time."""
        self._taken.setdefault(bucket, deque()).append(taken_at)

    def forget(self, seconds: float) -> None:
        """Drop buckets without requests in the last `seconds`."""
        start = self._clock.monotonic() - seconds
        for bucket, times in tuple(self._taken.items()):
            if times and times[-1] <= start:
                del self._taken[bucket]

    async def check(self) -> None:
        """Do nothing, as this process can always count."""

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full."""
        now = self._clock.monotonic()
        times = self._taken.setdefault(bucket, deque())
        while times and times[0] + window_seconds <= now:
            times.popleft()
        is_allowed = len(times) < limit
        if is_allowed:
            times.append(now)
        # If the limit was lowered, more than the oldest request has to expire. A limit of
        # zero leaves no request to wait for.
        place = max(0, len(times) - limit)
        wait = times[place] + window_seconds - now if place < len(times) else window_seconds
        return verdict(is_allowed, len(times), wait, limit)


class KeyLimiter:
    """The limits of the contract per key, or the key's own limits."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._slots = Slots(_COUNTS_PER_SCOPE)

    async def take(self, limit: RateLimitClass, context: Context) -> Allowance:
        """Count a request of its key; a request that cannot be counted is rejected."""
        principal: Principal = context.principal
        own = principal.read_limit if limit.name == "read" else principal.write_limit
        allowed = limit.limit if own is None else own
        bucket = f"{principal.key_id}/{limit.name}"
        try:
            async with self._slots.take(principal.scope):
                return await self._windows.take(bucket, allowed, limit.window_seconds)
        except UnavailableError:
            raise unavailable() from None
