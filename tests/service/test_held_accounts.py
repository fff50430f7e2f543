"""A transaction that does not end, or a dead connection, does not block other partners."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import asyncpg
import pytest

from esim_service.domain import partners
from esim_service.store.changes.change import AccountChange
from esim_service.store.changes.database import LockedError, UnavailableError
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.statements.unit import Unit, rows
from esim_service.store.tables.partners import account
from esim_service.values.clock import MINUTE, SystemClock
from esim_service.values.entities import Account, Scope
from esim_service.values.ids import Ids

from .manual_clock import ManualClock
from .outages.network import network
from .running import DEADLINE, until
from .world import World

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(postgres: PostgresDatabase, clock: ManualClock, ids: Ids) -> World:
    made = World(postgres, clock, ids)
    await made.prepare()
    return made


async def another_partner(world: World) -> Scope:
    partner = await world.database.write(lambda: partners.ensure("other", world.stamp()))
    return Scope(partner.partner_id, "test")


def unchanged(before: Account) -> Unit[tuple[Account, int]]:
    yield from rows("SELECT 1")
    return before, before.balance


@asynccontextmanager
async def held(url: str, scope: Scope) -> AsyncIterator[None]:
    """Hold an account as a process does that stopped in the middle of a transaction."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(
                "SELECT 1 FROM accounts WHERE partner_id = $1 AND mode = $2 FOR UPDATE",
                *(scope.partner_id, scope.mode),
            )
            yield
    finally:
        await connection.close()


async def test_an_account_that_is_held_holds_up_no_other_one(
    world: World, postgres_url: str
) -> None:
    other = await another_partner(world)
    change = world.database.change
    async with asyncio.timeout(DEADLINE), held(postgres_url, world.scope()):
        stuck = asyncio.create_task(change(AccountChange(world.scope(), "stuck", unchanged)))
        # In one batch with the one that is stuck, and after it.
        for number in range(3):
            await change(AccountChange(other, f"free {number}", unchanged))
        with pytest.raises(LockedError):
            await stuck
        with pytest.raises(LockedError):
            await change(AccountChange(world.scope(), "stuck, too", unchanged))
        await change(AccountChange(other, "still free", unchanged))
    # Nothing is remembered longer than it is so.
    for number in range(2):
        await change(AccountChange(world.scope(), f"free again {number}", unchanged))


async def test_what_waits_for_a_held_account_is_made_as_soon_as_it_is_free(
    world: World, postgres_url: str
) -> None:
    async with asyncio.timeout(DEADLINE):
        async with held(postgres_url, world.scope()):
            with pytest.raises(LockedError):
                await world.database.change(AccountChange(world.scope(), "first", unchanged))
            waiting = asyncio.create_task(
                world.database.change(AccountChange(world.scope(), "second", unchanged))
            )
            await asyncio.sleep(0)
        assert await waiting == await world.balance()


async def test_a_transaction_in_which_nothing_happens_is_ended_by_the_server(
    world: World, postgres_url: str
) -> None:
    """The process that began it may be stopped, or its host gone."""
    connection = await asyncpg.connect(postgres_url)
    begun = asyncio.Event()

    async def stops() -> None:
        unit = partial(account, world.scope())
        async with world.database.hold("stopped") as writer:
            assert writer is not None
            pool_connection = writer._connection  # type: ignore[attr-defined]
            async with pool_connection.transaction():
                statement = next(unit())
                await pool_connection.fetch(f"{statement.sql} FOR UPDATE", *statement.parameters)
                begun.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(stops())
    try:
        await begun.wait()

        async def is_free() -> bool:
            query = "SELECT 1 FROM accounts FOR UPDATE SKIP LOCKED"
            return len(await connection.fetch(query)) == await connection.fetchval(
                "SELECT COUNT(*) FROM accounts"
            )

        await until(is_free)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await connection.close()


