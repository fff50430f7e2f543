"""Redirects: a declared one is a success, an undeclared one is not."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse

from specwright.conformance.checks.lifecycle.deletion import deleted
from specwright.conformance.checks.requests.explore import PATIENCE_SECONDS, explore
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.fuzzing.plan import derive
from specwright.conformance.outcome.coverage import coverage, never_succeeded
from specwright.conformance.outcome.operation_summaries import operation_summaries
from tests.conformance.fastapi_apps import driver_of, messages
from tests.conformance.shop import serving
from tests.conftest import Run

THERE = "https://there.example/it"


def declared(*statuses: str) -> dict[int | str, dict[str, Any]]:
    return {status: {"description": "It is elsewhere."} for status in statuses}


def redirecting(status: int, *statuses: str, method: str = "GET") -> FastAPI:
    """One operation that redirects with a status, and declares others."""
    app = FastAPI()

    @app.api_route("/short/{code}", methods=[method], responses=declared(*statuses))
    def short(code: str) -> RedirectResponse:
        return RedirectResponse(THERE, status)

    responses = app.openapi()["paths"]["/short/{code}"][method.lower()]["responses"]
    if "200" not in statuses:
        del responses["200"]
    return app


@pytest.mark.parametrize(
    ("status", "statuses", "method"),
    [
        (302, ["302"], "GET"),
        (303, ["303"], "POST"),
        (307, ["307"], "POST"),
        (308, ["308"], "GET"),
        (301, ["3XX"], "GET"),
        (302, ["200", "302"], "GET"),
    ],
)
def test_a_declared_redirect_is_a_success(
    status: int, statuses: list[str], method: str, tmp_path: Path
) -> None:
    with driver_of(redirecting(status, *statuses, method=method), tmp_path) as driver:
        started = time.monotonic()
        explore(driver)
        assert time.monotonic() - started < PATIENCE_SECONDS
        contract, record = driver.contract, driver.target.record
        assert never_succeeded(contract, record) == []
        [summary] = operation_summaries(contract, record)
        assert (bool(summary.successes), summary.hint) == (True, "")
        reached = {item.name: item.reached for item in coverage(contract, record)}
        assert reached[f"{method} /short/{{code}}"]
        assert reached[f"{method} /short/{{code}} code"]


@pytest.mark.parametrize("statuses", [["200"], ["default"], ["303", "4XX"]])
def test_an_undeclared_redirect_is_not_a_success(statuses: list[str], tmp_path: Path) -> None:
    with driver_of(redirecting(302, *statuses), tmp_path) as driver:
        [operation] = driver.contract.operations.values()
        assert driver.first_success(operation) is None
        [summary] = operation_summaries(driver.contract, driver.target.record)
        assert (summary.successes, summary.outcome) == (0, "302")
        assert summary.hint.startswith("the server redirects")


def test_the_location_after_a_form_has_the_id_of_what_it_made(tmp_path: Path) -> None:
    app, notes = FastAPI(), dict[str, str]()

    @app.post("/notes", status_code=303, response_class=RedirectResponse)
    def add(words: dict[str, str]) -> RedirectResponse:
        notes[name := f"note{len(notes)}"] = "text"
        return RedirectResponse(f"/v1/notes/{name}", 303)

    @app.get("/notes/{name}", responses=declared("404"))
    def read(name: str) -> str:
        if name not in notes:
            raise HTTPException(404)
        return notes[name]

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        contract, record = driver.contract, driver.target.record
        assert never_succeeded(contract, record) == []
        routes = ContractRoutes(contract, driver.target.base_url)
        derived = derive(contract, routes, record.exchanges, 1)
        [name] = [
            parameter["example"]
            for parameter in derived["paths"]["/notes/{name}"]["get"]["parameters"]
        ]
        assert name.startswith("note")


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_redirect_of_a_deletion_does_not_say_that_anything_was_deleted(
    status: int, tmp_path: Path
) -> None:
    app = redirecting(status, str(status), method="DELETE")

    @app.get("/short/{code}", include_in_schema=False)
    def read(code: str) -> dict[str, str]:
        return {}

    document = app.openapi()
    document["paths"]["/short/{code}"]["get"] = {
        "parameters": document["paths"]["/short/{code}"]["delete"]["parameters"],
        "responses": {"200": {"description": "It is there."}},
    }
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        deleted(driver)
        assert messages(driver, "deleted-is-gone") == []
        assert [skip.rule for skip in driver.target.record.skips] == ["deleted-is-gone"]


def test_a_run_of_redirects_ends_well(specwright: Run, tmp_path: Path) -> None:
    app = redirecting(302, "302", "422")

    @app.post("/forms", status_code=303, response_class=RedirectResponse)
    def form(words: dict[str, str]) -> RedirectResponse:
        return RedirectResponse("/v1/thanks", 303)

    outer = FastAPI()
    outer.mount("/v1", app)
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(app.openapi()), "utf-8")
    with serving(outer) as url:
        run = specwright("test", url, "--document", str(document), "--seed", "1")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Never succeeded" not in run.stdout
