"""A run: every source in turn, then what they have found."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from specwright.conformance import coverage
from specwright.conformance.contract import Contract
from specwright.conformance.fuzzing import profile as fuzzing
from specwright.conformance.fuzzing.source import fuzz
from specwright.conformance.monitors import Monitors
from specwright.conformance.record import Record, Violation
from specwright.conformance.rules import RULES
from specwright.conformance.scenarios.agreement import agreement
from specwright.conformance.scenarios.capacity import capacity
from specwright.conformance.scenarios.causes import cause
from specwright.conformance.scenarios.credentials import credentials
from specwright.conformance.scenarios.explore import explore
from specwright.conformance.scenarios.idempotency import idempotency
from specwright.conformance.scenarios.isolation import isolation
from specwright.conformance.scenarios.lists import lists
from specwright.conformance.scenarios.money import conservation
from specwright.conformance.scenarios.rate_limits import rate_limits, windows
from specwright.conformance.scenarios.resets import finish
from specwright.conformance.scenarios.robustness import robustness
from specwright.conformance.scenarios.states import deleted
from specwright.conformance.scenarios.validation import validation
from specwright.conformance.target import MAIN, OTHER, Target, TargetLost
from specwright.conformance.webhooks.authority import Authority
from specwright.conformance.webhooks.declared import registration, webhooks
from specwright.conformance.webhooks.observe import Observation, setting
from specwright.conformance.webhooks.receiver import Receiver
from specwright.conformance.webhooks.sequence import Pace
from specwright.conformance.workbench import Workbench
from specwright.findings import Evidence, Finding, Level, Report, Table, in_order
from specwright.pointer import Pointer

# Of one finding; the rest is counted.
_EXCHANGES = 4


class Profile(StrEnum):
    """How thorough a run is: for every change, or for every night."""

    QUICK = "quick"
    FULL = "full"


# How long the next attempt of a delivery is waited for.
PATIENCE_SECONDS = {Profile.QUICK: 5.0, Profile.FULL: 16.0}
FUZZING = {Profile.QUICK: fuzzing.QUICK, Profile.FULL: fuzzing.FULL}

# What is tried, in this order: each step leaves to the next what it needs.
SCENARIOS: dict[str, Callable[[Workbench], None]] = {
    "explore": explore,
    "windows": windows,
    "credentials": credentials,
    "idempotency": idempotency,
    "conservation": conservation,
    "lists": lists,
    "agreement": agreement,
    "isolation": isolation,
    "validation": validation,
    "robustness": robustness,
    "capacity": capacity,
    "deleted": deleted,
}
# What uses up or takes away what the others need.
LAST_SCENARIOS: dict[str, Callable[[Workbench], None]] = {
    "rate limits": rate_limits,
    "finish": finish,
}


@dataclass(frozen=True, slots=True)
class ReceiverOptions:
    """Where webhooks are received.

    Attributes:
        authority: signs the certificate of a receiver on this machine; None behind a tunnel.
        public_url: where the tunnel begins.
        port: of this machine; 0 chooses a free one.
        retry_scale: what the target multiplies the declared pauses with.
    """

    authority: Authority | None = None
    public_url: str | None = None
    port: int = 0
    retry_scale: float = 1.0


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
    receiver: ReceiverOptions | None = None
    steps: list[tuple[str, int, float]] = field(default_factory=list)
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
        steps: dict[str, Callable[[], None]] = {
            **{name: partial(scenario, bench) for name, scenario in SCENARIOS.items()},
            "fuzzing and webhooks": self._fuzz_and_observe,
            **{name: partial(scenario, bench) for name, scenario in LAST_SCENARIOS.items()},
        }
        for name, step in steps.items():
            yield name
            started, sent = time.monotonic(), len(self.record.exchanges)
            try:
                step()
            except TargetLost as lost:
                self.stopped = str(lost)
                return
            finally:
                requests = len(self.record.exchanges) - sent
                self.steps.append((name, requests, time.monotonic() - started))

    def _fuzz_and_observe(self) -> None:
        """Both at once, if they cannot meet: what one partner does is nothing to another."""
        with ThreadPoolExecutor(1) as pool:
            observed = pool.submit(self._observe) if OTHER in self.target.keys else None
            fuzz(self.contract.document, self.target, FUZZING[self.profile], self.seed)
        if observed is None:
            self._observe()
        else:
            observed.result()

    def _observe(self) -> None:
        """Watch the webhooks, as the other partner if there is one."""
        document, keys = self.contract.document, self.target.keys
        declared, registered = webhooks(document), registration(document)
        reason = None
        if self.receiver is None:
            reason = "no receiver was asked for"
        elif registered is None:
            reason = "the document does not declare how endpoints are registered"
        if self.receiver is None or registered is None:
            for webhook in declared:
                self.record.skip("event-missing", webhook.pointer, str(reason))
            return
        own = {MAIN: keys[OTHER]} if OTHER in keys else dict(keys)
        where = setting(
            declared,
            authority=self.receiver.authority,
            public_url=self.receiver.public_url,
            port=self.receiver.port,
        )
        with (
            Target(self.target.base_url, self.target.credential, self.record, own) as target,
            Receiver(where) as receiver,
        ):
            bench = Workbench(self.contract, target, "webhooks")
            pace = Pace(self.receiver.retry_scale, PATIENCE_SECONDS[self.profile])
            provoke = partial(cause, bench)
            Observation(target, receiver, declared, registered, provoke, pace).run()

    def report(self) -> Report:
        """What was found, with the coverage, as every command reports it."""
        self.items = coverage.coverage(self.contract, self.record)
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
            command="test",
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


def begin(
    contract: Contract,
    target: Target,
    profile: Profile,
    seed: int,
    receiver: ReceiverOptions | None = None,
) -> Run:
    """A run whose record is watched by the monitors."""
    target.record.monitors = (Monitors(contract, target.record),)
    return Run(contract, target, profile, seed, receiver)
