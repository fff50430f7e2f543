"""Lists that are empty when they are to be judged, and the queries on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import Body, FastAPI, Query
from pydantic import BaseModel

from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.lists import lists
from specwright.conformance.contract.calls import OperationCall
from tests.conformance.fastapi_apps import driver_of, messages

PAGES = {
    "x-contract-pagination": {
        **dict.fromkeys(("cursor", "next", "more")),
        **{"limit": "limit", "offset": "offset", "items": "", "id": "/id"},
    }
}
FILTER = {"x-contract-filter": {"property": "/status", "match": "equals"}}


class Item(BaseModel):
    """The body of a request."""

    status: str = "draft"


def shop(bug: str = "", *, is_open: bool = True) -> FastAPI:
    """Items in pages; none is there at first."""
    app, items = FastAPI(), list[dict[str, Any]]()

    @app.get("/items")
    def listed(
        limit: int = Query(50, ge=1, le=100),
        offset: int = Query(0, ge=0),
        status: str | None = Query(None),
    ) -> list[dict[str, Any]]:
        found = [each for each in items if bug == "filter" or status in (None, each["status"])]
        found = found if bug == "offset" else found[offset:]
        return found if bug == "limit" else found[:limit]

    if is_open:

        @app.post("/items", status_code=201)
        def add(item: Item) -> dict[str, Any]:
            items.append({"id": len(items), "status": item.status})
            return items[-1]

    described = app.openapi()["paths"]["/items"]["get"]
    described |= PAGES
    described["parameters"][-1] |= FILTER
    return app


@pytest.mark.parametrize(
    ("bug", "rule"),
    [("", ""), ("limit", "page-size"), ("offset", "pagination"), ("filter", "filter")],
)
def test_a_list_is_filled_before_it_is_judged(tmp_path: Path, bug: str, rule: str) -> None:
    with driver_of(shop(bug), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            driver.first_success(operation)
        lists(driver)
        found = {failure.rule for failure in driver.target.record.failures.values()}
        assert found == {rule} - {""}
        assert {"page-size", "pagination", "filter"} <= driver.target.record.checked.keys()


def searched(bug: str = "", path: str = "/items/search", *, is_open: bool = True) -> FastAPI:
    """The items, in pages that the body of a search chooses; none is there at first."""
    app, items = FastAPI(), list[dict[str, Any]]()

    @app.post(path)
    def search(
        limit: int = Body(50, ge=1, le=100), offset: int = Body(0, ge=0), text: str = Body("")
    ) -> list[dict[str, Any]]:
        found = items if bug == "offset" else items[offset:]
        return found if bug == "limit" else found[:limit]

    if is_open:

        @app.post("/items", status_code=201)
        def add(item: Item) -> dict[str, Any]:
            items.append({"id": len(items), "status": item.status})
            return dict(items[-1]) if bug != "lost" else items.pop()

    members = {"limit": "/limit", "offset": "/offset"}
    declared = {**PAGES["x-contract-pagination"], **members}
    app.openapi()["paths"][path]["post"]["x-contract-pagination"] = declared
    return app


@pytest.mark.parametrize(
    ("bug", "rules"),
    [
        ("", set()),
        ("limit", {"page-size"}),
        ("offset", {"pagination"}),
        ("lost", {"created-is-found"}),
    ],
)
def test_a_search_is_filled_by_the_collection_that_it_is_below(
    tmp_path: Path, bug: str, rules: set[str]
) -> None:
    with driver_of(searched(bug), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            driver.first_success(operation)
        lists(driver)
        collections(driver)
        assert {failure.rule for failure in driver.target.record.failures.values()} == rules


def test_a_search_is_not_taken_for_a_way_to_add_to_itself(tmp_path: Path) -> None:
    counts = []
    for path in ("/items/search", "/items"):
        with driver_of(searched(path=path, is_open=False), tmp_path) as driver:
            lists(driver)
            counts.append(len(driver.target.record.exchanges))
    assert counts[0] == counts[1] > 0


def test_the_size_of_an_empty_page_proves_nothing_and_that_is_said(tmp_path: Path) -> None:
    with driver_of(shop(is_open=False), tmp_path) as driver:
        lists(driver)
        assert "page-size" not in driver.target.record.checked
        skips = {(skip.rule, skip.reason) for skip in driver.target.record.skips}
        assert ("page-size", "the list is too short") in skips


def test_every_list_is_looked_at_whoever_asks_for_it(tmp_path: Path) -> None:
    with driver_of(shop("filter"), tmp_path) as driver:
        reader, maker = driver.contract.operations.values()
        driver.first_success(maker)
        driver.probe(OperationCall(reader, {("query", "status"): "draft"}))
        assert messages(driver, "filter") == []
        driver.probe(OperationCall(reader, {("query", "status"): "sold"}))
        assert messages(driver, "filter") == [
            f"{reader.name}: items that do not match the filter were returned"
        ]


@pytest.mark.parametrize(("limit", "is_blamed"), [(-3, False), (0, False), (1, True)])
def test_a_page_of_less_than_an_item_is_not_judged(
    tmp_path: Path, limit: int, *, is_blamed: bool
) -> None:
    """The document of many frameworks has no minimum for a limit."""
    app = FastAPI()

    @app.get("/items")
    def listed(limit: int = 10, offset: int = 0) -> list[dict[str, int]]:
        return [{"id": 1}, {"id": 2}]

    app.openapi()["paths"]["/items"]["get"].update(PAGES)
    with driver_of(app, tmp_path) as driver:
        [operation] = driver.contract.operations.values()
        driver.send(OperationCall(operation, {("query", "limit"): limit}))
        assert bool(messages(driver, "page-size")) is is_blamed
