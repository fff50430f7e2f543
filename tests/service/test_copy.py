"""`copy` takes a service from SQLite to PostgreSQL: everything, or nothing."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from esim_service import catalogue
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.store.statements.unit import Unit, rows
from esim_service.values.ids import Ids
from tests.service.running import esim_service
from tests.service.world import World

from .manual_clock import ManualClock

pytestmark = pytest.mark.anyio


async def run(source: Path, target: str) -> tuple[int, str]:
    arguments = ("copy", str(source), "--database", target)
    done = await asyncio.to_thread(partial(esim_service, *arguments, cwd=source.parent))
    return done.returncode, done.stdout + done.stderr


def contents(tables: Sequence[str]) -> Unit[dict[str, list[dict[str, object]]]]:
    found = {}
    for table in tables:
        lines = yield from rows(f"SELECT * FROM {table}")
        plain = [dict(line) for line in lines]
        found[table] = sorted(plain, key=repr)
    return found


def tables() -> Unit[list[str]]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_version'"
    return [row["name"] for row in (yield from rows(query))]


@pytest.fixture
async def file(tmp_path: Path, clock: ManualClock, ids: Ids) -> Path:
    """A service on SQLite that was in use."""
    path = tmp_path / "service.db"
    database = SqliteDatabase(path)
    await migrate(database)
    world = World(database, clock, ids)
    await world.prepare()
    await world.endpoint("https://hooks.example/a")
    [iccid] = await world.completed("order-1")
    await world.top_up("topup-1", iccid)
    await world.order("order-2", plan_id="pln_asia-daily-1gb", days=3)
    await database.close()
    return path


@pytest.mark.parametrize("is_used_before", [False, True])
async def test_everything_arrives(file: Path, empty_postgres: str, is_used_before: bool) -> None:
    if is_used_before:
        # A service that was started on it left its own catalogue there.
        database = await PostgresDatabase.open(empty_postgres)
        await migrate(database)
        left = World(database, ManualClock(), Ids(ManualClock()))
        await left.sell(catalogue.load(catalogue.default_path()))
        await database.close()
    code, said = await run(file, empty_postgres)
    assert (code, said.split()[0]) == (0, "copied"), said
    source, target = SqliteDatabase(file), await PostgresDatabase.open(empty_postgres)
    names = await source.read(tables)
    before = await source.read(partial(contents, names))
    assert await target.read(partial(contents, names)) == before
    assert all(before[name] for name in ("orders", "events", "deliveries", "answers", "ledger"))
    await source.close()
    await target.close()


async def test_a_retry_of_an_order_from_before_is_a_replay(
    file: Path, empty_postgres: str, clock: ManualClock, ids: Ids
) -> None:
    await run(file, empty_postgres)
    database = await PostgresDatabase.open(empty_postgres)
    world = World(database, clock, ids)
    [partner] = await database.read(partial(rows, "SELECT partner_id FROM partners"))
    world.partner_id = partner["partner_id"]
    before = await world.balance()
    answered = await world.order("order-2", plan_id="pln_asia-daily-1gb", days=3)
    assert answered.is_replay
    assert json.loads(answered.body)["reference"] == "order-2"
    assert await world.balance() == before
    await database.close()


async def test_it_is_refused_where_it_could_do_harm(file: Path, empty_postgres: str) -> None:
    serving = SqliteDatabase(file)
    code, said = await run(file, empty_postgres)
    assert code == 2 and "in use" in said
    await serving.close()
    assert (await run(file, str(file)))[0] == 2
    assert (await run(file, empty_postgres))[0] == 0
    code, said = await run(file, empty_postgres)
    assert code == 2 and "has partners already" in said


async def test_an_old_file_is_brought_up_to_date_first(file: Path, empty_postgres: str) -> None:
    database = SqliteDatabase(file)
    await database.write(partial(rows, "DELETE FROM schema_version WHERE version > 1"))
    await database.close()
    code, said = await run(file, empty_postgres)
    assert code == 2 and "esim-service migrate --database" in said
    target = await PostgresDatabase.open(empty_postgres)
    assert await target.read(partial(rows, "SELECT * FROM partners")) == []
    await target.close()
