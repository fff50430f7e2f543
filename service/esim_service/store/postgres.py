"""PostgreSQL through asyncpg, for any number of processes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg

from .database import LONG_HOLDS, Dialect, OperatorError, UnavailableError, Writer
from .unit import Row, Statement, Unit, Value

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

T = TypeVar("T")

_OLDEST = 15
_ATTEMPTS = 5
_CONNECTION_ERRORS = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # What asyncpg says of a connection that ends just as it is used.
    asyncpg.InternalClientError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
)
_REPEATED = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class _Connection:
    """One connection as a writer."""

    def __init__(self, connection: PoolConnectionProxy[Any]) -> None:
        self._connection = connection

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction, again if it met another one."""
        for attempt in range(1, _ATTEMPTS + 1):
            with _translated():
                try:
                    async with self._connection.transaction():
                        return await _drive(self._connection, make())
                except _REPEATED:
                    if attempt == _ATTEMPTS:
                        raise UnavailableError("the database is busy") from None
        raise AssertionError


class PostgresDatabase:
    """A PostgreSQL database, through a pool of connections."""

    dialect: Dialect = "postgres"

    def __init__(self, pool: asyncpg.Pool[Any], long_pool: asyncpg.Pool[Any]) -> None:
        self._pool = pool
        self._long_pool = long_pool

    @classmethod
    async def open(cls, url: str, *, connections: int = 10) -> PostgresDatabase:
        """Connect to a database.

        Raises:
            OperatorError: that fails, or the server is too old.
        """
        make = partial(asyncpg.create_pool, url, command_timeout=30, timeout=10)
        try:
            pool = await make(min_size=1, max_size=connections)
            long_pool = await make(min_size=0, max_size=LONG_HOLDS)
        except (*_CONNECTION_ERRORS, asyncpg.PostgresError, ValueError) as error:
            raise OperatorError(f"PostgreSQL cannot be reached: {error}") from error
        async with pool.acquire() as connection:
            version = connection.get_server_version()
        if version.major < _OLDEST:
            await pool.close()
            await long_pool.close()
            raise OperatorError(f"PostgreSQL {version.major} is too old: {_OLDEST} is needed")
        return cls(pool, long_pool)

    async def run(self, statement: Statement) -> Sequence[Row]:
        """Run one statement that is a transaction by itself, and return its rows."""
        async with self._connected() as connection:
            with _translated():
                return await connection.fetch(statement.sql, *statement.parameters)

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction."""
        async with self._connected() as connection:
            return await _Connection(connection).write(make)

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of queries on a snapshot."""
        async with self._connected() as connection:
            with _translated():
                async with connection.transaction(isolation="repeatable_read", readonly=True):
                    return await _drive(connection, make())

    @asynccontextmanager
    async def hold(self, name: str, *, is_long: bool = False) -> AsyncIterator[Writer | None]:
        """Reserve a name by an advisory lock, which ends with its connection at the latest."""
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        key = int.from_bytes(digest, "big", signed=True)
        async with self._connected(self._long_pool if is_long else None) as connection:
            with _translated():
                is_ours = await connection.fetchval("SELECT pg_try_advisory_lock($1)", key)
            try:
                yield _Connection(connection) if is_ours else None
            finally:
                if is_ours:
                    with suppress(*_CONNECTION_ERRORS):
                        await connection.execute("SELECT pg_advisory_unlock($1)", key)

    async def close(self) -> None:
        """Wait for what runs, for a while, then close all connections."""
        for pool in (self._pool, self._long_pool):
            try:
                async with asyncio.timeout(5):
                    await pool.close()
            except TimeoutError:
                pool.terminate()

    @asynccontextmanager
    async def _connected(
        self, pool: asyncpg.Pool[Any] | None = None
    ) -> AsyncIterator[PoolConnectionProxy[Any]]:
        pool = pool or self._pool
        try:
            connection = await pool.acquire()
        except (*_CONNECTION_ERRORS, asyncpg.PostgresError) as error:
            # Whatever the server has against a connection, no request is at fault.
            raise UnavailableError(f"PostgreSQL cannot be reached: {error}") from error
        try:
            yield connection
        finally:
            with suppress(*_CONNECTION_ERRORS):
                await pool.release(connection)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _CONNECTION_ERRORS as error:
        raise UnavailableError(f"PostgreSQL cannot do this now: {error}") from error


async def _drive(connection: PoolConnectionProxy[Any], unit: Unit[T]) -> T:
    try:
        statement = next(unit)
        while True:
            found = await connection.fetch(statement.sql, *map(_storable, statement.parameters))
            statement = unit.send(found)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        unit.close()


def _storable(value: Value) -> Value:
    # PostgreSQL has no text with NUL. No text that we store has one, so a search finds nothing.
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
