"""The time budget of a run, divided among its steps."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

# Steps that get more than one share of the time, as they send more requests. That of balances
# waits for refunds, and without the first step there is little for the others to use.
SHARES = {
    "explore": 20,
    "credentials": 3,
    "idempotency": 3,
    "lists": 3,
    "conservation": 20,
    "isolation": 6,
    "validation": 8,
    "robustness": 2,
    "hostile": 3,
    "collections": 2,
    "receiver URLs": 2,
    "fuzzing": 12,
    "rate limits": 2,
    "transitions": 3,
}


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
    _ends: float = 0.0

    def begin(self, steps: Iterable[str]) -> None:
        """Start the clock for these steps."""
        self.steps = list(steps)
        self._ends = time.monotonic() + (self.seconds or 0.0)

    def share(self, step: str) -> float | None:
        """Return the seconds for the next step; None for no limit."""
        if self.seconds is None:
            return None
        shares = [SHARES.get(each, 1) for each in self.steps[self.steps.index(step) :]]
        left = max(self._ends - time.monotonic(), 0.0)
        return left * shares[0] / sum(shares)
