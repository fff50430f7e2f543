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


def moment(milliseconds: int) -> datetime:
    """Return a wall time as the contract shows it, in whole seconds.

    With a fraction, one in a thousand would be written without it and be of another form.
    """
    return _EPOCH + timedelta(seconds=milliseconds // SECOND)
