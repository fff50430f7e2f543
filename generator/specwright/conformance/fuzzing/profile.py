"""The limits of the fuzzing source."""

from __future__ import annotations

from dataclasses import dataclass, replace

# The number of operations for which the usual seconds are enough, and the seconds per operation
# below which each one gets a time limit.
_USUAL_OPERATIONS, _SCARCE = 20, 0.5


@dataclass(frozen=True, slots=True)
class FuzzingLimits:
    """The limits of a run.

    Attributes:
        seconds: until all processes have ended.
        examples: generated cases for each operation, and chains of linked operations.
        phases: those of schemathesis, in the order in which it runs them.
        processes: the number of processes that share the operations.
    """

    seconds: float
    examples: int
    phases: tuple[str, ...] = ("examples", "coverage", "fuzzing", "stateful")
    processes: int = 2

    def slowed(self, slowness: float) -> FuzzingLimits:
        """Return the limits for a server that needs so many times as long for a response."""
        return replace(self, seconds=self.seconds * slowness)

    def within(self, seconds: float | None, operations: int) -> FuzzingLimits:
        """Return the limits for a number of operations, within a number of seconds.

        Args:
            seconds: None for no limit.
        """
        more = max(operations / _USUAL_OPERATIONS, 1.0)
        wanted = self.seconds * more if seconds is None or more == 1.0 else seconds
        return replace(self, seconds=max(min(wanted, seconds or wanted), 1.0))

    def seconds_of_each(self, operations: int) -> float | None:
        """Return the seconds for each operation; None if operations need no limit."""
        share = self.seconds * self.processes / max(operations, 1)
        return share if share < _SCARCE else None


# The coverage phase also sends the examples of the document, without combining them.
QUICK = FuzzingLimits(seconds=6, examples=5, phases=("coverage", "fuzzing", "stateful"))
FULL = FuzzingLimits(seconds=30, examples=25)
