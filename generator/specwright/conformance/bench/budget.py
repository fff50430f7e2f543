"""The time of a run, shared out to its steps."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

# Steps that take more than one share of the time.
_SHARES = {"explore": 12, "validation": 4, "robustness": 2, "fuzzing": 8}


@dataclass(slots=True)
class Budget:
    """What is left of the time, and who is still to get some of it.

    A step that needs less than its share leaves the rest to the later ones.

    Attributes:
        seconds: for all steps; None for as much as they take.
        cut: the steps that needed more than they got.
    """

    seconds: float | None
    steps: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    _ends: float = 0.0

    def begin(self, steps: Iterable[str]) -> None:
        """Let the time of these steps begin."""
        self.steps = list(steps)
        self._ends = time.monotonic() + (self.seconds or 0.0)

    def share(self, step: str) -> float | None:
        """Return the seconds of the next step; None where there is no limit."""
        if self.seconds is None:
            return None
        shares = [_SHARES.get(each, 1) for each in self.steps[self.steps.index(step) :]]
        left = max(self._ends - time.monotonic(), 0.0)
        return left * shares[0] / sum(shares)
