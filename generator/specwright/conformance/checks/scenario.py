"""Scenarios: the steps of a run that send requests of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.vocabulary.keyword import Keyword


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run.

    Attributes:
        name: as reports show it.
        after: the name of the step that it follows; empty for the first one.
        share: its share of the time; more than 1 if it sends many requests, or waits.
    """

    name: str
    after: str
    share: int = 1


@dataclass(frozen=True, slots=True)
class Scenario(Step):
    """A step that calls operations.

    Attributes:
        needs: a keyword without which it does nothing: where no operation declares it, the other
            steps share its time.
        beside: the name of a step that it runs in parallel with, as its requests are slow.
    """

    run: Callable[[Driver], None] = lambda _: None
    needs: Keyword[object] | None = None
    beside: str = ""

    def __call__(self, driver: Driver) -> None:
        """Call the operations."""
        self.run(driver)

    def applies_to(self, contract: Contract) -> bool:
        """Return whether the contract declares the keyword that it needs, if any."""
        return self.needs is None or any(contract.declaring(self.needs))


def scenario(
    *,
    after: str = "",
    share: int = 1,
    needs: Keyword[object] | None = None,
    beside: str = "",
    name: str = "",
) -> Callable[[Callable[[Driver], None]], Scenario]:
    """Make a function a scenario, which a run then includes.

    Args:
        after: the name of the step that it follows, which leaves the resources that it needs.
        name: by default that of the function.
    """

    def register(function: Callable[[Driver], None]) -> Scenario:
        label = name or function.__name__.replace("_", " ")
        return Scenario(label, after, share, function, needs, beside)

    return register


_S = TypeVar("_S", bound=Step)


def in_order(steps: Iterable[_S]) -> Iterator[_S]:
    """Yield steps, each after the one that it names.

    Of several that follow the same step, those with the shortest chain behind them come first: so
    a new one comes directly after the step that it names.

    Raises:
        ValueError: a step follows one that does not exist.
    """
    waiting = list(steps)
    unknown = {step.after for step in waiting} - {"", *(step.name for step in waiting)}
    if unknown:
        raise ValueError(f"steps follow unknown steps: {', '.join(sorted(unknown))}")

    def chain(after: str) -> list[_S]:
        chains = [[step, *chain(step.name)] for step in waiting if step.after == after]
        return [step for following in sorted(chains, key=_length) for step in following]

    yield from chain("")


def _length(steps: Sequence[Step]) -> tuple[int, str]:
    return len(steps), steps[0].name
