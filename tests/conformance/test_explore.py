"""Operations that succeed one after another are waited for, as long as there is progress."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from specwright.conformance.checks.requests import explore as module
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver import driver as workbench
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.fastapi_apps import driver_of, messages
from tests.conformance.test_command import Exchange, playing

STEPS = ("/cut", "/sewn", "/packed")
# So many that pauses which are of no use would take longer than there is patience.
MANY = tuple(f"/step-{number}" for number in range(20))


class Clock:
    """A clock that only pauses move, and the time of each success by its path."""

    def __init__(self) -> None:
        self.now = 0.0
        self.reached = {"/order": 0.0}

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def workshop(tmp_path: Path, steps: Sequence[str]) -> Path:
    """The document of a workshop with a path for each step."""
    answers = {"200": {"description": "Done.", "content": {"application/json": {}}}}
    document = {
        "openapi": "3.1.1",
        "info": {"title": "Workshop", "version": "1"},
        "paths": {path: {"get": {"responses": answers}} for path in steps},
    }
    path = tmp_path / "workshop.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float) -> set[str]:
    """The steps of a workshop that succeed; each is ready some seconds after the one before."""
    path, clock = workshop(tmp_path, STEPS), Clock()
    before = dict(zip(STEPS, ("/order", *STEPS), strict=False))

    def respond(exchange: Exchange) -> None:
        began = clock.reached.get(before[exchange.path])
        is_ready = began is not None and clock.now - began >= seconds
        if is_ready:
            clock.reached.setdefault(exchange.path, clock.now)
        exchange.answer(200 if is_ready else 404, b"{}")

    explore(path, monkeypatch, clock, respond)
    return {step for step in STEPS if step in clock.reached}


def pause(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Let pauses move a clock."""
    paused = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep)
    for module_type in (module, workbench):
        monkeypatch.setattr(module_type, "time", paused)


def explore(
    path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, respond: Callable[[Exchange], None]
) -> None:
    """Explore an API whose responses are played, while pauses move a clock."""
    pause(monkeypatch, clock)
    with (
        playing(respond) as port,
        TargetServer(f"http://127.0.0.1:{port}", None, Record(), {}) as target,
    ):
        module.explore(Driver(Contract(load(path)), target, "scenarios"))


def test_each_success_is_followed_by_as_much_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reached(tmp_path, monkeypatch, 4.0) == {*STEPS}


def test_without_progress_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reached(tmp_path, monkeypatch, 7.0) == set()


def test_a_call_to_a_busy_server_is_repeated_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked = Clock(), list[str]()

    def respond(exchange: Exchange) -> None:
        asked.append(exchange.path)
        is_third = asked.count(exchange.path) >= 3
        exchange.answer(200 if is_third else 503, b"{}")

    explore(workshop(tmp_path, MANY), monkeypatch, clock, respond)
    # Before any other operation, and after pauses that grow.
    assert asked[: 3 * len(MANY)] == [path for path in MANY for _ in range(3)]
    assert clock.now == pytest.approx(0.4 * len(MANY))


def test_a_server_that_is_always_busy_costs_seconds_and_not_a_pause_for_each_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    busy = workshop(tmp_path, MANY)
    explore(busy, monkeypatch, clock, lambda exchange: exchange.answer(503, b"{}"))
    assert module.PATIENCE_SECONDS <= clock.now < module.PATIENCE_SECONDS + 4


def test_what_is_renewed_is_deleted_again_as_it_may_hinder_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, orders, rules, clock = FastAPI(), list[str](), set[str](), Clock()

    @app.post("/orders", status_code=201)
    def order() -> dict[str, str]:
        orders.append(f"order-{len(orders)}")
        return {"id": orders[-1]}

    @app.delete("/orders/{id}", status_code=204)
    def cancel(id: str) -> None:
        # A rule keeps the server busy, and the first order was shipped.
        if rules or id == orders[0]:
            raise HTTPException(503 if rules else 409)

    @app.post("/rules", status_code=201)
    def rule() -> dict[str, str]:
        rules.add("a-rule")
        return {"id": "a-rule"}

    @app.delete("/rules/{id}", status_code=204)
    def repeal(id: str) -> None:
        rules.discard(id)

    pause(monkeypatch, clock)
    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        made = {driver.contract.operations[each].name for each in driver.successes}
    assert made == {"POST /orders", "DELETE /orders/{id}", "POST /rules", "DELETE /rules/{id}"}


def test_the_kind_that_was_made_last_is_deleted_first_and_nested_resources_before(
    tmp_path: Path,
) -> None:
    app = FastAPI()

    # The lower one comes first in the document.
    @app.post("/rules", status_code=201)
    @app.post("/orders", status_code=201)
    def make() -> dict[str, str]:
        return {"id": "one"}

    @app.post("/orders/{order}/items", status_code=201)
    def add(order: str) -> dict[str, str]:
        return {"id": "one"}

    @app.delete("/orders/{id}", status_code=204)
    @app.delete("/rules/{id}", status_code=204)
    def remove(id: str) -> None:
        return None

    @app.delete("/orders/{order}/items/{id}", status_code=204)
    def take_out(order: str, id: str) -> None:
        return None

    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        sent = [exchange.request for exchange in driver.target.record.exchanges]
    deleted = [each.url.partition("/v1")[2] for each in sent if each.method == "DELETE"]
    assert deleted[:3] == ["/rules/one", "/orders/one/items/one", "/orders/one"]


