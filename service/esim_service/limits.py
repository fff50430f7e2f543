"""Rate limits: at most so many requests of a key in any window, exactly."""

from __future__ import annotations

import math
from collections import deque
from typing import Protocol

from partner_esim.server import Allowance, Context, RateLimit

from .clock import Clock
from .domain.entities import Principal


class Windows(Protocol):
    """Counts requests in windows that slide; shared by all processes that serve one key."""

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full."""
        ...


class LocalWindows:
    """The windows of a process that serves alone.

    Every request of the last window is remembered, because a counter per minute would let twice
    the limit through around the turn of the minute.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken: dict[str, deque[float]] = {}

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full."""
        now = self._clock.monotonic()
        taken = self._taken.setdefault(bucket, deque())
        while taken and taken[0] + window_seconds <= now:
            taken.popleft()
        is_allowed = len(taken) < limit
        if is_allowed:
            taken.append(now)
        # A limit of zero leaves nothing that could expire.
        reset = taken[0] + window_seconds - now if taken else window_seconds
        # The limit of a key may have been lowered since the requests were counted.
        return Allowance(is_allowed, max(0, limit - len(taken)), max(1, math.ceil(reset)), limit)


class KeyLimiter:
    """The limits of the contract per key, or those that the key was given instead."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, limit: RateLimit, context: Context) -> Allowance:
        """Count a request of the key behind it."""
        principal: Principal = context.principal
        own = principal.read_limit if limit.name == "read" else principal.write_limit
        allowed = limit.limit if own is None else own
        bucket = f"{principal.key_id}/{limit.name}"
        return await self._windows.take(bucket, allowed, limit.window_seconds)
