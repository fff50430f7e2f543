"""A service for all tests of hostile clients; at the end its log must be clean."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from ..running import CARRIER, Running, esim_service, serving
from .raw import Connection

MANY = ("--read-limit", "1000000", "--write-limit", "1000000")


@contextlib.contextmanager
def empty_database(server: str) -> Iterator[str]:
    """A database of PostgreSQL for the time of the context."""
    name = f"esim_{secrets.token_hex(8)}"

    async def execute(sql: str) -> None:
        connection = await asyncpg.connect(server)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    asyncio.run(execute(f"CREATE DATABASE {name}"))
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        asyncio.run(execute(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service that must not have anything to complain of when all is over."""
    cwd: Path = tmp_path_factory.mktemp("hostile")
    with contextlib.ExitStack() as stack:
        place = str(cwd / "service.db")
        if request.param == "postgres":
            server = request.getfixturevalue("postgres_server")
            place = stack.enter_context(empty_database(server))
            assert esim_service("migrate", "--database", place, cwd=cwd).returncode == 0
        started = stack.enter_context(serving(place, cwd, **CARRIER))
        yield started
        assert started.stop() == 0
        assert [each for each in started.log() if each["level"] in ("error", "critical")] == []


@pytest.fixture(scope="session")
def issue(running: Running) -> Callable[[str, str], str]:
    """Issue a key of a mode to a partner."""
    return lambda mode, partner: running.key(mode, partner, *MANY)


@pytest.fixture(scope="session")
def key(issue: Callable[[str, str], str]) -> str:
    return issue("test", "acme")


@pytest.fixture(scope="session")
def connect(running: Running, key: str) -> Iterator[Callable[[], Connection]]:
    port = urlsplit(running.base_url).port
    assert port is not None
    opened: list[Connection] = []

    def make() -> Connection:
        opened.append(Connection(port, key))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def connection(connect: Callable[[], Connection]) -> Iterator[Connection]:
    """A connection that is still good after the test."""
    made = connect()
    yield made
    assert made.send("GET", "/balance").status == 200