def test_an_operation_that_stays_busy_gets_its_pauses_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked = Clock(), list[float]()

    def respond(exchange: Exchange) -> None:
        if exchange.path == "/cut":
            asked.append(clock.now)
        exchange.answer(503 if exchange.path == "/cut" else 200, b"{}")

    explore(workshop(tmp_path, STEPS), monkeypatch, clock, respond)
    pauses = [round(later - before, 1) for before, later in itertools.pairwise(asked)]
    assert pauses[:3] == [0.1, 0.3, 0.9]
    # Afterwards some times at once, in each pass.
    assert set(pauses[3:]) == {0.0, module.PAUSE_SECONDS}
    assert pauses[3:].count(0.0) >= 4 * pauses[3:].count(module.PAUSE_SECONDS)


def test_a_busy_server_is_waited_for_before_anything_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, clock = FastAPI(), Clock()

    @app.post("/orders", status_code=201)
    def order() -> dict[str, str]:
        return {"id": "one"}

    @app.delete("/orders/{id}", status_code=204)
    def cancel(id: str) -> None:
        if clock.now < 2.0:
            raise HTTPException(503)

    pause(monkeypatch, clock)
    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        exchanges = driver.target.record.exchanges
    statuses = [exchange.response.status for exchange in exchanges if exchange.response is not None]
    assert statuses[: statuses.index(204)].count(201) == 1


def test_one_operation_that_is_always_busy_keeps_nothing_from_being_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, clock, looks = FastAPI(), Clock(), list[str]()

    @app.get("/orders/{id}")
    def order(id: str) -> dict[str, str]:
        looks.append(id)
        return {"id": id}

    @app.post("/orders", status_code=201)
    def make() -> dict[str, str]:
        return {"id": "one"}

    @app.post("/orders/{id}/shipment", status_code=201)
    def ship(id: str) -> None:
        if len(looks) < 4:
            raise HTTPException(409)

    @app.get("/forecast")
    def forecast() -> None:
        raise HTTPException(503)

    pause(monkeypatch, clock)
    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        made = {driver.contract.operations[each].name for each in driver.successes}
    assert "POST /orders/{id}/shipment" in made


def test_a_list_is_seen_while_there_is_something_in_it(tmp_path: Path) -> None:
    app, orders = FastAPI(), list[str]()

    class Shown(BaseModel):
        id: str
        price: int

    @app.get("/orders", response_model=list[Shown])
    def listed() -> JSONResponse:
        return JSONResponse([{"id": order} for order in orders])

    @app.post("/orders", status_code=201)
    def make() -> dict[str, str]:
        orders.append("one")
        return {"id": "one"}

    @app.delete("/orders/{id}", status_code=204)
    def cancel(id: str) -> None:
        orders.clear()

    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        said = "GET /orders: 200: \"price\" is a required property at '/*'"
        assert messages(driver, "response-schema") == [said]


def test_something_is_left_for_the_scenarios_that_follow(tmp_path: Path) -> None:
    app, orders, deleted = FastAPI(), dict[str, list[str]](), list[str]()

    @app.post("/orders", status_code=201)
    def make() -> dict[str, str]:
        orders[str(len(orders) + 1)] = []
        return {"id": str(len(orders))}

    @app.post("/orders/{id}/lines", status_code=201)
    def add(id: str) -> dict[str, str]:
        orders[id].append("line")
        return {"id": "line"}

    @app.delete("/orders/{id}", status_code=204)
    def cancel(id: str) -> None:
        if id not in orders:
            raise HTTPException(404)
        orders[id] = []
        deleted.append(id)

    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
    assert len(deleted) >= module.ENOUGH - 1
    assert [each for id, each in orders.items() if id not in deleted] == [["line"]]


def test_what_was_missing_is_tried_again_before_anything_else_is_made(tmp_path: Path) -> None:
    app, locks = FastAPI(), list[str]()

    @app.get("/claims/{order_id}")
    def claims(order_id: str) -> dict[str, str]:
        if locks or order_id != "one":
            raise HTTPException(404)
        return {}

    @app.post("/orders", status_code=201)
    def order() -> dict[str, str]:
        return {"id": "one"}

    @app.post("/years/close", status_code=201)
    def close(year: int) -> None:
        locks.append("a year")

    with driver_of(app, tmp_path) as driver:
        module.explore(driver)
        made = {driver.contract.operations[each].name for each in driver.successes}
    assert "GET /claims/{order_id}" in made


def test_an_operation_that_was_busy_once_gets_its_pauses_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, asked = Clock(), list[float]()

    def respond(exchange: Exchange) -> None:
        asked.append(clock.now)
        # All tries of the first call, and the first try of each one after it succeeded.
        is_busy = len(asked) <= 4 or (len(asked) > 5 and len(asked) % 2 == 0)
        exchange.answer(503 if is_busy else 200, b"{}")

    explore(workshop(tmp_path, STEPS[:1]), monkeypatch, clock, respond)
    pauses = [round(later - before, 1) for before, later in itertools.pairwise(asked)]
    assert pauses[:3] == [0.1, 0.3, 0.9]
    assert pauses[5::2] == [0.1] * (module.ENOUGH - 1)


@pytest.mark.parametrize(("attempts", "is_reached"), [(3, True), (4, False)])
def test_a_slow_server_gets_as_many_attempts_as_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: int, is_reached: bool
) -> None:
    clock, asked = Clock(), list[str]()

    def respond(exchange: Exchange) -> None:
        # Each response takes as long as there is patience.
        clock.now += module.PATIENCE_SECONDS
        asked.append(exchange.path)
        exchange.answer(200 if len(asked) >= attempts else 404, b"{}")

    explore(workshop(tmp_path, STEPS[:1]), monkeypatch, clock, respond)
    assert (len(asked) > attempts) is is_reached
