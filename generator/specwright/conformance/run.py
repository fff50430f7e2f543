"""A run of all sources in turn, within a budget of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from statistics import median

from specwright.conformance.checks.responses.consistency import Consistency
from specwright.conformance.checks.scenario import Scenario, Step, in_order
from specwright.conformance.checks.table import SCENARIOS
from specwright.conformance.checks.webhooks.endpoints import SOURCE as WEBHOOKS
from specwright.conformance.checks.webhooks.source import ReceiverOptions, Watch
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.driver.target import TargetLost, TargetServer, TimeOver
from specwright.conformance.fuzzing import profile as fuzzing
from specwright.conformance.fuzzing.source import fuzz
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.exchange import FUZZING, Exchange
from specwright.conformance.recording.exchange import SCENARIOS as SOURCE
from specwright.conformance.recording.record import Record
from specwright.errors import SpecwrightError


class RunProfile(StrEnum):
    """The thoroughness of a run: for every change, or for every night."""

    QUICK = "quick"
    FULL = "full"


# How long to wait for the next attempt of a delivery.
PATIENCE_SECONDS = {RunProfile.QUICK: 5.0, RunProfile.FULL: 16.0}
# How long fuzzing waits for the responses to examples, which may be slow on purpose.
_SLOW_SECONDS = 1.0
# How long a response may take.
TIMEOUTS = {RunProfile.QUICK: 10.0, RunProfile.FULL: 30.0}
FUZZERS = {RunProfile.QUICK: fuzzing.QUICK, RunProfile.FULL: fuzzing.FULL}

_FUZZ = Step(FUZZING, after="deleted", share=12)
# The steps in their order, without the watch on webhooks, which depends on the keys.
STEPS = tuple(in_order((*(step for step in SCENARIOS if not step.beside), _FUZZ)))
_BESIDE = tuple(in_order(step for step in SCENARIOS if step.beside == FUZZING))

# A quick run ends in a minute, or later for more operations than these, or a slow server.
_QUICK_SECONDS, _QUICK_OPERATIONS, _SECONDS_PER_OPERATION = 60.0, 200, 0.3
# The seconds of a response for which the usual limits are enough, and the most that they grow.
_QUICK_RESPONSE, _MOST_SLOWNESS = 0.02, 8.0
# What a step gets in any case, unless the user has chosen the time of the run: most need less.
_LEAST_SECONDS = 10.0
# The number of requests that measure it: the first one may load a part of the server.
_MEASURED = 5
# How many of the latest responses show how busy the machine is, and how many of them are as fast.
_RECENT, _FAST = 100, 0.9


def usual_seconds(profile: RunProfile, operations: int, slowness: float = 1.0) -> float | None:
    """Return the default time limit of a run in seconds; None for no limit.

    Args:
        slowness: how many times as long as usual the server needs for a response.
    """
    more = max(operations - _QUICK_OPERATIONS, 0)
    quick = _QUICK_SECONDS + more * _SECONDS_PER_OPERATION
    return quick * slowness if profile is RunProfile.QUICK else None


def slowness_of(target: TargetServer) -> float:
    """Return how many times as long as usual a server needs for a response, at least one.

    A server that is slow, far away or busy gets more time and not fewer requests, so that the
    verdict does not depend on its load.
    """
    reached = (
        exchange
        for exchange in target.record.exchanges
        if exchange.succeeded and exchange.request.method == "GET"
    )
    first = next(reached, None)
    if first is None:
        return 1.0
    seconds = [
        target.send(first.request, first.source, first.operation, first.role).seconds
        for _ in range(_MEASURED)
    ]
    return _slowness(median(seconds))


def recent_slowness(exchanges: Sequence[Exchange]) -> float:
    """Return how many times as long as usual the latest responses to scenarios took, at least one.

    On a busy machine, some of them take long, and the others are as fast as ever.
    """
    seconds = [
        exchange.seconds
        for exchange in exchanges[-_RECENT:]
        if exchange.source == SOURCE and exchange.response is not None
    ]
    return _slowness(sorted(seconds)[int(len(seconds) * _FAST)]) if seconds else 1.0


def _slowness(seconds: float) -> float:
    return min(max(seconds / _QUICK_RESPONSE, 1.0), _MOST_SLOWNESS)


@dataclass(slots=True)
class Budget:
    """The remaining time, and the steps that still need some.

    A step that needs less than its share leaves the rest to later steps.

    Attributes:
        seconds: for all steps; None for no limit.
        is_fixed: whether the user has chosen this time.
        cut: the steps that ran out of time.
    """

    seconds: float | None
    is_fixed: bool = False
    steps: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    _shares: Mapping[str, int] = field(default_factory=dict)
    _ends: float = 0.0

    def begin(self, shares: Mapping[str, int]) -> None:
        """Start the clock for these steps, in their order, with their shares of the time."""
        self.steps, self._shares = list(shares), shares
        self._ends = time.monotonic() + (self.seconds or 0.0)

    def extend(self, factor: float) -> None:
        """Multiply the time, unless it is fixed."""
        if self.seconds is not None and not self.is_fixed:
            more = self.seconds * (factor - 1)
            self.seconds += more
            self._ends += more

    def share(self, step: str) -> float | None:
        """Return the seconds for the next step; None for no limit."""
        if self.seconds is None:
            return None
        shares = [self._shares[step] for step in self.steps[self.steps.index(step) :]]
        seconds = max(self._ends - time.monotonic(), 0.0) * shares[0] / sum(shares)
        return seconds if self.is_fixed else max(seconds, _LEAST_SECONDS)


@dataclass(slots=True)
class Run:
    """A run and its results so far.

    Attributes:
        steps: name, requests and seconds of each step that has ended.
        at: the step that began last.
        stopped: why the run ended early; None for a complete run.
        budget: the time that its steps share.
        slowness: how many times as long as usual the server needs for a response.
    """

    contract: Contract
    target: TargetServer
    profile: RunProfile
    seed: int
    receiver: ReceiverOptions | None = None
    steps: list[tuple[str, int, float]] = field(default_factory=list)
    at: str = "start"
    stopped: str | None = None
    budget: Budget = field(default_factory=lambda: Budget(None))
    slowness: float = 1.0

    @property
    def line(self) -> str:
        """The progress of the run: step, operation, requests, failures and time."""
        sent, steps = list(self.record.exchanges), self.budget.steps
        known = self.contract.operations.get((sent[-1].operation if sent else None) or "")
        step = f" ({steps.index(self.at) + 1} of {len(steps)})" if self.at in steps else ""
        place = f" {known.name}" if known is not None else ""
        most = f" of {self.budget.seconds:.0f}" if self.budget.seconds is not None else ""
        seconds = time.time() - sent[0].sent_at if sent else 0.0
        counts = f"{len(sent):,} requests, {len(self.record.failures)} failures"
        return f"{self.at}{step}{place}: {counts}, {seconds:.0f}{most} s"

    @property
    def record(self) -> Record:
        """Everything that was sent and found."""
        return self.target.record

    def go(self) -> None:
        """Run all sources.

        Tenants do not affect each other: with two of them, webhooks are watched from the
        beginning. Otherwise, they come before the scenarios that use up the money they need.
        """
        driver = Driver(self.contract, self.target, SOURCE)
        patience = PATIENCE_SECONDS[self.profile]
        watch = Watch(self.contract, self.target, self.receiver, patience)
        observe = partial(self._take, WEBHOOKS, WEBHOOKS, watch.observe)
        with ThreadPoolExecutor(1) as pool:
            observed = pool.submit(observe).result if OTHER_TENANT in self.target.keys else None
            actions: dict[str, Callable[[], None]] = {}
            for step in STEPS:
                if isinstance(step, Scenario):
                    actions |= self._scenario(step, driver)
                else:
                    actions[FUZZING] = partial(self._fuzz, driver)
                    actions |= {WEBHOOKS: observe} if observed is None else {}
            actions |= {WEBHOOKS: observed} if observed is not None else {}
            shares = {step.name: step.share for step in STEPS}
            self.budget.begin({name: shares.get(name, 1) for name in actions})
            try:
                for self.at, action in actions.items():
                    self._slow_down()
                    self._limit(self.budget.share(self.at))
                    action()
            except TargetLost as lost:
                self.stopped = str(lost)
            finally:
                watch.give_up()

    def _scenario(self, scenario: Scenario, driver: Driver) -> dict[str, Callable[[], None]]:
        if not scenario.applies_to(self.contract):
            return {}
        name = scenario.name
        return {name: partial(self._take, name, SOURCE, partial(scenario, driver))}

    def _fuzz(self, driver: Driver) -> None:
        """Fuzz, with examples and refusals in parallel, as their requests may be slow.

        The fuzzer sends one request after the other, and no slow example.
        """
        contract, profile = self.contract, FUZZERS[self.profile].slowed(self.slowness)
        profile = profile.within(self.budget.share(FUZZING), len(contract.operations))
        with ThreadPoolExecutor(len(_BESIDE)) as pool:
            sent = [
                pool.submit(self._take, scenario.name, SOURCE, partial(scenario, driver))
                for scenario in _BESIDE
            ]
            wait(sent, _SLOW_SECONDS * self.slowness)
            slow = driver.slow(_SLOW_SECONDS * self.slowness / 2)
            step = partial(fuzz, contract, self.target, profile, self.seed, slow)
            self._take(FUZZING, FUZZING, step)
            for future in sent:
                future.result()

    def _take(self, name: str, source: str, step: Callable[[], None]) -> None:
        """Run a step of a source; note the number of its requests, and its duration."""
        started, before = time.monotonic(), len(self.record.exchanges)
        try:
            step()
        except TimeOver:
            self.budget.cut.append(name)
        except (TargetLost, SpecwrightError):
            raise
        except Exception as error:
            last = next(reversed(self.record.exchanges), None)
            place = (last.operation if last is not None else None) or ""
            self.record.fail(place, error, f"the rest of the step '{name}' is left out")
        finally:
            seconds = time.monotonic() - started
            later = self.record.exchanges[before:]
            own = sum(1 for exchange in later if exchange.source == source)
            self.steps.append((name, own, seconds))

    def _slow_down(self) -> None:
        """Give the other steps more time, if the server or this machine has become slower."""
        slowness = recent_slowness(self.record.exchanges)
        if slowness > self.slowness:
            self.budget.extend(slowness / self.slowness)
            self.slowness = slowness

    def _limit(self, seconds: float | None) -> None:
        """Limit the time of the scenarios, in seconds."""
        if seconds is not None:
            self.target.ends[SOURCE] = time.monotonic() + seconds


def begin(
    contract: Contract,
    target: TargetServer,
    profile: RunProfile,
    seed: int,
    receiver: ReceiverOptions | None = None,
    max_seconds: float | None = None,
    max_time: float | None = None,
) -> Run:
    """Return a run with monitors on its record.

    Args:
        max_seconds: the time limit of a response; None for no limit.
        max_time: the time limit of the run in seconds; None for the default of its profile.
    """
    slowness = slowness_of(target)
    usual = usual_seconds(profile, len(contract.operations), slowness)
    budget = Budget(max_time or usual, is_fixed=max_time is not None)
    target.record.monitors = (
        Monitors(contract, target.record, max_seconds),
        Consistency(contract, target.record),
    )
    return Run(contract, target, profile, seed, receiver, budget=budget, slowness=slowness)
