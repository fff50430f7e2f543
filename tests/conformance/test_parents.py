"""Children below their parents, below others, and after a move."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.locations import (
    MOVED_IS_GONE,
    PARENT,
    moves,
    parents,
)
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (PARENT, MOVED_IS_GONE)
ITEMS = "/shops/{shop_id}/items"
LISTED = [f"GET {ITEMS}: a child of one resource is in the list of another one"]
FOUND = [f"GET {ITEMS}/{{item_id}}: a child of one resource is found below another one"]
KEPT = [f"POST {ITEMS}/{{item_id}}/move: what was moved is still found below its earlier parent"]


class Sent(BaseModel):
    title: str = "plain"


class Target(BaseModel):
    shop_id: str


class Item(BaseModel):
    id: str
    shop_id: str
    title: str


@dataclass
class Server:
    """A server of shops with items.

    Attributes:
        all_listed: the list of a shop has the items of all shops.
        all_found: an item is found below every shop.
        own_ids: a new shop has an item of its own with each id that an item of others has.
        shows_path: an item has the shop of the request.
        copies: a move leaves the item below its shop, too.
        forks: it leaves another item there.
        refuses: moves are refused.
        bare: the list has ids only.
        first: the list shows so many items.
    """

    all_listed: bool = False
    all_found: bool = False
    own_ids: bool = False
    shows_path: bool = False
    copies: bool = False
    forks: bool = False
    refuses: bool = False
    bare: bool = False
    first: int = 100

    def app(self) -> FastAPI:
        app, numbers = FastAPI(), count()
        shops, places = dict[str, list[Item]](), dict[tuple[str, str], Item]()

        @app.post("/shops", status_code=201)
        def open_shop() -> dict[str, str]:
            id_ = f"s{next(numbers)}"
            shops[id_] = []
            if self.own_ids:
                for other in {item.id for items in shops.values() for item in items}:
                    put(id_, Item(id=other, shop_id=id_, title="a bag"))
            return {"id": id_}

        @app.get("/shops/{shop_id}")
        def shop(shop_id: str) -> dict[str, str]:
            return {"id": of(shop_id)}

        def of(shop_id: str) -> str:
            if shop_id not in shops:
                raise HTTPException(404)
            return shop_id

        def put(shop_id: str, item: Item) -> None:
            shops[shop_id].append(item)
            places[shop_id, item.id] = item

        @app.post(ITEMS, status_code=201)
        def add(shop_id: str, sent: Sent) -> Item:
            of(shop_id)
            id_ = f"i{next(numbers)}"
            item = Item(id=id_, shop_id=shop_id, title=sent.title)
            put(shop_id, item)
            return item

        @app.get(ITEMS)
        def items(shop_id: str) -> list[Any]:
            rows = shops[of(shop_id)]
            if self.all_listed:
                rows = [item for items in shops.values() for item in items]
            rows = rows[: self.first]
            return [item.id for item in rows] if self.bare else list(rows)

        @app.get(f"{ITEMS}/{{item_id}}")
        def read(shop_id: str, item_id: str) -> Item:
            known = [
                item
                for (shop, id_), item in places.items()
                if id_ == item_id and (shop == of(shop_id) or self.all_found)
            ]
            if not known:
                raise HTTPException(404)
            return known[0].model_copy(update={"shop_id": shop_id}) if self.shows_path else known[0]

        @app.post(f"{ITEMS}/{{item_id}}/move")
        def move(shop_id: str, item_id: str, target: Target) -> Item:
            item = read(shop_id, item_id)
            if self.refuses and target.shop_id != shop_id:
                raise HTTPException(409)
            moved = item.model_copy(update={"shop_id": of(target.shop_id)})
            shops[shop_id].remove(places.pop((shop_id, item_id)))
            put(target.shop_id, moved)
            if self.copies or self.forks:
                put(shop_id, moved if self.copies else item)
            return moved

        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(all_listed=True), LISTED),
        (Server(all_found=True), FOUND),
        (Server(all_found=True, shows_path=True), FOUND),
        (Server(all_listed=True, bare=True), []),
        # Another item has the id of the new one.
        (Server(own_ids=True), []),
        # The new item is on a later page.
        (Server(all_listed=True, first=1), []),
    ],
)
def test_a_child_is_below_its_own_parent(
    tmp_path: Path, server: Server, violations: list[str]
) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        parents(driver)
        assert messages(driver, PARENT) == violations


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(copies=True), KEPT),
        (Server(forks=True), []),
        (Server(refuses=True), []),
    ],
)
def test_what_was_moved_is_gone(tmp_path: Path, server: Server, violations: list[str]) -> None:
    with driver_of(server.app(), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        moves(driver)
        assert messages(driver, MOVED_IS_GONE) == violations
        move = "/paths/~1shops~1{shop_id}~1items~1{item_id}~1move/post"
        assert driver.successes[move] == before[move]
        assert driver.target.record.checked.get(MOVED_IS_GONE, set()) <= {move}
