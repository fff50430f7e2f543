"""A run: every source in turn, then what they have found."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from specwright.conformance import coverage
from specwright.conformance.contract import Contract
from specwright.conformance.monitors import Monitors
from specwright.conformance.record import Record, Violation
from specwright.conformance.rules import RULES
from specwright.conformance.scenarios.access import credentials, isolation
from specwright.conformance.scenarios.explore import explore, finish
from specwright.conformance.scenarios.idempotency import idempotency
from specwright.conformance.scenarios.limits import capacity, rate_limits
from specwright.conformance.scenarios.lists import lists
from specwright.conformance.scenarios.robustness import robustness
from specwright.conformance.scenarios.states import deleted
from specwright.conformance.scenarios.validation import validation
from specwright.conformance.target import Target, TargetLost
from specwright.conformance.workbench import Workbench
from specwright.findings import Evidence, Finding, Level, Report, Table, in_order
from specwright.pointer import Pointer

# Of one finding; the rest is counted.
_EXCHANGES = 4


class Profile(StrEnum):
    """How thorough a run is: for every change, or for every night."""

    QUICK = "quick"
    FULL = "full"


# What is tried, in this order: each step leaves to the next what it needs.
SCENARIOS: dict[str, Callable[[Workbench], None]] = {
    "explore": explore,
    "credentials": credentials,
    "idempotency": idempotency,
    "lists": lists,
    "isolation": isolation,
    "validation": validation,
    "robustness": robustness,
    "capacity": capacity,
    "deleted": deleted,
    "rate limits": rate_limits,
    "finish": finish,
}


@dataclass(slots=True)
class Run:
    """What a run has seen so far.

    Attributes:
        steps: name, requests and seconds of each step that has ended.
        stopped: why the run ended before its time; None for a whole one.
    """

    contract: Contract
    target: Target
    profile: Profile
    seed: int
    steps: list[tuple[str, int, float]] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    stopped: str | None = None
    items: list[coverage.Item] = field(default_factory=list)

    @property
    def record(self) -> Record:
        """Everything that was sent and found."""
        return self.target.record

    @property
    def secrets(self) -> list[str]:
        """The values that were shown once, which no report may show."""
        return [
            value
            for exchange in self.record.exchanges
            if exchange.response is not None
            for value in self.contract.secrets(exchange.operation, exchange.response)
        ]

    def sources(self) -> Generator[str, None, None]:
        """Go through all sources; yields the name of each before it begins."""
        bench = Workbench(self.contract, self.target, "scenarios")
        for name, scenario in SCENARIOS.items():
            yield name
            started, sent = time.monotonic(), len(self.record.exchanges)
            try:
                scenario(bench)
            except TargetLost as lost:
                self.stopped = str(lost)
                return
            finally:
                requests = len(self.record.exchanges) - sent
                self.steps.append((name, requests, time.monotonic() - started))

    def report(self) -> Report:
        """What was found, with the coverage, as every command reports it."""
        self.items = coverage.coverage(self.contract, self.record, self.events)
        document = self.contract.document
        facts = [
            ("Target", self.target.base_url),
            ("Profile", self.profile.value),
            ("Seed", str(self.seed)),
            ("Requests", f"{len(self.record.exchanges):,}"),
        ]
        if self.stopped is not None:
            facts.append(("Stopped", self.stopped))
        return Report(
            document.path,
            in_order(self._findings()),
            (),
            RULES,
            document.line,
            tuple(facts),
            (
                Table("Steps", ("", "requests", "seconds"), tuple(self._steps())),
                *coverage.tables(self.items),
            ),
        )

    def _steps(self) -> Iterator[tuple[str, str, str]]:
        for name, requests, seconds in self.steps:
            yield name, f"{requests:,}", f"{seconds:.1f}"

    @property
    def failures(self) -> list[Violation]:
        """The violations, each once: the first one of those that say the same."""
        found: dict[tuple[str, Pointer, str], Violation] = {}
        for each in self.record.violations:
            found.setdefault((each.rule, each.pointer, each.message), each)
        return list(found.values())

    def _findings(self) -> Iterator[Finding]:
        for number, each in enumerate(self.failures, 1):
            yield Finding(
                each.rule,
                Level.ERROR,
                self.contract.document.locate(each.pointer),
                each.pointer,
                each.message,
                evidence=(Evidence("failure", f"F{number}"), *_evidence(each)),
            )


def _evidence(violation: Violation) -> Iterator[Evidence]:
    for exchange in violation.exchanges[-_EXCHANGES:]:
        yield Evidence(f"request {exchange.number}", exchange.request.curl)
        answer = exchange.response.shown if exchange.response else exchange.failure or "no answer"
        yield Evidence(f"answer {exchange.number}", answer)


def begin(contract: Contract, target: Target, profile: Profile, seed: int) -> Run:
    """A run whose record is watched by the monitors."""
    target.record.monitors = (Monitors(contract, target.record),)
    return Run(contract, target, profile, seed)
