"""A clock that obeys."""

from esim_service.values.clock import SECOND


class ManualClock:
    """A time that stands still until it is moved."""

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
