"""The time budget of a run, divided among its steps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Budget:
    """The remaining time, and the steps that still need some.

    A step that needs less than its share leaves the rest to later steps.

    Attributes:
        seconds: for all steps; None for no limit.
        cut: the steps that ran out of time.
    """

    seconds: float | None
    steps: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    _shares: Mapping[str, int] = field(default_factory=dict)
    _ends: float = 0.0

    def begin(self, shares: Mapping[str, int]) -> None:
        """Start the clock for these steps, in their order, with their shares of the time."""
        self.steps, self._shares = list(shares), shares
        self._ends = time.monotonic() + (self.seconds or 0.0)

    def share(self, step: str) -> float | None:
        """Return the seconds for the next step; None for no limit."""
        if self.seconds is None:
            return None
        shares = [self._shares[step] for step in self.steps[self.steps.index(step) :]]
        left = max(self._ends - time.monotonic(), 0.0)
        return left * shares[0] / sum(shares)
