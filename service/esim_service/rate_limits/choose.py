"""The choice of the counter for rate limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ..store.changes.database import Database, OperatorError
from ..store.drivers.sqlite import SqliteDatabase
from ..values.clock import Clock
from .file import open_file
from .limiter import Windows


@asynccontextmanager
async def open_windows(
    redis_url: str | None, database: Database, clock: Clock
) -> AsyncIterator[Windows]:
    """Count in Redis, else in a database for several processes, else in this process.

    Raises:
        OperatorError: Redis cannot be used.
    """
    # Extras install the drivers; a process that serves alone needs none.
    if redis_url is not None:
        try:
            from .redis import open_redis
        except ImportError:
            raise OperatorError("ESIM_REDIS_URL needs: pip install 'esim-service[redis]'") from None
        async with open_redis(redis_url) as shared:
            yield shared
    elif database.dialect == "postgres":
        from ..store.drivers.postgres import PostgresDatabase
        from .postgres import PostgresWindows

        assert isinstance(database, PostgresDatabase)
        yield PostgresWindows(database)
    else:
        assert isinstance(database, SqliteDatabase)
        with open_file(database.path.with_name(f"{database.path.name}.rates"), clock) as alone:
            yield alone
