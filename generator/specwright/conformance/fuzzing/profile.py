"""How much a run of the fuzzing source may do."""

from __future__ import annotations

from dataclasses import dataclass


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


# The coverage phase sends the examples of the document, too, without combining them.
QUICK = FuzzingLimits(seconds=7, examples=5, phases=("coverage", "fuzzing", "stateful"))
FULL = FuzzingLimits(seconds=30, examples=25)
