"""Idempotency keys of operations on one resource, and of requests that take a while."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from specwright.conformance.checks.idempotency.idempotency import idempotency
from specwright.conformance.checks.idempotency.used_keys import Keys, refusals
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.recording.exchange import Exchange
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from tests.conformance.fastapi_apps import driver_of, messages

DECLARED = {
    "key": "/reference",
    "replay": {"status": 201, "header": "Replayed", "value": "yes"},
    "in_progress": {"status": 409, "header": "Retry-After"},
    "changed": {"status": 422},
    "scope": ["partner"],
}
BODY = {"reference": "first", "amount": 5}
# Long enough for a second request.
WORK_SECONDS = 0.3


class Topup(BaseModel):
    reference: str
    amount: int


def _again(response: JSONResponse, headers: dict[str, str]) -> Response:
    return Response(response.body, 201, headers, "application/json")


def cards(bug: str = "") -> FastAPI:
    """Two cards, whose top-ups take a while."""
    app, lock = FastAPI(), threading.Lock()
    app.state.begun = threading.Event()
    busy, done = set[str](), dict[str, tuple[object, JSONResponse]]()

    @app.get("/cards")
    def listed() -> list[dict[str, str]]:
        return [{"id": "c1"}, {"id": "c2"}]

    @app.post(
        "/cards/{id}/topups",
        status_code=201,
        openapi_extra={"x-contract-idempotency": DECLARED},
    )
    def add(id: str, topup: Topup) -> Response:
        payload = (topup.amount,) if bug == "any card" else (id, topup.amount)
        with lock:
            if topup.reference in busy:
                headers = {} if bug == "no pause" else {"Retry-After": "1"}
                return JSONResponse({}, 409, headers)
            if topup.reference in done:
                before, response = done[topup.reference]
                headers = {"Replayed": "yes"}
                return _again(response, headers) if before == payload else JSONResponse({}, 422)
            busy.add(topup.reference)
            app.state.begun.set()
        time.sleep(WORK_SECONDS)
        response = JSONResponse({"card": id, "reference": topup.reference}, 201)
        with lock:
            busy.discard(topup.reference)
            done[topup.reference] = payload, response
        return response

    body = app.openapi()["paths"]["/cards/{id}/topups"]["post"]["requestBody"]
    body["content"]["application/json"]["examples"] = {"usual": {"value": BODY}}
    return app


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", set()),
        ("any card", {"a request to another path got the response of the first one"}),
        (
            "no pause",
            {
                "a request that is in progress was answered without Retry-After",
                "a concurrent request was answered without Retry-After",
            },
        ),
    ],
)
def test_the_card_is_part_of_a_request_and_a_pause_is_named(
    tmp_path: Path, bug: str, said: set[str]
) -> None:
    with driver_of(cards(bug), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            assert driver.first_success(operation) is not None
        idempotency(driver)
        refusals(driver)
        found = messages(driver, "idempotency-changed", "idempotency-concurrent")
        assert {each.removeprefix("POST /cards/{id}/topups: ") for each in found} == said


def test_a_request_may_arrive_after_the_one_that_was_sent_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, probe, main = cards("no pause"), Driver.probe, threading.current_thread()

    def late(driver: Driver, call: OperationCall, role: str = MAIN) -> Exchange:
        if threading.current_thread() is not main:
            assert app.state.begun.wait(10)
        return probe(driver, call, role)

    with driver_of(app, tmp_path) as driver:
        (operation,) = (each for each in driver.contract.operations.values() if each.body)
        made = driver.first_success(operation)
        assert made is not None
        app.state.begun.clear()
        monkeypatch.setattr(Driver, "probe", late)
        Keys(driver, operation, operation.get(IDEMPOTENCY)).at_work(made[0])
        said = "a request that is in progress was answered without Retry-After"
        assert messages(driver, "idempotency-concurrent") == [f"POST /cards/{{id}}/topups: {said}"]
