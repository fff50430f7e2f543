"""Examples that are slow on purpose are sent beside the fuzzer, and not by it."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from specwright.conformance import run as runs
from specwright.conformance.checks.idempotency.used_keys import refusals
from specwright.conformance.checks.requests.examples import examples
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing.profile import FuzzingLimits
from specwright.conformance.recording.record import Record
from specwright.conformance.run import RunProfile, begin
from specwright.document.operations.security import Credential
from tests.conformance import shop
from tests.conformance.fastapi_apps import driver_of
from tests.conformance.test_scenarios import ANNA, contract


class Job(BaseModel):
    speed: str


def app(released: Event) -> FastAPI:
    """Jobs, of which the slow ones end when the fuzzer begins."""
    app = FastAPI()
    shown = {speed: {"value": {"speed": speed}} for speed in ("fast", "slow")}
    content = {"application/json": {"examples": shown}}

    @app.post("/jobs", openapi_extra={"requestBody": {"content": content}})
    def start(job: Job) -> Job:
        assert job.speed != "slow" or released.wait(10)
        return job

    return app


def test_the_fuzzer_does_not_send_examples_that_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, left_out = Event(), []

    def fuzz(
        _: object, __: object, ___: FuzzingLimits, seed: int, slow: list[OperationCall]
    ) -> None:
        left_out.extend(call.body for call in slow)
        released.set()

    monkeypatch.setattr(runs, "fuzz", fuzz)
    monkeypatch.setattr(runs, "_SLOW_SECONDS", 0.4)
    with driver_of(app(released), tmp_path) as driver:
        begin(driver.contract, driver.target, RunProfile.QUICK, seed=1).go()
        assert left_out == [{"speed": "slow"}]
        assert driver.slow(0.0) == []


def test_examples_of_operations_with_keys_are_sent_by_one_step() -> None:
    with (
        shop.serving(shop.Shop().app()) as url,
        TargetServer(url, Credential.of(contract().document), Record(), {MAIN: ANNA}) as target,
    ):
        driver = Driver(contract(), target, "scenarios")
        order = contract().by_id["createOrder"]

        def notes() -> set[object]:
            bodies = (
                exchange.request.json_or_none
                for exchange in target.record.exchanges
                if exchange.operation == order.pointer
            )
            return {body.get("note") for body in bodies if isinstance(body, dict)}

        examples(driver)
        # Nothing is known to succeed, so that no key can be used again.
        assert notes() == {"fresh", "sold out"}
        target.record.exchanges.clear()
        assert driver.first_success(order) is not None
        target.record.exchanges.clear()
        examples(driver)
        assert notes() == set()
        refusals(driver)
        assert {"fresh", "sold out"} <= notes()
