"""How much a run of the fuzzing source may do."""

from __future__ import annotations

from dataclasses import dataclass, replace

# What the usual seconds are enough for, and the seconds of an operation that are too few to let
# each take as many as it likes.
_USUAL_OPERATIONS, _SCARCE = 20, 0.5


@dataclass(frozen=True, slots=True)
class FuzzingLimits:
    """Limits of a run.

    Attributes:
        seconds: until all processes have ended.
        examples: cases that are made up for each operation, and chains of linked operations.
        phases: those of schemathesis, in the order in which it runs them.
        processes: that share the operations.
    """

    seconds: float
    examples: int
    phases: tuple[str, ...] = ("examples", "coverage", "fuzzing", "stateful")
    processes: int = 2

    def within(self, seconds: float | None, operations: int) -> FuzzingLimits:
        """Return the limits for so many operations, which may not take more seconds than these.

        Args:
            seconds: None where it does not matter.
        """
        more = max(operations / _USUAL_OPERATIONS, 1.0)
        wanted = self.seconds * more if seconds is None or more == 1.0 else seconds
        return replace(self, seconds=max(min(wanted, seconds or wanted), 1.0))

    def seconds_of_each(self, operations: int) -> float | None:
        """Return the time of each of so many operations; None where it need not be shared out."""
        share = self.seconds * self.processes / max(operations, 1)
        return share if share < _SCARCE else None


# The coverage phase sends the examples of the document, too, without combining them.
QUICK = FuzzingLimits(seconds=6, examples=5, phases=("coverage", "fuzzing", "stateful"))
FULL = FuzzingLimits(seconds=30, examples=25)
