"""Jobs that a 202 accepts are read until they end, and so is their result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException, Response
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle import jobs as module
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.driver.driver import Driver
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (module.JOB_IS_FOUND, module.JOB_ENDS, module.JOB_HAS_RESULT)


class Export(BaseModel):
    id: str
    state: str


@dataclass
class Exports:
    """A server of exports, which are finished a number of reads after their start.

    Attributes:
        location: whether the response names the place of the export.
        is_named: whether it has the id.
        states: of each read in turn; the last one stays.
        missing: the number of the read from which the export is gone.
        file: the status of the file.
        retry_after: the seconds that a caller is asked to wait.
        final: the declaration of final states.
        status: that of the response to a creation.
        host: that of the place.
    """

    location: bool = True
    is_named: bool = True
    states: tuple[str, ...] = ("queued", "queued", "done")
    missing: int | None = None
    file: int = 200
    retry_after: str | None = None
    final: dict[str, Any] = field(default_factory=dict)
    status: int = 202
    host: str = ""
    reads: list[str] = field(default_factory=list)
    deletions: int = 0

    def app(self) -> FastAPI:
        """Return the server, whose document declares neither links nor headers."""
        app = FastAPI()

        @app.post("/exports", status_code=self.status)
        def begin(response: Response) -> dict[str, str]:
            self.reads = []
            if self.location:
                response.headers["Location"] = f"{self.host}/v1/exports/e1"
            return {"id": "e1", "state": "queued"} if self.is_named else {}

        @app.get("/exports/{export_id}/file")
        def file(export_id: str) -> str:
            if export_id != "e1" or self.file != 200:
                raise HTTPException(self.file)
            return "a,b"

        @app.get("/exports/{export_id}", openapi_extra=self.final)
        def read(export_id: str, response: Response) -> Export:
            self.reads.append(export_id)
            is_missing = self.missing is not None and len(self.reads) >= self.missing
            if export_id != "e1" or is_missing:
                raise HTTPException(404)
            if self.retry_after is not None:
                response.headers["Retry-After"] = self.retry_after
            state = self.states[min(len(self.reads), len(self.states)) - 1]
            return Export(id=export_id, state=state)

        @app.delete("/exports/{export_id}", status_code=202)
        def delete(export_id: str, response: Response) -> None:
            self.deletions += 1
            response.headers["Location"] = "/v1/exports/e1"

        return app


class Clock:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now, self.pauses = 0.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)
        self.pauses.append(round(seconds, 3))


def run(
    exports: Exports, place: Path, monkeypatch: pytest.MonkeyPatch, look: Callable[[Driver], None]
) -> Clock:
    """Run the scenario after the first call of each operation."""
    clock = Clock()
    paused = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep)
    monkeypatch.setattr(module, "time", paused)
    with driver_of(exports.app(), place) as driver:
        for operation in driver.contract.operations.values():
            driver.first_success(operation)
        module.jobs(driver)
        look(driver)
    return clock


def told(exports: Exports, place: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return rule and message of each violation about jobs."""
    violations = list[tuple[str, str]]()

    def look(driver: Driver) -> None:
        for violation in driver.target.record.violations:
            if violation.rule in PROVEN:
                violations.append((violation.rule, violation.text))
                assert set(violation.exchanges) <= set(driver.target.record.exchanges)

    run(exports, place, monkeypatch, look)
    return violations


DECLARED = {
    "x-contract-final": {"at": "/state", "states": ["shipped"], "interval_seconds": 3},
}


@pytest.mark.parametrize(
    ("exports", "violations"),
    [
        (Exports(), []),
        (Exports(location=False), []),
        (Exports(is_named=False), []),
        (Exports(states=("in-progress", "Completed")), []),
        (Exports(states=("queued", "failed"), file=404), []),
        (
            Exports(states=("queued",)),
            [("job-ends", "POST /exports: its job is still 'queued' after 10 seconds")],
        ),
        (
            Exports(states=("queued", "done", "queued")),
            [("job-ends", "POST /exports: the state is 'queued' after it was 'done'")],
        ),
        (
            Exports(missing=1),
            [("job-is-found", "POST /exports: GET /exports/{export_id} returns 404 for its job")],
        ),
        (
            Exports(missing=2),
            [("job-is-found", "POST /exports: GET /exports/{export_id} returns 404 for its job")],
        ),
        (
            Exports(file=404),
            [
                (
                    "job-has-result",
                    "POST /exports: GET /exports/{export_id}/file returns 404 after its end",
                )
            ],
        ),
        (Exports(states=("packed", "shipped"), final=DECLARED), []),
        (Exports(states=("packed", "shipped"), final=DECLARED, status=201), []),
        (
            Exports(states=("done",), final=DECLARED, status=201),
            [("job-ends", "POST /exports: its job is still 'done' after 10 seconds")],
        ),
        (Exports(states=("queued",), status=201), []),
    ],
)
def test_a_job_ends_and_has_its_result(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exports: Exports,
    violations: list[tuple[str, str]],
) -> None:
    assert told(exports, tmp_path, monkeypatch) == violations


