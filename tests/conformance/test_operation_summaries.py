"""An operation that never succeeded is shown with its last request and a hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.outcome.operation_summaries import operation_summaries
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from specwright.findings import OperationSummary
from tests.conformance.shop import DOCUMENT
from tests.conformance.test_command import Exchange as Answering
from tests.conformance.test_command import playing
from tests.conftest import Run

ORDER = "/paths/~1orders~1{order_id}/get"


def exchange(status: int, role: str = MAIN, source: str = "scenarios") -> Exchange:
    request = HttpRequest("GET", f"http://127.0.0.1/v1/orders/{source}", ())
    response = HttpResponse(status, (), b"{}") if status else None
    return Exchange(0, source, role, ORDER, request, response, None if status else "Broken", 0, 0)


def visited(*exchanges: Exchange) -> OperationSummary:
    record = Record()
    for each in exchanges:
        record.add(each)
    found = {
        summary.operation: summary
        for summary in operation_summaries(Contract(load(DOCUMENT)), record)
    }
    return found["GET /orders/{order_id}"]


def test_successes_are_counted() -> None:
    assert visited(exchange(200), exchange(404), exchange(200)) == OperationSummary(
        "GET /orders/{order_id}", 2
    )


def test_what_was_never_called_says_what_is_missing() -> None:
    found = visited()
    assert found.hint == "no request could be made: give an example of 'order_id'"
    assert found.evidence == ()


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (404, "give an example of 'order_id' that exists"),
        (422, "give an example of 'order_id' that the server accepts"),
        (401, "the key is not accepted here: check which scheme the operation requires"),
        (307, "the server redirects: correct the path in the document, or the base URL"),
        (503, "the server failed: check its log"),
        (0, "the server failed: check its log"),
    ],
)
def test_each_outcome_has_a_hint(status: int, hint: str) -> None:
    found = visited(exchange(status))
    assert (found.outcome, found.hint) == (str(status) if status else "Broken", hint)


def test_the_last_request_is_that_of_a_scenario_with_the_key() -> None:
    found = visited(exchange(422), exchange(400, source="fuzzing"), exchange(401, ANONYMOUS))
    assert found.outcome == "422"
    assert "/orders/scenarios" in found.evidence[0].text
    assert found.evidence[1].text.startswith("422")


def respond(exchange: Answering) -> None:
    if exchange.path == "/session" and exchange.command == "GET":
        exchange.answer(409)
    else:
        exchange.answer(405, allow="GET")


def test_the_last_line_says_why_nothing_was_tested(specwright: Run, tmp_path: Path) -> None:
    answers = {"200": {"description": "…"}, "409": {"description": "…"}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Sessions", "version": "1"},
        "paths": {"/session": {"get": {"responses": answers}}},
    }
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    with playing(respond) as port:
        place = (f"http://127.0.0.1:{port}", "--document", str(path), "--max-time", "3")
        done = specwright("test", *place, "--quiet")
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stdout == (
        f"{path}: 1 of 1 operations never succeeded: GET /session (409); no findings\n"
    )
