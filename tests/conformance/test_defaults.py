"""Declared defaults of members that a creation leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI, HTTPException, Response
from pydantic import BaseModel, Field

from specwright.conformance.checks.lifecycle.defaults import DEFAULT_APPLIES, defaults
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (DEFAULT_APPLIES,)
OTHER = "POST /items: '{}' has another value than its declared default"
KEPT = "PUT /items/{{item_id}}: '{}' has another value than its declared default"
BEGINS = "2020-01-01T00:00:00+00:00"


class Item(BaseModel):
    name: Annotated[str, Field(json_schema_extra={"default": "unused"})]
    state: Literal["draft", "public"] = "draft"
    stars: int = 3
    currency: str = "EUR"
    note: str | None = None
    begins: datetime = datetime.fromisoformat(BEGINS)


class StoredItem(Item):
    id: str


@dataclass
class Server:
    """A server of items.

    Attributes:
        applied: other values of members that are left out.
        later: only the resource itself shows the members.
        unique: the names are unique.
        status: that of the response to a creation.
        merges: a replacement keeps the members that it does not have.
        one: a replacement may have one member beside the name.
    """

    applied: tuple[tuple[str, Any], ...] = ()
    later: bool = False
    unique: bool = False
    status: int = 201
    merges: bool = False
    one: bool = False

    def app(self) -> FastAPI:
        app, items, numbers = FastAPI(), dict[str, dict[str, Any]](), count()

        @app.post("/items", status_code=201, response_model=StoredItem)
        def create(item: Item, response: Response) -> Any:
            if self.unique and item.name in [each["name"] for each in items.values()]:
                raise HTTPException(409)
            sent = item.model_dump(mode="json", exclude_unset=True)
            stored = {**item.model_dump(mode="json"), **dict(self.applied), **sent}
            id_ = f"i{next(numbers)}"
            items[id_] = {**stored, "id": id_}
            response.status_code = self.status
            whole = item.model_dump() if self.later else stored
            return {**whole, "id": id_}

        @app.get("/items/{item_id}")
        def read(item_id: str) -> StoredItem:
            if item_id not in items:
                raise HTTPException(404)
            return StoredItem(**items[item_id])

        @app.put("/items/{item_id}")
        def change(item_id: str, item: Item) -> StoredItem:
            before = read(item_id).model_dump(mode="json")
            sent = item.model_dump(mode="json", exclude_unset=True)
            if self.one and len(sent) > 2:
                raise HTTPException(400)
            stored = before | sent if self.merges else item.model_dump(mode="json")
            items[item_id] = {**stored, "id": item_id}
            return read(item_id)

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(unique=True), []),
        (Server(applied=(("state", "public"),)), [OTHER.format("state")]),
        (Server(applied=(("state", "public"),), later=True), [OTHER.format("state")]),
        (Server(applied=(("state", "public"),), unique=True), [OTHER.format("state")]),
        # The spelling of the server, a default that may be any value, and a time that may be now.
        (Server(applied=(("currency", "eur"), ("note", "any"))), []),
        (Server(applied=(("begins", datetime.now(UTC).isoformat()),)), []),
        (Server(applied=(("stars", 4),)), [OTHER.format("stars")]),
        (
            Server(merges=True),
            [KEPT.format("state"), KEPT.format("stars"), KEPT.format("currency")],
        ),
        (
            Server(merges=True, one=True),
            [KEPT.format("state"), KEPT.format("stars"), KEPT.format("currency")],
        ),
        # It is made later, perhaps.
        (Server(applied=(("stars", 4),), status=202), []),
    ],
)
def test_defaults(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        defaults(driver)
        assert messages(driver, DEFAULT_APPLIES) == violations
        maker = "/paths/~1items/post"
        assert driver.successes[maker][0].body == before[maker][0].body
