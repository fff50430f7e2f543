"""Several creations in one request."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

from specwright.conformance.checks.lifecycle.batches import BATCH_IS_COMPLETE, batches
from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (BATCH_IS_COMPLETE,)
AT = "POST /item-batches: "
FEWER = AT + "fewer results than items, each of which can be created alone"
LIES = AT + "a batch reports a resource that cannot be read, like one that can"


class Item(BaseModel):
    title: str


class Batch(BaseModel):
    dry: bool = False
    items: list[Item]


class DistinctBatch(Batch):
    items: list[Item] = Field(json_schema_extra={"uniqueItems": True})


@dataclass
class Server:
    """A server of items.

    Attributes:
        by_title: a batch has one result for items of the same title.
        unique: there is one item for a title.
        same: a second creation returns the first item.
        lies: the number of items of a batch that are stored; all by default.
        reports: a result reports whether its item is stored.
        only_errors: the results are those of the items that were refused.
        ids: the results are ids, and those of jobs.
        distinct: the items of a batch must be different ones.
        bare: the body is the list.
        sorted_: the results are in two lists.
    """

    by_title: bool = False
    unique: bool = False
    same: bool = False
    lies: int | None = None
    reports: bool = False
    only_errors: bool = False
    ids: bool = False
    distinct: bool = False
    bare: bool = False
    sorted_: bool = False

    def app(self) -> FastAPI:
        app, items, numbers = FastAPI(), dict[str, Item](), count()

        def taken(item: Item) -> str | None:
            return next((id_ for id_, other in items.items() if other == item), None)

        def made(item: Item, *, is_stored: bool = True) -> str:
            id_ = f"i{next(numbers)}"
            if is_stored:
                items[id_] = item
            return id_

        @app.post("/items", status_code=201)
        def create(item: Item) -> dict[str, str]:
            known = taken(item)
            if known is not None and self.unique:
                raise HTTPException(409)
            return {"id": known if known is not None and self.same else made(item)}

        @app.get("/items/{item_id}")
        def read(item_id: str) -> Item:
            if item_id not in items:
                raise HTTPException(404)
            return items[item_id]

        def results(batch: list[Item]) -> list[dict[str, Any]]:
            results = dict[object, dict[str, Any]]()
            for number, item in enumerate(batch):
                if self.unique and taken(item) is not None:
                    results[number] = {"id": None, "outcome": "refused"}
                    continue
                is_stored = self.lies is None or number < self.lies
                id_ = (taken(item) if self.same else None) or made(item, is_stored=is_stored)
                outcome = "created" if is_stored or not self.reports else "queued"
                key = item.title if self.by_title else id_ if self.same else number
                results[key] = {"id": f"job-{id_}" if self.ids else id_, "outcome": outcome}
            return list(results.values())

        def answered(batch: list[Item]) -> Any:
            if self.distinct and len({item.title for item in batch}) < len(batch):
                raise HTTPException(400)
            found = results(batch)
            if self.only_errors:
                return {"errors": [each for each in found if each["outcome"] == "refused"]}
            if self.sorted_:
                return {"created": found[:2], "refused": found[2:]}
            return found if self.bare else {"results": found}

        def batch(body: Batch) -> Any:
            return answered(body.items)

        def distinct_batch(body: DistinctBatch) -> Any:
            return answered(body.items)

        def bare_batch(body: list[Item]) -> Any:
            return answered(body)

        plain = distinct_batch if self.distinct else batch
        app.post("/item-batches")(bare_batch if self.bare else plain)
        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(bare=True), []),
        (Server(sorted_=True), []),
        (Server(by_title=True), [FEWER]),
        (Server(by_title=True, bare=True), [FEWER]),
        # There is nothing else that a second item could be.
        (Server(unique=True, by_title=True), []),
        (Server(same=True), []),
        (Server(distinct=True), []),
        (Server(only_errors=True), []),
        (Server(lies=1), [LIES]),
        (Server(lies=1, bare=True), [LIES]),
        (Server(lies=1, reports=True), []),
        (Server(lies=1, distinct=True), [LIES]),
        # All of them are ids of something else.
        (Server(ids=True), []),
    ],
)
def test_batches(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        batches(driver)
        assert messages(driver, BATCH_IS_COMPLETE, CREATED_IS_FOUND) == violations
        pointer = "/paths/~1item-batches/post"
        assert driver.successes[pointer] == before[pointer]
        assert driver.target.record.checked[BATCH_IS_COMPLETE] == {pointer}
