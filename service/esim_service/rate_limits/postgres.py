"""Rate limits shared by the processes on one PostgreSQL."""

from __future__ import annotations

from functools import partial

from partner_esim.server import Allowance

from ..store.drivers.postgres import PostgresDatabase
from ..store.statements.unit import rows
from ..values.clock import Clock
from .limiter import verdict

_SQL = "SELECT allowed, used, wait FROM take_rate($1, $2, $3, {})"
_MICROSECONDS = 1_000_000


class PostgresWindows:
    """Windows in an unlogged table.

    The time is that of the server, the only one that all processes share; in tests, a clock
    replaces it.
    """

    def __init__(self, database: PostgresDatabase, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock

    async def check(self) -> None:
        """Do nothing, as the database has its own check."""

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full.

        Raises:
            UnavailableError: the database cannot be reached.
        """
        span = window_seconds * _MICROSECONDS
        take = partial(rows, _SQL.format("NULL"), bucket, limit, span)
        if self._clock is not None:
            take = partial(rows, _SQL.format("$4"), bucket, limit, span, self._clock.now() * 1000)
        [row] = await self._database.run(take)
        return verdict(row["allowed"] == 1, row["used"], row["wait"] / _MICROSECONDS, limit)
