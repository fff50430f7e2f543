"""Measurements: samples per subject, and goals that compare their medians."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from lab.benchmarks.workshop import Workshop

OURS = "specwright"

Samples = dict[str, list[float]]
Medians = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Goal:
    """A sentence, and the comparison of medians that decides whether it holds."""

    sentence: str
    holds: Callable[[Medians], bool]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of the table of measurements."""

    name: str
    title: str
    unit: str
    how: str
    run: Callable[[Workshop], Samples]
    goals: tuple[Goal, ...] = ()
    more_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The medians of a measurement, the subjects that could not take part, a note on the run."""

    measurement: Measurement
    medians: Medians
    absent: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """The goals with `met`, `missed`, or `open` if a subject that a goal needs is absent."""
        return [(goal.sentence, self._verdict(goal)) for goal in self.measurement.goals]

    def _verdict(self, goal: Goal) -> str:
        try:
            return "met" if goal.holds(self.medians) else "missed"
        except KeyError:
            return "open"


def take(measurement: Measurement, workshop: Workshop, note: str) -> Result:
    workshop.absent.clear()
    samples = measurement.run(workshop)
    medians = {subject: median(values) for subject, values in samples.items()}
    return Result(measurement, medians, dict(workshop.absent), note)