async def test_a_process_that_was_too_slow_does_its_transaction_again(world: World) -> None:
    """Where others take the processor for seconds, the server ends a transaction that waits."""
    begun = 0

    def starved() -> Unit[int]:
        nonlocal begun
        begun += 1
        if begun == 1:
            yield from rows("SET LOCAL idle_in_transaction_session_timeout = 1")
            # The loop stands still, too.
            time.sleep(0.1)
        found = yield from rows("SELECT 7 AS seven")
        return int(found[0]["seven"])

    assert await world.database.write(starved) == 7
    assert begun == 2


async def test_a_transaction_that_is_ended_each_time_is_given_up(world: World) -> None:
    begun = 0

    def starved() -> Unit[None]:
        nonlocal begun
        begun += 1
        yield from rows("SET LOCAL idle_in_transaction_session_timeout = 1")
        time.sleep(0.1)
        yield from rows("SELECT 7")

    with pytest.raises(UnavailableError):
        await world.database.write(starved)
    assert begun == 2


async def test_connections_that_lead_nowhere_are_given_up(world: World, postgres_url: str) -> None:
    with network(postgres_url) as (between, url):
        database = await PostgresDatabase.open(url, command_seconds=0.5)
        try:
            busy = [
                database.write(partial(account, world.scope())),
                database.read(partial(account, world.scope())),
                *(
                    database.change(AccountChange(world.scope(), f"{n}", unchanged))
                    for n in range(3)
                ),
            ]
            await asyncio.gather(*busy)
            await database.check(SystemClock().now())
            between.lose()
            async with asyncio.timeout(DEADLINE):
                for unit in (database.read, database.write):
                    with pytest.raises(UnavailableError):
                        await unit(partial(account, world.scope()))
                    # All other connections of the pool are lost as well, and none is tried.
                    await unit(partial(account, world.scope()))
                await database.change(AccountChange(world.scope(), "after", unchanged))
                await database.check(SystemClock().now())
        finally:
            await database.close()


async def test_it_is_not_ready_while_changes_wait_and_none_is_made(
    world: World, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("esim_service.store.drivers.postgres._STALLED_SECONDS", 0.0)
    database = world.database
    await database.check(SystemClock().now())
    async with asyncio.timeout(DEADLINE), held(postgres_url, world.scope()):
        stuck = asyncio.create_task(
            database.change(AccountChange(world.scope(), "stuck", unchanged))
        )
        await asyncio.sleep(0.01)
        with pytest.raises(UnavailableError, match="were not committed"):
            await database.check(SystemClock().now())
        with pytest.raises(LockedError):
            await stuck
    await database.change(AccountChange(world.scope(), "after", unchanged))
    await database.check(SystemClock().now())


@pytest.mark.parametrize("mode", ["ACCESS EXCLUSIVE", "SHARE"])
@pytest.mark.parametrize("table", ["orders", "delivery_attempts"])
async def test_it_is_not_ready_while_an_operator_locks_a_table(
    postgres: PostgresDatabase, postgres_url: str, mode: str, table: str
) -> None:
    connection = await asyncpg.connect(postgres_url)
    try:
        async with connection.transaction():
            await connection.execute(f"LOCK TABLE {table} IN {mode} MODE")
            with pytest.raises(UnavailableError, match="a lock of a whole table"):
                await postgres.check(SystemClock().now())
        await postgres.check(SystemClock().now())
        # It keeps no lock itself.
        async with connection.transaction():
            await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE NOWAIT")
    finally:
        await connection.close()


async def test_locks_are_not_looked_for_without_a_schema(empty_postgres: str) -> None:
    database = await PostgresDatabase.open(empty_postgres)
    try:
        await database.check(SystemClock().now())
    finally:
        await database.close()


@pytest.mark.parametrize("off", [-2 * MINUTE, 2 * MINUTE])
async def test_it_is_not_ready_when_its_clock_is_off(postgres: PostgresDatabase, off: int) -> None:
    with pytest.raises(
        UnavailableError, match=r"the clock differs from PostgreSQL's by -?1[12]\d s"
    ):
        await postgres.check(SystemClock().now() + off)
