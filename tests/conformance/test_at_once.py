"""Changes and creations at the same time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.at_once import (
    CHANGES_AT_ONCE,
    NUMBERS_AT_ONCE,
    at_once,
)
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (CHANGES_AT_ONCE, NUMBERS_AT_ONCE)
LOST = "PATCH /items/{item_id}: of changes of 'title' and 'tags' at the same time, one is lost"
SAME = "POST /items: two resources that were created at the same time have one 'number'"
PAUSE_SECONDS = 0.3


class Change(BaseModel):
    kind: Literal["new", "used"] = "new"
    title: str = "plain"
    tags: list[str] = []


class Item(Change):
    id: str
    number: int


@dataclass
class Server:
    """A server of items.

    Attributes:
        overwrites: a change writes the whole item, as it was read before it waited.
        conflicts: a change is refused if the item has changed meanwhile.
        counts: a number is taken, and used after a wait.
        stuck: titles do not change.
        equal: all items have one number.
        waits: a request waits for another one.
    """

    overwrites: bool = False
    conflicts: bool = False
    counts: bool = False
    stuck: bool = False
    equal: bool = False
    waits: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def app(self) -> FastAPI:
        app, items = FastAPI(), dict[str, dict[str, Any]]()
        together = threading.Barrier(2)

        def wait() -> None:
            # A single request goes on alone.
            try:
                if self.waits:
                    together.wait(PAUSE_SECONDS)
            except threading.BrokenBarrierError:
                together.reset()

        @app.post("/items", status_code=201)
        def create(change: Change) -> Item:
            number = len(items) + 1
            if self.counts:
                wait()
            with self.lock:
                id_ = f"i{len(items)}"
                number = number if self.counts else len(items) + 1
                item = {**change.model_dump(), "id": id_, "number": 1 if self.equal else number}
                items[id_] = item
            return Item(**item)

        @app.get("/items/{item_id}")
        def read(item_id: str) -> Item:
            if item_id not in items:
                raise HTTPException(404)
            return Item(**items[item_id])

        @app.patch("/items/{item_id}")
        def change(item_id: str, new: Change) -> Item:
            sent = new.model_dump(exclude_unset=True)
            sent = {
                name: value for name, value in sent.items() if not self.stuck or name != "title"
            }
            before = read(item_id).model_dump()
            if self.overwrites or self.conflicts:
                wait()
            with self.lock:
                if self.conflicts and items[item_id] != before:
                    raise HTTPException(409)
                items[item_id] = {**(before if self.overwrites else items[item_id]), **sent}
            return Item(**items[item_id])

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(overwrites=True, waits=True), [LOST]),
        (Server(conflicts=True, waits=True), []),
        (Server(overwrites=True, waits=True, stuck=True), []),
        (Server(counts=True, waits=True), [SAME]),
        (Server(equal=True), []),
    ],
)
def test_at_once(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        waits, server.waits = server.waits, False
        explore(driver)
        server.waits = waits
        before = dict(driver.successes)
        at_once(driver)
        assert messages(driver, *PROVEN) == violations
        change = "/paths/~1items~1{item_id}/patch"
        assert driver.successes[change][0].body == before[change][0].body
