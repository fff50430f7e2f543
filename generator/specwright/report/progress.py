"""The step of a long command, and an estimate of the time that is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# The steps of commands in their order, each with its seconds for a million characters of the
# documents. Docs/costs.md has measurements; the first steps of a run correct these.
_READING = {"reading the document": 0.1, "checking the document": 0.4}
VALIDATION: Mapping[str, float] = _READING
GENERATION = {**_READING, "generating models": 2.0, "rendering templates": 1.0}
PAGES = {**_READING, "describing the operations": 0.7, "writing the pages": 0.6}
COMPARISON = {"reading the documents": 0.1, "comparing the documents": 0.4}
REVIEW = {
    "reading the documents": 0.1,
    "checking the documents": 0.4,
    "generating the packages": 3.0,
    "comparing the documents": 0.4,
}
# What is measured counts more than the table as soon as it takes longer.
_SECONDS_OF_TABLE = 1.0


@dataclass(slots=True)
class Progress:
    """The progress of a command; calling it begins a step.

    Attributes:
        costs: the steps, as in `GENERATION`.
        clock: returns seconds.
        characters: the size of the documents, as soon as it is known.
        step: the present one; that of a command for several documents begins again with the first.
    """

    costs: Mapping[str, float]
    clock: Callable[[], float]
    characters: int = 0
    step: str = ""
    _begun: float = 0.0
    _durations: dict[str, float] = field(default_factory=dict)

    def __call__(self, step: str) -> None:
        now = self.clock()
        if step == next(iter(self.costs)):
            self._durations.clear()
        elif self.step:
            self._durations[self.step] = now - self._begun
        self.step, self._begun = step, now

    @property
    def line(self) -> str:
        """The step in words, with the time that is left if that is more than a second."""
        left = self._seconds_left()
        return f"{self.step}, about {left:.0f} s left" if left >= 1 else self.step

    def _seconds_left(self) -> float:
        known = sum(map(self._expected, self._durations))
        pace = (sum(self._durations.values()) + _SECONDS_OF_TABLE) / (known + _SECONDS_OF_TABLE)
        steps = list(self.costs)
        later = steps[steps.index(self.step) + 1 :] if self.step in self.costs else []
        here = max(pace * self._expected(self.step) - (self.clock() - self._begun), 0)
        return here + pace * sum(map(self._expected, later))

    def _expected(self, step: str) -> float:
        return self.costs.get(step, 0) * self.characters / 1_000_000
