"""`doctor` finds what is wrong with a database, and its exit code says how bad that is."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import execute
from esim_service.values.clock import DAY, HOUR, SystemClock
from esim_service.values.ids import Ids

from .running import CARRIER, esim_service
from .test_restore import destroy
from .world import World

pytestmark = pytest.mark.anyio

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
CHECKS = "integrity schema ledger purchases outbox clock keys disk".split()
NOW = SystemClock().now()


@pytest.fixture
async def place(ready: str, tmp_path: Path) -> str:
    """Where a service was in use that has nothing wrong."""
    create = ("keys", "create", "--partner", "acme", "--mode", "test", "--database", ready)
    for command in (("migrate", "--database", ready), create):
        assert esim_service(*command, cwd=tmp_path).returncode == 0
    clock = SystemClock()
    async with open_database(ready, exclusive=False) as database:
        world = World(database, clock, Ids(clock))
        await world.prepare()
        await world.endpoint("https://hooks.example")
        [iccid] = await world.completed("r1")
        await world.order("r2")
        await world.top_up("t1", iccid)
    return ready


def examined(place: str, cwd: Path, **variables: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Return the exit code, and state and message of each check."""
    arguments = ("doctor", "--format", "json", "--database", place)
    done = esim_service(*arguments, cwd=cwd, **variables)
    found = json.loads(done.stdout)
    worst = {"ok": 0, "warning": 1, "error": 2}[found["state"]]
    assert worst == done.returncode
    return worst, {each["check"]: (each["state"], each["message"]) for each in found["checks"]}


async def change(place: str, *statements: str) -> None:
    async with open_database(place, exclusive=False) as database:
        for sql in statements:
            await database.write(partial(execute, sql))


async def test_a_database_in_use_has_nothing_wrong(place: str, tmp_path: Path) -> None:
    code, found = examined(place, tmp_path)
    assert (code, list(found)) == (0, CHECKS)
    assert {state for state, _ in found.values()} == {"ok"}
    done = esim_service("doctor", "--database", place, cwd=tmp_path)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines == [[name, *found[name]] for name in CHECKS]


async def test_what_a_reset_leaves_to_be_removed_is_nothing_wrong(
    place: str, tmp_path: Path
) -> None:
    # The jobs go first.
    await change(place, "UPDATE accounts SET epoch = epoch || '.1'", "DELETE FROM jobs")
    code, found = examined(place, tmp_path)
    assert (code, found["purchases"][0]) == (0, "ok")


@pytest.mark.parametrize(
    ("statements", "check", "state", "words"),
    [
        (
            ["UPDATE accounts SET balance = balance + 1 WHERE mode = 'live'"],
            "ledger",
            "error",
            "acme",
        ),
        (["DELETE FROM ledger"], "ledger", "error", "acme (test)"),
        (["DELETE FROM jobs WHERE kind = 'provision'"], "purchases", "error", "ord_"),
        (["DELETE FROM jobs WHERE kind = 'topup'"], "purchases", "error", "top_"),
        (
            [f"UPDATE jobs SET due_at = {NOW - HOUR}"],
            "outbox",
            "warning",
            "0 deliveries and 3 jobs",
        ),
        (
            [f"UPDATE deliveries SET due_at = {NOW - HOUR}"],
            "outbox",
            "warning",
            "1 deliveries and 0 jobs",
        ),
        ([f"UPDATE accounts SET dated_at = {NOW + 3 * DAY}"], "clock", "warning", "correct-dates"),
        (["UPDATE webhook_endpoints SET secret = 'fernet:x'"], "keys", "error", "ESIM_SECRETS_KEY"),
        (["UPDATE api_keys SET mode = 'live'"], "keys", "error", "ESIM_CARRIER"),
    ],
)
async def test_what_is_wrong_is_named(
    place: str, tmp_path: Path, statements: Sequence[str], check: str, state: str, words: str
) -> None:
    await change(place, *statements)
    code, found = examined(place, tmp_path)
    assert code == (2 if state == "error" else 1)
    assert {name for name, (state, _) in found.items() if state != "ok"} == {check}
    assert found[check][0] == state and words in found[check][1]


