"""The time of the latest change of a resource."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from specwright.conformance.checks.lifecycle import modification_times as module
from specwright.conformance.checks.requests.explore import explore
from tests.conformance.fastapi_apps import driver_of, messages

PROVEN = (module.MODIFIED_CHANGES,)
SAME = "PATCH /items/{item_id}: 'updated_at' is the same after a later change"
BEGIN = datetime(2026, 3, 4, 5, 6, 7, 250_000, UTC)


class Change(BaseModel):
    title: str = "plain"


class TimedChange(Change):
    updated_at: str | None = None


class Item(BaseModel):
    id: str
    title: str
    created_at: datetime
    updated_at: datetime | None


@dataclass
class Clock:
    """A clock that only pauses move."""

    now: datetime = BEGIN
    pauses: int = 0

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.pauses += 1


def exact(moment: datetime) -> datetime:
    return moment


def to_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def to_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


@dataclass
class Server:
    """A server of one item.

    Attributes:
        store: what it makes of a time.
        frozen: a change does not set the time of the latest one.
        stuck: changes have no effect.
        sent: the time is a member of the request.
        missing: the response has no such time.
    """

    store: Callable[[datetime], datetime] = exact
    frozen: bool = False
    stuck: bool = False
    sent: bool = False
    missing: bool = False

    def app(self, clock: Clock) -> FastAPI:
        app = FastAPI()
        item: dict[str, Any] = {"id": "i1", "title": "plain"}
        item |= dict.fromkeys(("created_at", "updated_at"), self.store(clock.now))

        def shown(item_id: str) -> Item:
            if item_id != "i1":
                raise HTTPException(404)
            return Item(**{**item, "updated_at": None if self.missing else item["updated_at"]})

        @app.get("/items")
        def items() -> list[dict[str, str]]:
            return [{"id": "i1"}]

        @app.get("/items/{item_id}")
        def read(item_id: str) -> Item:
            return shown(item_id)

        def change(item_id: str, new: Change) -> Item:
            if not self.stuck:
                item["title"] = new.title
            if not self.frozen:
                item["updated_at"] = self.store(clock.now)
            return shown(item_id)

        def change_with_time(item_id: str, new: TimedChange) -> Item:
            return change(item_id, new)

        app.patch("/items/{item_id}")(change_with_time if self.sent else change)
        return app


@pytest.mark.parametrize(
    ("server", "violations"),
    [
        (Server(), []),
        (Server(to_second), []),
        # The next minute has not begun.
        (Server(to_minute), []),
        (Server(frozen=True), [SAME]),
        (Server(to_second, frozen=True), [SAME]),
        (Server(frozen=True, stuck=True), []),
        (Server(frozen=True, sent=True), []),
        (Server(frozen=True, missing=True), []),
    ],
)
def test_the_time_of_the_latest_change_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, violations: list[str]
) -> None:
    clock = Clock()
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=clock.sleep))
    with driver_of(server.app(clock), tmp_path) as driver:
        explore(driver)
        before = dict(driver.successes)
        module.modification_times(driver)
        assert messages(driver, *PROVEN) == violations
        change = "/paths/~1items~1{item_id}/patch"
        assert driver.successes[change][0].body == before[change][0].body
    assert clock.pauses == (0 if server.sent or server.missing or server.store is to_minute else 1)
