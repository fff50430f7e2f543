"""What becomes of the members of a resource that is replaced or changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import Body, FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.replacements import (
    LIST_IS_REPLACED,
    NULL_REMOVES,
    REPLACEMENT_REPLACES,
    replacements,
)
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (REPLACEMENT_REPLACES, NULL_REMOVES, LIST_IS_REPLACED)
PUT, PATCH = "PUT /items/{item_id}: ", "PATCH /items/{item_id}: "
KEPT = "'{}' keeps its value in a replacement without it"
NOT_REMOVED = "'{}' keeps its value after it was set to null"
ADDED = "'tags' has the items of the earlier list, too"


class Item(BaseModel):
    title: str
    note: str | None = None
    stars: int | None = None
    is_shown: bool | None = None
    tags: list[str] = []


class Change(BaseModel):
    title: str = ""
    note: str | None = None
    stars: int | None = None
    is_shown: bool | None = None
    tags: list[str] = []


DEFAULTS: dict[str, Any] = {"note": None, "stars": None, "is_shown": None, "tags": []}


@dataclass
class Server:
    """A server of one item.

    Attributes:
        merges: a replacement keeps the members that it does not have.
        defaults: the values of members that are left out or removed.
        complete: a replacement must have all members.
        one: a request may have one optional member only.
        kept: the members whose null is ignored.
        refuses: nulls are refused.
        media_type: that of changes.
        adds: items are added to lists.
        system: every list has this item.
        frozen: the members that never change.
    """

    merges: bool = False
    defaults: tuple[tuple[str, Any], ...] = ()
    complete: bool = False
    one: bool = False
    kept: tuple[str, ...] = ()
    refuses: bool = False
    media_type: str = "application/merge-patch+json"
    adds: bool = False
    system: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()

    def app(self) -> FastAPI:
        app, defaults = FastAPI(), {**DEFAULTS, **dict(self.defaults)}
        item: dict[str, Any] = {"title": "plain", **defaults}

        def stored(sent: dict[str, Any]) -> dict[str, Any]:
            if self.one and len(sent.keys() - {"title", "tags"}) > 1:
                raise HTTPException(400)
            if "tags" in sent and self.adds:
                sent["tags"] = [*item["tags"], *sent["tags"]]
            elif "tags" in sent:
                sent["tags"] = [*self.system, *sent["tags"]]
            return {name: value for name, value in sent.items() if name not in self.frozen}

        @app.get("/items")
        def items() -> list[dict[str, str]]:
            return [{"id": "i1"}]

        @app.get("/items/{item_id}")
        def read(item_id: str) -> Item:
            return Item(**item)

        @app.put("/items/{item_id}")
        def replace(item_id: str, new: Item) -> Item:
            sent = stored(new.model_dump(exclude_unset=True))
            if self.complete and not sent.keys() >= DEFAULTS.keys():
                raise HTTPException(400)
            item.update({**({} if self.merges else defaults), **sent})
            return Item(**item)

        body = Body(media_type=self.media_type)

        @app.patch("/items/{item_id}")
        def change(item_id: str, new: Change = body) -> Item:
            sent = stored(new.model_dump(exclude_unset=True))
            if self.refuses and None in sent.values():
                raise HTTPException(400)
            for name, value in sent.items():
                if value is not None:
                    item[name] = value
                elif name not in self.kept:
                    item[name] = defaults.get(name)
            return Item(**item)

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(one=True), []),
        (Server(complete=True), []),
        # What is left out gets a default, which is one of the tried values.
        (Server(defaults=(("stars", 7), ("is_shown", True), ("note", "first text"))), []),
        (Server(merges=True), [PUT + KEPT.format(name) for name in ("note", "stars", "is_shown")]),
        (
            Server(merges=True, one=True),
            [PUT + KEPT.format(name) for name in ("note", "stars", "is_shown")],
        ),
        (Server(merges=True, complete=True), []),
        (Server(kept=("stars",)), [PATCH + NOT_REMOVED.format("stars")]),
        (
            Server(kept=("note", "stars"), one=True),
            [PATCH + NOT_REMOVED.format("note"), PATCH + NOT_REMOVED.format("stars")],
        ),
        (Server(kept=("is_shown",)), [PATCH + NOT_REMOVED.format("is_shown")]),
        (Server(kept=("stars",), refuses=True), []),
        # In plain JSON, a null may mean that nothing changes.
        (Server(kept=("stars",), media_type="application/json"), []),
        (Server(adds=True), [PUT + ADDED, PATCH + ADDED]),
        (Server(system=("any",)), []),
        # What is not stored has a finding of its own.
        (Server(frozen=("note", "tags"), defaults=(("tags", ["x"]),)), []),
    ],
)
def test_replacements(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        replacements(driver)
        assert messages(driver, *PROVEN) == violations
        assert driver.successes.keys() == before.keys()
        change = driver.contract.operations["/paths/~1items~1{item_id}/put"].pointer
        assert driver.successes[change][0].body == before[change][0].body
