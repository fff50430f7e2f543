"""A slow server gets more time, and not fewer requests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI

from specwright.conformance import run as runs
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing import profile as fuzzing
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.run import (
    RunProfile,
    begin,
    recent_slowness,
    slowness_of,
    usual_seconds,
)
from specwright.pointer import Pointer
from tests.conformance.fastapi_apps import driver_of


def app() -> FastAPI:
    app = FastAPI()

    @app.get("/items")
    def items() -> list[str]:
        return []

    return app


def taking(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> list[str]:
    """Let responses take these times, one after the other; return the URLs of the requests."""
    times, urls, send = iter(seconds), list[str](), TargetServer.send

    def timed(
        target: TargetServer,
        request: HttpRequest,
        source: str,
        operation: Pointer | None,
        role: str = "main",
    ) -> Exchange:
        urls.append(request.url)
        return replace(send(target, request, source, operation, role), seconds=next(times))

    monkeypatch.setattr(TargetServer, "send", timed)
    return urls


@pytest.mark.parametrize(
    ("seconds", "slowness"),
    [
        ((0.001, 0.001, 0.001, 0.001, 0.001), 1.0),
        ((0.9, 0.06, 0.06, 0.001, 0.001), 3.0),
        ((9.0, 9.0, 9.0, 0.06, 0.06), 8.0),
    ],
)
def test_the_median_of_some_responses_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: tuple[float, ...], slowness: float
) -> None:
    with driver_of(app(), tmp_path) as driver:
        assert slowness_of(driver.target) == 1.0
        assert driver.first_success(driver.contract.operations["/paths/~1items/get"]) is not None
        urls = taking(monkeypatch, *seconds)
        run = begin(driver.contract, driver.target, RunProfile.QUICK, seed=1)
        assert run.slowness == pytest.approx(slowness)
        assert run.budget.seconds == pytest.approx(60 * slowness)
        assert urls == [f"{driver.target.base_url}/items"] * 5


def test_limits_that_are_given_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with driver_of(app(), tmp_path) as driver:
        assert driver.first_success(driver.contract.operations["/paths/~1items/get"]) is not None
        taking(monkeypatch, *(0.1,) * 5)
        run = begin(driver.contract, driver.target, RunProfile.QUICK, seed=1, max_time=7)
        assert (run.slowness, run.budget.seconds) == (5.0, 7)


def test_more_time_is_for_steps_and_fuzzing() -> None:
    assert usual_seconds(RunProfile.QUICK, 300, 2.0) == 180.0
    assert usual_seconds(RunProfile.FULL, 300, 2.0) is None
    assert fuzzing.QUICK.slowed(2.0).seconds == 2 * fuzzing.QUICK.seconds


@pytest.mark.parametrize(
    ("seconds", "source", "slowness"),
    [
        ([], "scenarios", 1.0),
        ([0.001] * 80 + [0.06] * 20, "scenarios", 3.0),
        ([0.001] * 95 + [9.0] * 5, "scenarios", 1.0),
        # Earlier ones say nothing about now, and those of webhooks wait on purpose.
        ([0.06] * 50 + [0.001] * 100, "scenarios", 1.0),
        ([0.06] * 100, "webhooks", 1.0),
        ([9.0] * 100, "scenarios", 8.0),
    ],
)
def test_what_some_of_the_latest_responses_take_counts(
    seconds: list[float], source: str, slowness: float
) -> None:
    request, response = HttpRequest("GET", "http://x/", ()), HttpResponse(200, (), b"")
    exchanges = [
        Exchange(1, source, "main", None, request, response, None, 1.0, taken) for taken in seconds
    ]
    assert recent_slowness(exchanges) == pytest.approx(slowness)


@pytest.mark.parametrize(("max_time", "seconds"), [(None, 180.0), (7.0, 7.0)])
def test_a_server_that_becomes_slower_gets_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_time: float | None, seconds: float
) -> None:
    fuzzed = []

    def fuzz(_: object, __: object, limits: fuzzing.FuzzingLimits, *___: object) -> None:
        fuzzed.append(limits.seconds)

    monkeypatch.setattr(runs, "fuzz", fuzz)
    monkeypatch.setattr(runs, "recent_slowness", lambda _: 3.0)
    with driver_of(app(), tmp_path) as driver:
        run = begin(driver.contract, driver.target, RunProfile.QUICK, seed=1, max_time=max_time)
        assert run.slowness == 1.0
        run.go()
        assert (run.slowness, run.budget.seconds) == (3.0, seconds)
        assert run.budget.cut == []
        if max_time is None:
            assert fuzzed == [3.0 * fuzzing.QUICK.seconds]
            assert (run.budget.share("finish") or 0.0) > 60.0
