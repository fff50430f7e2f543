"""Feeds that are read on from where they were before a reset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response

from specwright.conformance.checks.lifecycle.reset import finish, reset_scope
from tests.conformance.fastapi_apps import driver_of, messages

FEED = {
    "cursor": "after",
    "limit": None,
    "items": "/items",
    "next": "/next",
    "more": None,
    "id": "/number",
    "resume": True,
}
RESET = {"empties": ["listEvents"], "keeps": [], "restores": []}


def orders(bug: str = "") -> FastAPI:
    """Orders with an event each, and a reset of both."""
    app, numbers = FastAPI(), list[int]()
    last = [0]

    @app.post("/orders", status_code=201)
    def add() -> dict[str, Any]:
        last[0] += 1
        numbers.append(last[0])
        return {"id": str(last[0])}

    @app.get("/events", operation_id="listEvents")
    def events(after: str | None = None) -> Response:
        if bug == "expires" and int(after or 0) > last[0]:
            return JSONResponse({}, 400)
        shown = [number for number in numbers if number > int(after or 0)]
        following = str(shown[-1] if shown else after or 0)
        return JSONResponse({"items": [{"number": each} for each in shown], "next": following})

    @app.post("/reset")
    def reset() -> dict[str, Any]:
        numbers.clear()
        if bug in ("starts again", "expires"):
            last[0] = 0
        return {}

    # FastAPI leaves null out.
    paths = app.openapi()["paths"]
    paths["/events"]["get"]["x-contract-pagination"] = dict(FEED)
    paths["/reset"]["post"]["x-contract-reset"] = dict(RESET)
    return app


@pytest.mark.parametrize(
    ("bug", "is_found"), [("", False), ("starts again", True), ("expires", True)]
)
def test_a_feed_goes_on_after_a_reset(tmp_path: Path, bug: str, is_found: bool) -> None:
    with driver_of(orders(bug), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            assert driver.first_success(operation) is not None
        reset_scope(driver)
        said = "POST /reset: listEvents shows no new items after its previous position"
        assert messages(driver, "reset") == [said] * is_found


def test_what_is_no_list_cannot_be_seen_empty(tmp_path: Path) -> None:
    app = orders()
    del app.openapi()["paths"]["/events"]["get"]["x-contract-pagination"]
    with driver_of(app, tmp_path) as driver:
        finish(driver)
        skips = {(skip.rule, skip.reason) for skip in driver.target.record.skips}
    assert ("reset", "listEvents is not a list") in skips
