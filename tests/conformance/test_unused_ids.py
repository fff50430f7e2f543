"""Requests for ids that no resource has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI, HTTPException, Response
from pydantic import BaseModel

from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.robustness.malformed_requests import robustness
from tests.conformance.fastapi_apps import driver_of, messages

NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "It is not there."}}
ANY_ERROR: dict[int | str, dict[str, Any]] = {"default": {"description": "An error."}}
NEVER = "a resource that was never created is answered 200"
NOTHING = "PUT /items/{item_id}: a PUT to an unused id succeeds, and creates nothing"


class Item(BaseModel):
    title: str = "plain"


@dataclass
class Server:
    """A server of items.

    Attributes:
        put: what a PUT to an unused id does: `refuses`, `creates`, `later` or `nothing`.
        any_id: reads and changes of unused ids succeed.
        declared: the document declares 404 for changes.
        empty_lists: the list of an unknown parent is an empty one.
        any_error: the document declares one response for all errors of reads.
    """

    put: str = "refuses"
    any_id: bool = False
    declared: bool = True
    empty_lists: bool = False
    any_error: bool = False

    def app(self) -> FastAPI:
        app, items = FastAPI(), dict[UUID, Item]()
        responses = NOT_FOUND if self.declared else {}

        def known(item_id: UUID) -> Item:
            if item_id not in items and not self.any_id:
                raise HTTPException(404)
            return items.get(item_id, Item())

        @app.post("/items", status_code=201)
        def make(item: Item) -> dict[str, str]:
            items[id_ := uuid4()] = item
            return {"id": str(id_)}

        @app.get("/items/{item_id}", responses=ANY_ERROR if self.any_error else NOT_FOUND)
        def read(item_id: UUID) -> Item:
            return known(item_id)

        @app.put("/items/{item_id}", responses=responses)
        def replace(item_id: UUID, item: Item, response: Response) -> Item:
            if item_id in items or self.put == "creates":
                items[item_id] = item
            elif self.put == "refuses":
                return known(item_id)
            elif self.put == "later":
                response.status_code = 202
            return item

        @app.delete("/items/{item_id}", status_code=204, responses=NOT_FOUND)
        def delete(item_id: UUID) -> None:
            items.pop(item_id, None)

        @app.get("/items/{item_id}/notes", responses=NOT_FOUND)
        def notes(item_id: UUID) -> list[str]:
            if not self.empty_lists:
                known(item_id)
            return []

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(empty_lists=True), []),
        (Server(put="creates", declared=False), []),
        (Server(put="later", declared=False), []),
        (Server(put="refuses", declared=False), []),
        (Server(put="nothing", declared=False), [NOTHING]),
        (Server(put="nothing"), [f"PUT /items/{{item_id}}: {NEVER}"]),
        (Server(any_id=True, any_error=True), [f"PUT /items/{{item_id}}: {NEVER}"]),
        (
            Server(any_id=True),
            [f"GET /items/{{item_id}}: {NEVER}", f"PUT /items/{{item_id}}: {NEVER}"],
        ),
    ],
)
def test_unused_ids(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        robustness(driver)
        assert messages(driver, CREATED_IS_FOUND) == violations


def test_an_id_that_may_be_in_use_is_not_tried(tmp_path: Path) -> None:
    app = FastAPI()

    @app.get("/squares/{number}", responses=NOT_FOUND)
    def square(number: int) -> int:
        return number * number

    @app.get("/countries", responses=NOT_FOUND)
    def countries() -> list[dict[str, str]]:
        return [{"code": "de"}]

    @app.get("/countries/{code}", responses=NOT_FOUND)
    def country(code: str) -> str:
        if len(code) != 2:
            raise HTTPException(404)
        return code

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        robustness(driver)
        assert len(driver.successes) == 3
        assert messages(driver, CREATED_IS_FOUND) == []
