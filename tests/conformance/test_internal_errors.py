"""Errors of this program cost the request or the step in which they happen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi import FastAPI

from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetLost
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import run_report
from specwright.conformance.run import RunProfile, begin
from specwright.internal_errors import INTERNAL_ERROR
from tests.conformance.fastapi_apps import driver_of, messages

COST = "specwright fails on this, which is a bug (ValueError); "


def app() -> FastAPI:
    app = FastAPI()

    @app.get("/broken")
    def broken() -> str:
        return "here"

    @app.get("/whole")
    def whole() -> str:
        return "here"

    return app


def test_a_request_that_cannot_be_made_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = OperationCall.path.fget
    assert plain is not None

    def path(call: OperationCall) -> str:
        if call.operation.site.key == "/broken":
            raise ValueError("a secret of the document")
        return str(plain(call))

    monkeypatch.setattr(OperationCall, "path", property(path))
    with driver_of(app(), tmp_path) as driver:
        results = {
            operation.site.key: driver.first_success(operation) is not None
            for operation in driver.contract.operations.values()
        }
        assert results == {"/broken": False, "/whole": True}
        assert messages(driver, INTERNAL_ERROR.id) == [f"{COST}the request is not sent"]
        (violation,) = driver.target.record.failures.values()
        assert violation.pointer == "/paths/~1broken/get"
        (bug,) = driver.target.record.bugs
        assert bug.startswith("ValueError at ")
        assert "secret" not in bug


def test_a_step_that_fails_costs_its_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with driver_of(app(), tmp_path) as driver:
        run = begin(driver.contract, driver.target, RunProfile.QUICK, seed=1, max_time=20)

        def step() -> None:
            operation = driver.contract.operations["/paths/~1whole/get"]
            driver.send(OperationCall(operation), MAIN)
            raise ValueError

        run._take("explore", "scenarios", step)
        run._take("written", "scenarios", lambda: None)
        report = run_report(run, Standards(), ())
    assert [step[0] for step in run.steps] == ["explore", "written"]
    (finding,) = [finding for finding in report.findings if finding.rule == INTERNAL_ERROR.id]
    assert finding.message == f"{COST}the rest of the step 'explore' is left out"
    assert finding.pointer == "/paths/~1whole/get"
    assert finding.level.value == "error"
    facts = dict(report.facts)
    assert facts["Report this"].startswith("ValueError at ")
    assert json.dumps(facts)


def test_a_target_that_is_lost_ends_the_run(tmp_path: Path) -> None:
    with driver_of(app(), tmp_path) as driver:
        run = begin(driver.contract, driver.target, RunProfile.QUICK, seed=1, max_time=20)

        def step() -> None:
            raise TargetLost("nothing listens")

        with pytest.raises(TargetLost):
            run._take("explore", "scenarios", step)
        assert driver.target.record.bugs == []
