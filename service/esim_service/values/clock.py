"""Time as the service sees it: wall time in milliseconds, and a second hand that never jumps."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int:
        """Return the wall time in milliseconds since 1970 (UTC)."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody sets."""
        ...


class SystemClock:
    """The time of this machine."""

    def now(self) -> int:
        """Return the wall time in milliseconds since 1970 (UTC)."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody sets."""
        return time.monotonic()


class ManualClock:
    """A time that stands still until it is moved; for tests and simulations."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self._now = now
        self._passed = 0

    def now(self) -> int:
        """Return the wall time in milliseconds since 1970 (UTC)."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds by which the clock was advanced."""
        return self._passed / SECOND

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self._now += milliseconds
        self._passed += milliseconds

    def adjust(self, milliseconds: int) -> None:
        """Set the wall clock forward or back without any time passing."""
        self._now += milliseconds


def moment(milliseconds: int) -> datetime:
    """Return a wall time as the contract's models want it."""
    return _EPOCH + timedelta(milliseconds=milliseconds)
