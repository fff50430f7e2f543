"""Values that servers change when they store them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle.read_after_write import written
from specwright.conformance.checks.lifecycle.round_trip import (
    TEXT_IS_KEPT,
    VALUE_IS_KEPT,
    round_trip,
)
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (VALUE_IS_KEPT, TEXT_IS_KEPT)
Change = Callable[[Any], Any]


class Item(BaseModel):
    title: str = "plain"
    price: float = 1.5
    count: int = 3
    kind: Literal["new", "used"] = "new"
    begins: datetime = datetime.fromisoformat("2026-01-01T00:00:00+00:00")


class StoredItem(Item):
    id: str
    kind: str = "new"  # type: ignore[assignment]  # a response that is less strict


def app(member: str, change: Change, *, echoes: bool = False) -> FastAPI:
    """Return a server that changes the values of a member when it stores them.

    Args:
        echoes: a creation returns what it received.
    """
    app, items = FastAPI(), dict[str, dict[str, Any]]()

    def stored(id_: str, item: Item) -> dict[str, Any]:
        values = item.model_dump()
        values[member] = change(values[member])
        items[id_] = values
        return {**(item.model_dump() if echoes else values), "id": id_}

    @app.post("/items", status_code=201)
    def create(item: Item) -> StoredItem:
        return StoredItem(**stored(f"i{len(items)}", item))

    @app.get("/items/{item_id}")
    def read(item_id: str) -> StoredItem:
        if item_id not in items:
            raise HTTPException(404)
        return StoredItem(**items[item_id], id=item_id)

    @app.put("/items/{item_id}")
    def replace(item_id: str, item: Item) -> StoredItem:
        if item_id not in items:
            raise HTTPException(404)
        return StoredItem(**stored(item_id, item))

    return app


def found(app: FastAPI, place: Path) -> set[str]:
    with driver_of(app, place) as driver:
        for operation in driver.contract.operations.values():
            assert driver.first_success(operation) is not None
        written(driver)
        round_trip(driver)
        return set(messages(driver, *PROVEN))


def as_utc(moment: datetime) -> datetime:
    """Take the digits of a time as a time in UTC."""
    return datetime.fromisoformat(f"{moment:%Y-%m-%dT%H:%M:%S}+00:00")


@pytest.mark.parametrize("echoes", [False, True])
@pytest.mark.parametrize(
    ("member", "change", "losses"),
    [
        ("title", lambda value: value, []),
        ("title", str.strip, ["'title' loses outer spaces"]),
        (
            "title",
            lambda value: value.lstrip("0") if value.isdecimal() else value,
            ["'title' loses leading zeros"],
        ),
        ("title", str.lower, ["'title' loses case"]),
        (
            "title",
            lambda value: unicodedata.normalize("NFC", value),
            ["'title' loses a letter with a combining mark"],
        ),
        (
            "title",
            lambda value: unicodedata.normalize("NFKD", value),
            ["'title' loses compatibility characters"],
        ),
        ("price", lambda value: round(value, 1), ["'price' loses a part of the amount"]),
        ("price", lambda value: value + 1e-9, []),
        ("count", lambda value: min(value, 2**31 - 1), ["'count' loses digits"]),
        ("kind", str.upper, ["'kind' loses the case of a listed value"]),
        ("begins", as_utc, ["'begins' loses the instant"]),
        ("begins", lambda value: value.astimezone(), []),
    ],
)
def test_what_a_server_changes_is_found(
    tmp_path: Path, member: str, change: Change, losses: list[str], echoes: bool
) -> None:
    # The PUT shows the same at the same operation.
    wanted = {f"POST /items: {loss}" for loss in losses}
    assert found(app(member, change, echoes=echoes), tmp_path) == wanted


def test_asterisks_do_not_tell_what_is_stored(tmp_path: Path) -> None:
    with driver_of(app("title", lambda _: "***"), tmp_path) as driver:
        for operation in driver.contract.operations.values():
            assert driver.first_success(operation) is not None
        written(driver)
        round_trip(driver)
        assert not driver.target.record.violations


def test_a_member_that_is_not_stored_has_one_finding(tmp_path: Path) -> None:
    assert found(app("title", lambda _: "always"), tmp_path) == set()


def test_a_server_that_chooses_another_listed_value_is_right(tmp_path: Path) -> None:
    chosen = {"new": "unopened", "used": "second-hand"}
    assert found(app("kind", lambda value: chosen[value]), tmp_path) == set()
