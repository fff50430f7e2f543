"""Whole lists, after a request for a part of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Query
from pydantic import BaseModel

from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.whole_lists import wholes
from specwright.conformance.contract.calls import OperationCall
from tests.conformance.fastapi_apps import driver_of, messages

LOST = "GET /items: a created resource is not in the list"


class Item(BaseModel):
    """The body of a request."""

    status: str = "draft"


def shop(required: str, *, loses: bool) -> FastAPI:
    """Items in pages, of which the first may be lost; a parameter of the list is required."""
    app, items = FastAPI(), list[dict[str, Any]]()

    @app.get("/items")
    def listed(
        page: int = Query(1, ge=1),
        offset: int = Query(0, ge=0),
        limit: int = Query(50, ge=1, le=100),
        status: str | None = Query(None),
    ) -> list[dict[str, Any]]:
        found = [each for each in items[loses:] if status in (None, each["status"])]
        start = (page - 1) * limit + offset
        return found[start : start + limit]

    @app.post("/items", status_code=201)
    def add(item: Item) -> dict[str, Any]:
        items.append({"id": len(items), "status": item.status})
        return items[-1]

    way = {required: required} if required in ("page", "offset") else {"page": "page"}
    described = app.openapi()["paths"]["/items"]["get"]
    described["x-contract-pagination"] = {
        **dict.fromkeys(("cursor", "next", "more")),
        **{"limit": "limit", "items": "", "id": "/id", **way},
    }
    for parameter in described["parameters"]:
        parameter["required"] = parameter["name"] == required
    return app


@pytest.mark.parametrize(
    ("required", "claims"), [("", True), ("page", True), ("offset", True), ("status", False)]
)
@pytest.mark.parametrize("loses", [False, True])
def test_a_part_is_not_taken_for_the_whole_list(
    tmp_path: Path, required: str, claims: bool, loses: bool
) -> None:
    with driver_of(shop(required, loses=loses), tmp_path) as driver:
        reader, maker = driver.contract.operations.values()
        driver.first_success(maker)
        driver.first_success(maker)
        part = {("query", "status"): "sold", ("query", "page"): 7, ("query", "offset"): 7}
        assert driver.send(OperationCall(reader, part)).response is not None
        collections(driver)
        said = [LOST] if loses and claims else []
        assert messages(driver, "created-is-found") == said
        assert messages(driver, "pagination") == []


def test_a_call_chooses_by_another_filter_than_the_tested_one(tmp_path: Path) -> None:
    app = FastAPI()

    @app.get("/items")
    def listed(
        status: str | None = Query(None, openapi_examples={"a": {"value": "draft"}}),
        owner: str | None = Query(None, openapi_examples={"a": {"value": "anna"}}),
    ) -> list[dict[str, Any]]:
        return []

    described = app.openapi()["paths"]["/items"]["get"]
    described["x-contract-requires-one-of"] = {
        "parameters": ["status", "owner"],
        "code": "filter_required",
    }
    with driver_of(app, tmp_path) as driver:
        (reader,) = driver.contract.operations.values()
        assert (
            driver.send(OperationCall(reader, {("query", "status"): "draft"})).response is not None
        )
        tested = reader.slot("query.status")
        assert [call.arguments for call in wholes(driver, reader)] == [
            {("query", "status"): "draft"},
            {("query", "owner"): "anna"},
        ]
        assert [call.arguments for call in wholes(driver, reader, tested)] == [
            {("query", "owner"): "anna"}
        ]
