"""A run ends even if single operations hang or never end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.robustness.malformed_requests import robustness
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.preflight import reach
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing.plan import derive
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import serving
from tests.conftest import Run

EVENTS = "text/event-stream"
# For what hangs; the other responses come in time even on a machine that is very busy.
PATIENCE_SECONDS = 5.0


async def events() -> AsyncIterator[bytes]:
    """One, and then the connection is kept."""
    yield b"data: 1\n\n"
    await asyncio.Event().wait()


async def silence() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def drops() -> AsyncIterator[bytes]:
    """A body that is never whole."""
    yield b'{"a": '
    await asyncio.Event().wait()


async def stream(request: Request) -> Response:
    return StreamingResponse(events(), media_type=EVENTS)


async def quiet(request: Request) -> Response:
    return StreamingResponse(silence(), media_type=EVENTS)


async def hang(request: Request) -> Response:
    return StreamingResponse(drops(), media_type="application/json")


async def page(request: Request) -> Response:
    return HTMLResponse("<p>")


async def thing(request: Request) -> Response:
    return JSONResponse({})


PLACES = {
    "/a-stream": (stream, EVENTS),
    "/b-quiet": (quiet, EVENTS),
    "/c-page": (page, "text/html"),
    "/d-hang": (hang, "application/json"),
    "/e-thing": (thing, "application/json"),
}


def contract(path: Path, *places: str) -> Contract:
    def operation(kind: str) -> dict[str, Any]:
        return {"responses": {"200": {"description": "An answer.", "content": {kind: {}}}}}

    document = {
        "openapi": "3.1.1",
        "info": {"title": "Places", "version": "1"},
        "paths": {place: {"get": operation(PLACES[place][1])} for place in places or PLACES},
    }
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def application() -> Starlette:
    return Starlette(routes=[Route(f"/v1{path}", each) for path, (each, _) in PLACES.items()])


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Contract, Record]:
    """Some scenarios against an API with operations that do not end."""
    found = contract(tmp_path_factory.mktemp("asked") / "api.json")
    with (
        serving(application()) as url,
        TargetServer(url, None, Record(), {}, timeout=PATIENCE_SECONDS) as target,
    ):
        driver = Driver(found, target, "scenarios")
        reach(found, target)
        explore(driver)
        robustness(driver)
    return found, target.record


def outcomes(record: Record, path: str) -> set[int | None]:
    return {
        exchange.response.status if exchange.response else None
        for exchange in record.exchanges
        if exchange.request.url.endswith(path) and exchange.request.method == "GET"
    }


def test_the_first_bytes_of_a_stream_are_an_answer(asked: tuple[Contract, Record]) -> None:
    _, record = asked
    assert outcomes(record, "/a-stream") == {200}
    bodies = {
        exchange.response.body for exchange in record.exchanges if exchange.response is not None
    }
    assert b"data: 1\n\n" in bodies


def test_a_stream_on_which_nothing_comes_is_an_answer(asked: tuple[Contract, Record]) -> None:
    _, record = asked
    assert outcomes(record, "/b-quiet") == {200}


def test_an_operation_that_hangs_is_asked_once(asked: tuple[Contract, Record]) -> None:
    _, record = asked
    hanging = [
        exchange for exchange in record.exchanges if exchange.request.url.endswith("/d-hang")
    ]
    assert [exchange.response for exchange in hanging] == [None]
    assert outcomes(record, "/e-thing") == {200}


def test_what_does_not_end_is_not_fuzzed(asked: tuple[Contract, Record]) -> None:
    found, record = asked
    routes = ContractRoutes(found, "http://127.0.0.1/v1")
    derived = derive(found, routes, record.exchanges, 2)
    assert {path for path, item in derived["paths"].items() if item} == {"/c-page", "/e-thing"}


@pytest.mark.parametrize("first", ["/a-stream", "/b-quiet", "/c-page", "/d-hang"])
def test_what_is_documented_may_answer_first(tmp_path: Path, first: str) -> None:
    found = contract(tmp_path / "api.json", first, "/e-thing")
    with (
        serving(application()) as url,
        TargetServer(url, None, Record(), {}, timeout=PATIENCE_SECONDS) as target,
    ):
        reach(found, target)
    assert outcomes(target.record, first) == {None if first == "/d-hang" else 200}


def mistaken(path: Path, **mistakes: Any) -> Path:
    """A document with two operations, of which only one is without a mistake."""
    found = contract(path, "/d-hang", "/e-thing").document.data
    operation = found["paths"]["/d-hang"]["get"]
    operation["responses"]["200"]["content"]["application/json"] = {
        "schema": {"$ref": "#/components/schemas/Thing"}
    }
    thing = {"type": "object", "properties": {"a": {"type": "nothing"}}}
    found["components"] = {"schemas": {"Thing": thing}}
    path.write_text(json.dumps({**found, **mistakes}, indent=2), "utf-8")
    return path


def test_operations_with_errors_of_the_document_are_left_out_and_named(
    specwright: Run, tmp_path: Path
) -> None:
    api = mistaken(tmp_path / "api.json")
    with serving(application()) as url:
        # However slow the machine is, the fuzzer gets its turn.
        arguments = ("--document", str(api), "--seed", "1", "--max-time", "600")
        run = specwright("test", url, *arguments, "--report-dir", str(tmp_path))
    assert run.returncode == 3, run.stdout + run.stderr
    line = next(each for each in run.stdout.splitlines() if "GET /d-hang" in each)
    place = api.read_text("utf-8").partition('"nothing"')[0].count("\n") + 1
    assert f"api.json:{place}:" in line
    assert "Fuzzing: reached 1 of 1 operations" in run.stdout
    # Nothing declares charges or keys: those steps have no part in the time.
    steps = {step["name"] for step in json.loads((tmp_path / "result.json").read_text())["steps"]}
    assert "explore" in steps
    assert steps.isdisjoint({"conservation", "idempotency", "charges", "receiver URLs"})


def test_an_error_that_concerns_everything_lets_nothing_be_tested(
    specwright: Run, tmp_path: Path
) -> None:
    api = mistaken(tmp_path / "api.json", info={"title": "Places"})
    run = specwright("test", "http://127.0.0.1:1", "--document", str(api))
    assert run.returncode == 2
    assert "a document with errors cannot be used" in run.stderr