@pytest.mark.parametrize(
    ("exports", "pause"),
    [
        (Exports(), 0.2),
        (Exports(location=False), 0.2),
        (Exports(retry_after="2"), 2.0),
        (Exports(states=("queued", "queued", "failed")), 0.2),
        (Exports(retry_after="Thu, 26 Nov 2026 00:00:00 GMT"), 0.2),
        (Exports(states=("packed", "packed", "shipped"), final=DECLARED), 3.0),
    ],
)
def test_a_job_is_read_again_after_the_pause_that_the_server_or_the_document_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exports: Exports, pause: float
) -> None:
    clock = run(exports, tmp_path, monkeypatch, lambda _: None)
    # Two pauses between three reads; the fourth read is after the end. Deletions are no jobs.
    assert [seconds for seconds in clock.pauses if seconds > 0] == [pause, pause]
    assert len(exports.reads) == 4
    assert exports.deletions == 1


@pytest.mark.parametrize(
    ("exports", "reason"),
    [
        (
            Exports(location=False, is_named=False),
            "its response has no Location and no id of a job that an operation reads",
        ),
        (
            Exports(host="http://exports.invalid", is_named=False),
            "its response has no Location and no id of a job that an operation reads",
        ),
        (
            Exports(states=("somewhere",)),
            "its state may be final or not: declare `x-contract-final`",
        ),
    ],
)
def test_a_job_that_cannot_be_followed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exports: Exports, reason: str
) -> None:
    def look(driver: Driver) -> None:
        skips = [skip.reason for skip in driver.target.record.skips if skip.rule in PROVEN]
        assert skips == [reason]

    run(exports, tmp_path, monkeypatch, look)


def test_a_job_without_arguments_is_begun_and_is_no_reset(tmp_path: Path) -> None:
    with driver_of(Exports(location=False).app(), tmp_path) as driver:
        explore(driver)
        assert driver.successes.keys() == driver.contract.operations.keys()


@dataclass
class Renders:
    """A server of jobs that take a time, and that can be cancelled.

    Attributes:
        path: the last part of the path by which they are cancelled.
        seconds: how long a job takes.
        ignored: a job that was cancelled goes on.
        late: a job that is done can be cancelled.
        slow: a cancellation takes a time, too.
        refused: no job can be cancelled.
    """

    path: str = "cancel"
    seconds: float = 0.5
    ignored: bool = False
    late: bool = False
    slow: bool = False
    refused: bool = False
    cancelled: list[str] = field(default_factory=list)

    def app(self, clock: Clock) -> FastAPI:
        app, began, numbers = FastAPI(), dict[str, float](), count()

        def state_of(job_id: str) -> str:
            if job_id not in began:
                raise HTTPException(404)
            is_done = clock.now - began[job_id] >= self.seconds
            if job_id in self.cancelled and not (self.ignored and is_done):
                return "cancelling" if self.slow and not is_done else "cancelled"
            return "done" if is_done else "running"

        @app.post("/renders", status_code=202)
        def begin() -> Export:
            job_id = f"r{next(numbers)}"
            began[job_id] = clock.now
            return Export(id=job_id, state="running")

        @app.get("/renders/{render_id}")
        def read(render_id: str) -> Export:
            return Export(id=render_id, state=state_of(render_id))

        @app.post(f"/renders/{{render_id}}/{self.path}")
        def cancel(render_id: str) -> Export:
            if self.refused or (state_of(render_id) == "done" and not self.late):
                raise HTTPException(409)
            self.cancelled.append(render_id)
            return read(render_id)

        return app


AFTER = "POST /renders: the state is '{}' after it was '{}'"


@pytest.mark.parametrize(
    ("renders", "violations"),
    [
        (Renders(), []),
        (Renders(slow=True), []),
        (Renders(refused=True), []),
        (Renders(seconds=3.0), []),
        (Renders(ignored=True), [AFTER.format("done", "cancelled")]),
        (Renders(ignored=True, path="abort"), [AFTER.format("done", "cancelled")]),
        # What is cancelled in the end is another matter.
        (Renders(ignored=True, path="pause"), []),
        (Renders(ignored=True, seconds=3.0), []),
        (Renders(ignored=True, slow=True), []),
        (Renders(late=True), [AFTER.format("cancelled", "done")]),
    ],
)
def test_a_job_that_was_cancelled_or_is_done_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renders: Renders, violations: list[str]
) -> None:
    clock = Clock()
    paused = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep)
    monkeypatch.setattr(module, "time", paused)
    with driver_of(renders.app(clock), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            driver.first_success(operation)
        renders.cancelled.clear()
        module.jobs(driver)
        assert messages(driver, *PROVEN) == violations
    # One that takes long is not begun again.
    assert len(renders.cancelled) <= (0 if renders.seconds > 1 else 2)
