"""The last page of a list, and the announced number of pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, HTTPException, Query

from specwright.conformance.checks.lists.collections import collections
from specwright.conformance.checks.lists.paging import PAGE_SEQUENCE
from tests.conformance.fastapi_apps import driver_of, messages

AT = "GET /items: "
MISSING = [AT + "items are missing if the last page is full"]
FEW = [AT + "the announced number of pages is too small for the announced items"]
PLACES = dict.fromkeys(("cursor", "next", "more"))
PAGES: dict[str, dict[str, Any]] = {
    "offset": {"offset": "offset", "total": "/total"},
    "page": {"page": "page", "total": "/total", "pages": "/pages"},
    "zero": {"page": "page", "first_page": 0, "total": "/total"},
    "cursor": {"cursor": "cursor", "next": "/next"},
}


@dataclass
class Server:
    """A server of a list.

    Attributes:
        count: the number of items.
        most: the largest page, regardless of the requested size.
        cut: the last page lacks its last item if it is full.
        short: no page is full.
        fading: each request of the last items takes one of them away.
        rounded: how the number of pages is rounded.
        last: the number of pages is that of the last one.
        far: there is no page beyond this many items.
    """

    count: int = 8
    most: int = 100
    cut: bool = False
    short: bool = False
    fading: bool = False
    rounded: int = 1
    last: int = 0
    far: int = 10_000

    def app(self, way: str) -> FastAPI:
        app = FastAPI()
        first = PAGES[way].get("first_page", 1)

        @app.get("/items")
        def items(
            limit: Annotated[int, Query(ge=1, le=100)] = 20,
            offset: int | None = None,
            page: int | None = None,
            cursor: str | None = None,
        ) -> dict[str, Any]:
            size = min(limit, self.most)
            start = offset or int(cursor or "0") or ((page or first) - first) * limit
            if start >= self.far:
                raise HTTPException(400)
            end = start + (size - 1 if self.short and size > 1 else size)
            is_last = end >= self.count
            if self.fading and is_last and start:
                self.count -= 1
            shown = [{"id": str(number)} for number in range(start, min(end, self.count))]
            if self.cut and is_last and len(shown) == limit > 1:
                shown.pop()
            pages = (self.count + self.rounded * (limit - 1)) // limit
            following = None if is_last else str(end)
            more = {"total": self.count, "pages": pages - self.last, "next": following}
            return {"items": shown, **more}

        # FastAPI would leave out what is null.
        app.openapi()["paths"]["/items"]["get"]["x-contract-pagination"] = page_of(way)
        return app


def page_of(way: str) -> dict[str, Any]:
    return {**PLACES, "limit": "limit", "items": "/items", "id": "/id", **PAGES[way]}


ALL = ("offset", "page", "zero", "cursor")


@pytest.mark.parametrize(
    ("server", "ways", "violations"),
    [
        ({}, ALL, []),
        ({"cut": True}, ALL, MISSING),
        # 107 items, which are no full pages, but can be skipped.
        ({"cut": True, "count": 107}, ("offset",), MISSING),
        ({"cut": True, "count": 107}, ("page", "zero", "cursor"), []),
        ({"count": 200}, ALL, []),
        ({"cut": True, "count": 198}, ALL, MISSING),
        ({"count": 1}, ALL, []),
        ({"count": 0}, ALL, []),
        # Fewer than requested, and pages that are never full.
        ({"most": 4}, ("offset", "cursor"), []),
        ({"short": True}, ("cursor",), []),
        # Items that are gone, and those that cannot be reached.
        ({"count": 200, "fading": True}, ("offset", "page", "zero"), []),
        ({"count": 150, "far": 1}, ("offset",), []),
        ({"count": 101, "rounded": 0}, ("page",), FEW),
        ({"count": 8, "rounded": 0}, ("page",), FEW),
        ({"count": 5_001, "rounded": 0}, ("page",), []),
    ],
)
def test_last_pages(
    tmp_path: Path, server: dict[str, Any], ways: tuple[str, ...], violations: list[str]
) -> None:
    for way in ways:
        with driver_of(Server(**server).app(way), tmp_path) as driver:
            operation = driver.contract.operations["/paths/~1items/get"]
            assert driver.first_success(operation) is not None
            collections(driver)
            found = messages(driver, PAGE_SEQUENCE)
            # An item that is not shown is announced all the same.
            assert set(violations) <= set(found) and bool(found) is bool(violations), way


def test_where_pages_are_counted_from_zero_their_number_may_be_that_of_the_last_one(
    tmp_path: Path,
) -> None:
    for last, violations in ((1, []), (2, FEW)):
        app = Server(count=200, last=last).app("zero")
        [operation] = app.openapi()["paths"]["/items"].values()
        operation["x-contract-pagination"]["pages"] = "/pages"
        with driver_of(app, tmp_path) as driver:
            assert driver.first_success(next(iter(driver.contract.operations.values())))
            collections(driver)
            assert messages(driver, PAGE_SEQUENCE) == violations