async def test_settings_count_that_processes_have(place: str, tmp_path: Path) -> None:
    await change(place, "UPDATE api_keys SET mode = 'live'")
    assert examined(place, tmp_path, **CARRIER)[0] == 0
    scaled = examined(place, tmp_path, **CARRIER, ESIM_WEBHOOK_RETRY_SCALE="0.5")
    assert scaled[1]["keys"][0] == "error"
    rotate = ("secrets", "rotate", "--database", place)
    assert esim_service(*rotate, cwd=tmp_path, ESIM_SECRETS_KEY=KEY).returncode == 0
    assert examined(place, tmp_path, **CARRIER)[1]["keys"][0] == "error"
    assert examined(place, tmp_path, **CARRIER, ESIM_SECRETS_KEY=KEY)[0] == 0


async def test_without_its_schema_nothing_else_is_examined(place: str, tmp_path: Path) -> None:
    await change(place, "DELETE FROM schema_version WHERE version > 3")
    code, found = examined(place, tmp_path)
    assert (code, list(found)) == (2, ["integrity", "schema"])
    assert "esim-service migrate" in found["schema"][1]


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Path:
    assert esim_service("migrate", "--database", "esim.db", cwd=tmp_path).returncode == 0
    return tmp_path / "esim.db"


@pytest.mark.parametrize("tables", [["orders"], ["schema_version"]], ids=str)
def test_a_corrupt_file_is_to_be_replaced(
    sqlite_place: Path, tmp_path: Path, tables: list[str]
) -> None:
    destroy(sqlite_place, *tables)
    code, found = examined(str(sqlite_place), tmp_path)
    assert (code, list(found)) == (2, ["integrity"])
    assert "is corrupt" in found["integrity"][1]
    assert "esim-service restore" in found["integrity"][1]


def test_an_index_that_lacks_rows_is_found(sqlite_place: Path, tmp_path: Path) -> None:
    """SQLite finds that only when it compares index and table."""
    with closing(sqlite3.connect(sqlite_place)) as connection:
        connection.execute("CREATE TABLE noted (text TEXT)")
        connection.execute("INSERT INTO noted VALUES ('a')")
        connection.execute("CREATE INDEX noted_text ON noted (text)")
        [[page]] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'noted_text'"
        )
        connection.execute("CREATE TABLE empty (text TEXT)")
        connection.execute("CREATE INDEX empty_text ON empty (text)")
        connection.execute("PRAGMA writable_schema = ON")
        swap = "UPDATE sqlite_master SET rootpage = ? WHERE name = ?"
        [[other]] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'empty_text'"
        )
        connection.execute(swap, (other, "noted_text"))
        connection.execute(swap, (page, "empty_text"))
        connection.commit()
    code, found = examined(str(sqlite_place), tmp_path)
    assert code == 2 and "is corrupt" in found["integrity"][1]


@pytest.mark.parametrize(
    ("free", "code", "state"),
    [(99_000_000, 2, "error"), (100_000_000, 1, "warning"), (400_000_000, 0, "ok")],
)
def test_space_has_to_be_enough_for_a_restore(
    sqlite_place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    free: int,
    code: int,
    state: str,
) -> None:
    with sqlite_place.open("rb+") as file:
        file.truncate(300_000_000)
    usage: Callable[[object], object] = lambda _: SimpleNamespace(free=free)  # noqa: E731
    monkeypatch.setattr(shutil, "disk_usage", usage)
    found = examined(str(sqlite_place), tmp_path)
    assert (found[0], found[1]["disk"][0]) == (code, state)


def test_a_database_that_is_not_there_cannot_be_examined(tmp_path: Path) -> None:
    done = esim_service("doctor", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "does not exist" in done.stderr
