"""A member that an action moves elsewhere is not missing from its list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND, collections
from tests.conformance.fastapi_apps import driver_of, messages


class Item(BaseModel):
    id: str


@pytest.mark.parametrize(("loses", "count"), [(False, 0), (True, 1)])
def test_a_moved_member_is_not_missing(tmp_path: Path, loses: bool, count: int) -> None:
    app, items = FastAPI(), dict[str, Item]()

    @app.post("/items", status_code=201)
    def create() -> Item:
        item = Item(id=f"item-{len(items)}")
        items[item.id] = item
        return item

    @app.post("/items/{item_id}/move")
    def move(item_id: str) -> None:
        items[item_id] = Item(id="elsewhere")

    @app.get("/items")
    def listed() -> dict[str, Any]:
        here = [item for item in items.values() if item.id != "elsewhere"]
        return {"items": here[1:] if loses else here}

    operation = app.openapi()["paths"]["/items"]["get"]
    operation["x-contract-pagination"] = {
        **{"items": "/items", "id": "/id", "full": True},
        **dict.fromkeys(("cursor", "limit", "next", "more")),
    }
    with driver_of(app, tmp_path) as driver:
        operations = driver.contract.operations
        for path in ("/paths/~1items/post", "/paths/~1items~1{item_id}~1move/post"):
            assert driver.first_success(operations[path]) is not None
        for path in ("/paths/~1items/post", "/paths/~1items/get"):
            assert driver.first_success(operations[path]) is not None
        collections(driver)
        assert len(messages(driver, CREATED_IS_FOUND)) == count
