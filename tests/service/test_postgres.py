"""The PostgreSQL driver when the server refuses: nothing stays locked, and clashes are repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import asyncpg
import pytest

from esim_service.store.changes.database import UnavailableError
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.statements.unit import Unit, execute, rows

from .running import until

pytestmark = pytest.mark.anyio

# Functions of these names are found before those of the server.
_OURS_FIRST = """
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
END $$;
"""
_REFUSED = """
CREATE FUNCTION public.pg_advisory_unlock(BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'canceling statement due to user request' USING ERRCODE = 'query_canceled';
END $$;
"""
_SLOW = """
CREATE FUNCTION public.pg_advisory_unlock(BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_lock_shared(1, 1);
    RETURN pg_catalog.pg_advisory_unlock($1);
END $$;
"""
# What a sequence counts is not undone with the transaction.
_CLASHES = """
CREATE SEQUENCE tries;
CREATE FUNCTION clash(most BIGINT, code TEXT) RETURNS VOID LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') <= most THEN
        RAISE EXCEPTION 'clash' USING ERRCODE = code;
    END IF;
END $$;
"""
_TRIES = "SELECT last_value FROM tries"
_WAITING = (
    "SELECT COUNT(*) = 1 FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresDatabase]:
    """Open the database as a process does."""
    database = await PostgresDatabase.open(url)
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
async def connection(postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    made = await asyncpg.connect(postgres_url)
    yield made
    await made.close()


async def take(database: PostgresDatabase, name: str) -> bool:
    """Hold a name for a moment; return whether it was free."""
    async with database.hold(name) as writer:
        return writer is not None


async def test_a_name_that_the_server_does_not_release_goes_with_its_connection(
    connection: asyncpg.Connection, postgres_url: str
) -> None:
    async with opened(postgres_url) as other:
        await connection.execute(_OURS_FIRST + _REFUSED)
        async with opened(postgres_url) as database:
            assert await take(database, "a")
            await until(partial(take, other, "a"), 10)


async def test_a_name_that_is_being_released_when_its_task_ends_goes_with_its_connection(
    connection: asyncpg.Connection, postgres_url: str
) -> None:
    async with opened(postgres_url) as other:
        await connection.execute(_OURS_FIRST + _SLOW)
        await connection.execute("SELECT pg_advisory_lock(1, 1)")
        async with opened(postgres_url) as database:
            task = asyncio.create_task(take(database, "a"))
            await until(partial(connection.fetchval, _WAITING))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await connection.execute("SELECT pg_catalog.pg_advisory_unlock(1, 1)")
            await until(partial(take, other, "a"), 10)


def adding(clashes: int, code: str) -> Unit[None]:
    """Add a partner in a transaction that meets another one so many times."""
    yield from execute(
        "INSERT INTO partners (partner_id, name, status, created_at)"
        " VALUES ('prt_1', 'acme', 'active', 1)"
    )
    yield from execute("SELECT clash($1, $2)", clashes, code)


@pytest.mark.parametrize("code", ["serialization_failure", "deadlock_detected"])
async def test_a_transaction_that_meets_another_one_is_repeated(
    postgres: PostgresDatabase, connection: asyncpg.Connection, code: str
) -> None:
    await connection.execute(_CLASHES)
    await postgres.write(partial(adding, 4, code))
    assert await connection.fetchval(_TRIES) == 5
    assert len(await postgres.read(partial(rows, "SELECT name FROM partners"))) == 1


@pytest.mark.parametrize("code", ["serialization_failure", "deadlock_detected"])
async def test_a_transaction_that_always_meets_another_one_is_given_up(
    postgres: PostgresDatabase, connection: asyncpg.Connection, code: str
) -> None:
    await connection.execute(_CLASHES)
    with pytest.raises(UnavailableError, match="busy"):
        await postgres.write(partial(adding, 100, code))
    assert await connection.fetchval(_TRIES) == 5
    assert not await postgres.read(partial(rows, "SELECT name FROM partners"))
