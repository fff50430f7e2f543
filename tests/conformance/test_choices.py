"""Items of lists that requests choose, and members that only some items require."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from specwright.conformance.checks.requests.chosen_items import choices, choices_below
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.responses.consistency import Consistency
from tests.conformance.fastapi_apps import driver_of, messages

PLANS = [
    {"id": "basic", "billing": "once", "price": "4.00"},
    {"id": "better", "billing": "once", "price": "5.00"},
    {"id": "monthly", "billing": "monthly", "price": "2.00"},
    {"id": "cents", "billing": "once", "price": "1.125"},
    {"id": "small", "billing": "monthly", "price": "3.00"},
]
PAGE = {"cursor": None, "limit": None, "items": "", "next": None, "more": None, "id": "/id"}
MONTHS = {"of": "/plan_id", "at": "/billing", "values": ["monthly"]}


class Wanted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    plan_id: str = Field(json_schema_extra={"x-contract-chosen-from": {"list": "listPlans"}})
    months: int | None = Field(
        None, ge=1, le=12, json_schema_extra={"x-contract-required-when": MONTHS}
    )


class Extra(BaseModel):
    extra_id: str = Field(json_schema_extra={"x-contract-chosen-from": {"list": "listExtras"}})


TOTAL = {"by": "product", "of": ["/price", "/months"]}


class Subscription(BaseModel):
    id: str
    price: str
    months: int | None
    total: str = Field(json_schema_extra={"x-contract-computed": TOTAL})


def subscriptions(bug: str = "") -> FastAPI:
    """Subscriptions to plans, of which some are paid by the month, and their extras."""
    app, made = FastAPI(), dict[str, dict[str, Any]]()

    @app.get("/plans", operation_id="listPlans")
    def plans() -> list[dict[str, str]]:
        return PLANS

    @app.post("/subscriptions", status_code=201)
    def subscribe(wanted: Wanted) -> Subscription:
        plan = next((each for each in PLANS if each["id"] == wanted.plan_id), None)
        if plan is None:
            raise HTTPException(400)
        is_monthly, months = plan["billing"] == "monthly", wanted.months
        if is_monthly and months is None:
            if bug != "a month is enough":
                raise HTTPException(400)
            months = 1
        if not is_monthly and months is not None:
            if bug != "months are ignored":
                raise HTTPException(400)
            months = None
        total = float(plan["price"]) * (1 if bug == "months cost nothing" else months or 1)
        if bug == "whole cents":
            total = round(total, 2)
        id = f"s{len(made) + 1}"
        made[id] = {"id": id, "plan": plan["id"]}
        return Subscription(id=id, price=plan["price"], months=months, total=str(total))

    @app.get("/subscriptions")
    def listed() -> list[dict[str, Any]]:
        return list(made.values())

    @app.get("/subscriptions/{id}/extras", operation_id="listExtras")
    def extras(id: str) -> list[dict[str, str]]:
        if id not in made:
            raise HTTPException(404)
        return [{"id": f"{made[id]['plan']}-more"}]

    @app.post("/subscriptions/{id}/extras", status_code=201)
    def extend(id: str, wanted: Extra) -> dict[str, str]:
        if id not in made:
            raise HTTPException(404)
        fitting = f"{made[id]['plan']}-more"
        is_known = wanted.extra_id in [f"{each['id']}-more" for each in PLANS]
        if not is_known or (wanted.extra_id != fitting and bug != "any extra"):
            raise HTTPException(400)
        return {"extra_id": wanted.extra_id}

    # FastAPI leaves null out.
    for path in ("/plans", "/subscriptions/{id}/extras"):
        app.openapi()["paths"][path]["get"]["x-contract-pagination"] = dict(PAGE)
    return app


@pytest.mark.parametrize(
    ("bug", "said"),
    [
        ("", []),
        (
            "a month is enough",
            [
                "POST /subscriptions accepted a body without 'months', "
                "which the chosen item requires: 201"
            ],
        ),
        (
            "months are ignored",
            [
                "POST /subscriptions accepted a body with 'months', "
                "which the chosen item does not allow: 201"
            ],
        ),
        (
            "months cost nothing",
            ["POST /subscriptions: 'total' is not the product of /price, /months"],
        ),
        (
            "whole cents",
            ["POST /subscriptions: 'total' is not the product of /price, /months"],
        ),
        (
            "any extra",
            [
                "POST /subscriptions/{id}/extras accepted a 'extra_id' that "
                "GET /subscriptions/{id}/extras does not have: 201"
            ],
        ),
    ],
)
def test_every_kind_of_item_is_chosen(tmp_path: Path, bug: str, said: list[str]) -> None:
    with driver_of(subscriptions(bug), tmp_path) as driver:
        record = driver.target.record
        record.monitors = (*record.monitors, Consistency(driver.contract, record))
        for scenario in (explore, choices, choices_below):
            scenario(driver)
        assert messages(driver, "invalid-accepted", "consistency") == said


def test_items_that_differ_in_names_and_numbers_are_one_kind(tmp_path: Path) -> None:
    with driver_of(subscriptions(), tmp_path) as driver:
        explore(driver)
        before = len(driver.target.record.exchanges)
        choices(driver)
        sent = [
            exchange.request.json_or_none for exchange in driver.target.record.exchanges[before:]
        ]
        chosen = [each["plan_id"] for each in sent if isinstance(each, dict)]
        # The first of each kind, one mistake each, and a usual one at the end.
        assert chosen[:-1] == ["basic", "basic", "monthly", "monthly", "cents"]


def test_a_list_without_ids_is_said(tmp_path: Path) -> None:
    app = subscriptions()
    page = app.openapi()["paths"]["/plans"]["get"]["x-contract-pagination"]
    page["id"] = None
    with driver_of(app, tmp_path) as driver:
        explore(driver)
        choices(driver)
        skipped = [skip for skip in driver.target.record.skips if skip.rule == "invalid-accepted"]
        assert [skip.reason for skip in skipped] == [
            "the operation never succeeded, or the list names no ids"
        ]
