"""Time as used by the service: wall time in milliseconds, and monotonic time."""

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
    """A source of time."""

    def now(self) -> int:
        """Return the wall time in milliseconds since 1970 (UTC)."""
        ...

    def monotonic(self) -> float:
        """Return the seconds of a monotonic clock."""
        ...


class SystemClock:
    """The time of this machine."""

    def now(self) -> int:
        """Return the wall time in milliseconds since 1970 (UTC)."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()


def moment(milliseconds: int) -> datetime:
    """Return a wall time in the contract's precision, in whole seconds.

    With fractions, one time in a thousand would have none and be written in another form.
    """
    return _EPOCH + timedelta(seconds=milliseconds // SECOND)
