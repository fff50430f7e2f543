"""Jobs: work that a request begins, and that ends after its response (RFC 9110, 15.3.3)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.conformance.checks.lifecycle.readers import reader_at, reader_of_created
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.scenario import scenario
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import ContractOperation
from specwright.conformance.contract.links import ENVELOPES
from specwright.conformance.contract.resources import shape, variables
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.findings import Level
from specwright.json_values import mapping
from specwright.names import snake
from specwright.vocabulary.keywords.final import FINAL

JOB_IS_FOUND = BehaviourRule(
    "job-is-found",
    BehaviourCategory.STATE,
    "The job that a response refers to can be read until it has ended (RFC 9110, 15.3.3).",
    example="POST /exports -> 202 with Location: /exports/7, then GET /exports/7 -> 404",
    advice="Store the job before the response that accepts it, and keep it after its end.",
)
JOB_ENDS = BehaviourRule(
    "job-ends",
    BehaviourCategory.STATE,
    "A job reaches a final state, and stays in it.",
    example="POST /exports -> 202, and GET /exports/7 -> pending for ten seconds",
    advice=(
        "Record the end of a job in the worker, also after an error. A job that takes longer is "
        "right: switch the rule off for its operation."
    ),
    level=Level.WARNING,
)
JOB_HAS_RESULT = BehaviourRule(
    "job-has-result",
    BehaviourCategory.STATE,
    "The result of a job that has succeeded can be read.",
    example="GET /exports/7 -> done, then GET /exports/7/file -> 404",
    advice="Store the result before the state that announces it.",
)

# How long all jobs together are waited for, and the pause between two reads of one.
_PATIENCE_SECONDS, _PAUSE_SECONDS = 10.0, 0.2
_ACCEPTED, _MISSING = 202, (404, 410)
# Where servers refer to a job; the second one is of Azure's guidelines.
_MONITORS = ("location", "operation-location")
_STATES = ("status", "state", "phase")
_SUCCEEDED = frozenset(
    ("success", "successful", "succeeded", "complete", "completed", "done", "finished", "ready")
)
_FAILED = frozenset(
    (
        *("fail", "failed", "failure", "error", "errored", "rejected", "expired", "aborted"),
        *("cancelled", "canceled", "timed_out"),
    )
)
_PENDING = frozenset(
    (
        *("accepted", "created", "enqueued", "in_progress", "new", "not_started", "pending"),
        *("processing", "queued", "running", "scheduled", "started", "submitted", "waiting"),
    )
)
# The last part of a path below a job, by which it is cancelled.
_CANCELS = ("cancel", "cancellation", "abort", "stop", "terminate")
# Jobs that take longer are not begun again to be cancelled.
_SHORT_SECONDS = 2.0
# The last part of a path below a job, where its result is.
_RESULTS = ("result", "results", "output", "download", "file", "content", "data")


@dataclass(slots=True)
class _Job:
    """A job that was begun.

    Attributes:
        began: the exchange that began it.
        read: the call that shows its state.
        shown: the exchanges that showed it.
        began_at: when it was begun, by `time.monotonic`.
        next_at: when it may be read again, by the same.
    """

    maker: ContractOperation
    began: Exchange
    read: OperationCall
    began_at: float
    shown: list[Exchange] = field(default_factory=list)
    next_at: float = 0.0

    @property
    def response(self) -> HttpResponse | None:
        """The latest response."""
        return self.shown[-1].response if self.shown else None

    @property
    def state(self) -> str | None:
        """The latest state; None if the response has none."""
        response = self.response
        if response is None or not response.is_success:
            return None
        declared = self.read.operation.get(FINAL)
        if declared is not None:
            value = response.at(declared.at.raw)
            return value if isinstance(value, str) else None
        body = mapping(response.json_or_none)
        holders = (body, *(mapping(body.get(name)) for name in ENVELOPES))
        states = (holder.get(name) for holder in holders for name in _STATES)
        return next((state for state in states if isinstance(state, str)), None)

    @property
    def has_ended(self) -> bool:
        """Whether the latest response shows a final state, or the place of the result."""
        declared = self.read.operation.get(FINAL)
        if declared is not None:
            return self.state in {state.raw for state in declared.states}
        return self.is_result_elsewhere or snake(self.state or "") in _SUCCEEDED | _FAILED

    @property
    def is_pending(self) -> bool:
        """Whether the latest state is known not to be final."""
        is_declared = self.read.operation.get(FINAL) is not None
        return self.state is not None and (is_declared or snake(self.state) in _PENDING)

    @property
    def has_succeeded(self) -> bool:
        """Whether its end has a result."""
        return self.is_result_elsewhere or snake(self.state or "") in _SUCCEEDED

    @property
    def is_result_elsewhere(self) -> bool:
        """Whether the latest response redirects to the result."""
        return self.response is not None and self.response.status in (302, 303)

    @property
    def pause(self) -> float:
        """The seconds until the next read, as response or document say (RFC 9110, 10.2.3)."""
        declared = self.read.operation.get(FINAL)
        wanted = (self.response.header("retry-after") if self.response is not None else None) or ""
        if wanted.isdecimal() and len(wanted) < 4:
            return float(wanted)
        return _PAUSE_SECONDS if declared is None else declared.interval_seconds


@scenario(after="parents", share=20)
def jobs(driver: Driver) -> None:
    """Begin a job of each kind, and read all of them until they have ended."""
    routes = ContractRoutes(driver.contract, driver.target.base_url)
    running, ended = list(_begun(driver, routes)), list[_Job]()
    ends = time.monotonic() + _PATIENCE_SECONDS
    while running and time.monotonic() < ends:
        now = time.monotonic()
        for job in [job for job in running if job.next_at <= now]:
            job.shown.append(driver.send(job.read))
            job.next_at = time.monotonic() + job.pause
            if job.has_ended:
                running.remove(job)
                ended.append(job)
                _ended(driver, routes, job)
        if running:
            until = min(ends, *(job.next_at for job in running))
            time.sleep(max(until - time.monotonic(), 0.0))
    for job in running:
        _not_ended(driver, job)
    for job in ended:
        _cancel(driver, routes, job)


def _begun(driver: Driver, routes: ContractRoutes) -> Iterator[_Job]:
    for maker in driver.contract.operations.values():
        before = driver.successes.get(maker.pointer)
        if before is None or maker.is_safe or maker.method == "DELETE":
            continue
        read = reader_of_created(driver, routes, *before, _MONITORS)
        is_job = _is_accepted(before[1]) or (read and read.operation.get(FINAL) is not None)
        if read is not None and is_job:
            job = _begin(driver, routes, maker)
            if job is not None:
                yield job
        elif _is_accepted(before[1]):
            reason = "its response has no Location and no id of a job that an operation reads"
            driver.target.record.skip(JOB_ENDS, maker.pointer, reason)


def _begin(driver: Driver, routes: ContractRoutes, maker: ContractOperation) -> _Job | None:
    success = driver.first_success(maker)
    read = None if success is None else reader_of_created(driver, routes, *success, _MONITORS)
    if success is None or read is None:
        return None
    return _Job(maker, success[1], read, time.monotonic())


def _is_accepted(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.status == _ACCEPTED


def _ended(driver: Driver, routes: ContractRoutes, job: _Job) -> None:
    """Read a job that has ended again, and its result."""
    driver.target.record.check(JOB_ENDS, job.maker.pointer)
    if job.has_succeeded:
        _has_result(driver, routes, job)
    _stays(driver, job)


def _has_result(driver: Driver, routes: ContractRoutes, job: _Job) -> None:
    location = job.response.header("location") if job.response is not None else None
    url = job.shown[-1].request.url
    elsewhere = None if location is None else reader_at(routes, url, location)
    calls = [] if elsewhere is None else [elsewhere]
    for call in (*calls, *_below(driver, job, "GET", _RESULTS)):
        exchange = driver.send(call)
        driver.target.record.check(JOB_HAS_RESULT, job.maker.pointer)
        if exchange.response is not None and exchange.response.status in _MISSING:
            message = f"{call.operation.name} returns {exchange.response.status} after its end"
            driver.violate(JOB_HAS_RESULT, job.maker, message, job.began, *job.shown[-1:], exchange)


def _below(
    driver: Driver, job: _Job, method: str, names: tuple[str, ...]
) -> Iterator[OperationCall]:
    """Yield the calls below a job with one of these names as the last part of their path."""
    path = shape(job.read.operation.site.key)
    for operation in driver.contract.operations.values():
        own = shape(operation.site.key)
        if operation.method == method and own[:-1] == path and own[-1] in names:
            pairs = zip(
                variables(operation.site.key), variables(job.read.operation.site.key), strict=True
            )
            arguments = {("path", one): job.read.arguments["path", other] for one, other in pairs}
            yield OperationCall(operation, arguments)


def _cancel(driver: Driver, routes: ContractRoutes, job: _Job) -> None:
    """Cancel a job that has ended, and one that has just begun: a final state does not change."""
    seconds = job.next_at - job.began_at
    for call in _below(driver, job, "POST", _CANCELS):
        driver.send(call)
        _stays(driver, job)
    is_cancelled = any(_below(driver, job, "POST", _CANCELS)) and seconds < _SHORT_SECONDS
    new = _begin(driver, routes, job.maker) if is_cancelled else None
    if new is None:
        return
    for call in _below(driver, new, "POST", _CANCELS):
        driver.send(call)
    new.shown.append(driver.send(new.read))
    if new.has_ended:
        # As long as the other one took.
        time.sleep(seconds)
        _stays(driver, new)


def _stays(driver: Driver, job: _Job) -> None:
    """Read a job with a final state again, and compare its state with the earlier one."""
    state = job.state
    job.shown.append(driver.send(job.read))
    if job.state not in (state, None):
        message = f"the state is '{job.state}' after it was '{state}'"
        driver.violate(JOB_ENDS, job.maker, message, job.began, *job.shown[-2:])


def _not_ended(driver: Driver, job: _Job) -> None:
    record, response = driver.target.record, job.response
    record.check(JOB_IS_FOUND, job.maker.pointer)
    if response is not None and response.status in _MISSING:
        message = f"{job.read.operation.name} returns {response.status} for its job"
        driver.violate(JOB_IS_FOUND, job.maker, message, job.began, *job.shown[-1:])
    elif job.is_pending:
        message = f"its job is still '{job.state}' after {_PATIENCE_SECONDS:.0f} seconds"
        driver.violate(JOB_ENDS, job.maker, message, job.began, *job.shown[-1:])
    else:
        reason = f"its state may be final or not: declare `{FINAL.name}`"
        record.skip(JOB_ENDS, job.maker.pointer, reason)
