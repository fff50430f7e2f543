"""Operations that are allowed only in some states of a resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException

from specwright.conformance.checks.lifecycle.transitions import transitions
from specwright.conformance.driver.roles import OTHER_TENANT
from tests.conformance.fastapi_apps import driver_of, messages

PAY = {"open": "paid"}
SHIP = {"paid": "shipped"}
CANCEL = {"open": "cancelled", "paid": "cancelled"}


def orders(bug: str = "", *, creates: bool = True, at: str = "/status") -> FastAPI:
    """A shop with orders that are paid, shipped and cancelled."""
    app, found = FastAPI(), dict[int, dict[str, Any]]()
    app.state.orders = found

    def declared(**moves: str) -> dict[str, Any]:
        return {"x-contract-transition": {"read": "getOrder", "at": at, "moves": moves}}

    def move(id: int, to: str, *states: str) -> dict[str, Any]:
        if found[id]["status"] not in states:
            raise HTTPException(409)
        found[id]["status"] = to
        return found[id]

    def add() -> dict[str, Any]:
        id = len(found) + 1
        found[id] = {"id": id, "status": "open"}
        return found[id]

    if creates:
        app.post("/orders", status_code=201)(add)
    else:
        add()

    @app.get("/orders")
    def read_all() -> list[dict[str, Any]]:
        return list(found.values())

    @app.get("/orders/{id}", operation_id="getOrder")
    def get(id: int) -> dict[str, Any]:
        return found[id]

    @app.post("/orders/{order}/pay", openapi_extra=declared(**PAY))
    def pay(order: int) -> dict[str, Any]:
        to = "open" if bug == "is not paid" else "paid"
        return move(order, to, "open", *(["paid"] if bug == "paid twice" else []))

    @app.post("/orders/{order}/ship", openapi_extra=declared(**SHIP))
    def ship(order: int) -> dict[str, Any]:
        return move(order, "shipped", "paid", *(["open"] if bug == "shipped unpaid" else []))

    @app.delete("/orders/{order}", openapi_extra=declared(**CANCEL))
    def cancel(order: int) -> dict[str, Any]:
        late = ["shipped"] if bug == "cancelled late" else []
        return move(order, "cancelled", "open", "paid", *late)

    # FastAPI leaves null out.
    cancelling = app.openapi()["paths"]["/orders/{order}"]["delete"]
    cancelling["x-contract-transition"]["moves"]["paid"] = None
    return app


@pytest.mark.parametrize("creates", [True, False])
@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", []),
        ("paid twice", ["POST /orders/{order}/pay: answered 200 in the state 'paid'"]),
        ("shipped unpaid", ["POST /orders/{order}/ship: answered 200 in the state 'open'"]),
        ("cancelled late", ["DELETE /orders/{order}: answered 200 in the state 'shipped'"]),
        (
            "is not paid",
            ["POST /orders/{order}/pay: the state is 'open' after a success, not 'paid'"],
        ),
    ],
)
def test_states_are_enforced(tmp_path: Path, bug: str, said: list[str], *, creates: bool) -> None:
    with driver_of(orders(bug, creates=creates), tmp_path) as driver:
        transitions(driver)
        assert messages(driver, "transition") == said


def test_every_operation_is_called_in_every_state(tmp_path: Path) -> None:
    with driver_of(orders(), tmp_path) as driver:
        transitions(driver)
        sent = [
            exchange
            for exchange in driver.target.record.exchanges
            if exchange.request.method != "GET"
        ]
        refused = [each for each in sent if each.response and each.response.status == 409]
        # Three operations in four states, of which four are moves.
        assert len(refused) == 3 * 4 - 4
        deleted = [each for each in sent if each.request.method == "DELETE"]
        moved = [each for each in deleted if each.response and each.response.is_success]
        # An order that was paid for this, and one that was not.
        assert len(moved) == 2


def test_resources_further_down_a_list_are_tried(tmp_path: Path) -> None:
    app = orders("cancelled late", creates=False)
    # The first one is still open; only the last one was shipped.
    for status in ("open", "shipped"):
        app.state.orders[len(app.state.orders) + 1] = {
            "id": len(app.state.orders) + 1,
            "status": status,
        }
    del app.openapi()["paths"]["/orders/{order}/ship"]
    with driver_of(app, tmp_path) as driver:
        transitions(driver)
        said = ["DELETE /orders/{order}: answered 200 in the state 'shipped'"]
        assert messages(driver, "transition") == said


def test_an_operation_that_moves_nothing_leads_nowhere(tmp_path: Path) -> None:
    with driver_of(orders("is not paid"), tmp_path) as driver:
        transitions(driver)
        urls = [exchange.request.url for exchange in driver.target.record.exchanges]
        assert sum(url.endswith("/pay") for url in urls) == 2


def test_the_resources_of_another_partner_are_tried(tmp_path: Path) -> None:
    with driver_of(orders("shipped unpaid", creates=False), tmp_path) as driver:
        driver.target.keys = {OTHER_TENANT: "test-other"}
        transitions(driver)
        assert OTHER_TENANT in {exchange.role for exchange in driver.target.record.exchanges}


def test_a_state_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with driver_of(orders(at="/state"), tmp_path) as driver:
        transitions(driver)
        skipped = [skip for skip in driver.target.record.skips if skip.rule == "transition"]
        assert len(skipped) == 3
        assert "no resource was found" in skipped[0].reason
