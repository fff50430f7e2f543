"""PostgreSQL driver through asyncpg, for any number of processes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import asyncpg

from ...values.clock import MINUTE, SECOND
from ...values.entities import Scope
from ..changes.batch_unit import batch_unit, together
from ..changes.batcher import Batcher
from ..changes.change import AccountChange
from ..changes.database import (
    LONG_HOLDS,
    ConflictError,
    DatabaseWriter,
    Dialect,
    LockedError,
    OperatorError,
    UnavailableError,
    UnitOutcome,
)
from ..statements.batched_sql import run_merged
from ..statements.unit import Row, Statement, Unit, Value, execute, row

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

T = TypeVar("T")

_OLDEST = 15
# A transaction takes eight round trips, regardless of the number of changes that share it.
_PATIENCE_SECONDS = 0.005
_ATTEMPTS = 5
_STALLED_SECONDS = 5.0
# Webhook receivers tolerate five minutes.
_MOST_OFF = MINUTE
_STATE = (
    "SELECT pg_is_in_recovery() AS is_standby,"
    " CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now"
)
# The locks of requests that write. They wait for less time than PostgreSQL takes to look for
# deadlocks, so that it ends no transaction of others because of them.
_LOCKS = (
    "SET LOCAL lock_timeout = '500ms'",
    "LOCK TABLE partners, accounts, api_keys, ledger, answers, orders, esims, topups, jobs, events,"
    " webhook_endpoints, deliveries, delivery_attempts IN ROW EXCLUSIVE MODE",
)
_SETTINGS = {
    # All lookups are by key, regardless of the parameters, and of statistics, which may be missing
    # or misleading: every statement has an index that fits, and few rows.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    # Scans without an index look expensive enough for it.
    "jit": "off",
    # A process that stops in the middle of a transaction, or is cut off, must not keep its locks.
    "idle_in_transaction_session_timeout": "3s",
    "lock_timeout": "2s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "15s",
}
_CONNECTION_ERRORS = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # The error of asyncpg for a connection that ends just as it is used.
    asyncpg.InternalClientError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
)
# The errors of a statement after the server has ended its transaction, and rolled it back.
_ENDED = (
    ConnectionError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.InternalClientError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InterfaceError,
)
_REPEATED = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


class _PooledConnection(asyncpg.Connection):
    """A connection that is closed after the first command without a response in time.

    asyncpg would wait as long again for the response to its cancellation.
    """

    async def execute(self, *args: Any, **kwargs: Any) -> str:
        """Run a command."""
        with self._ended_by_silence():
            return await super().execute(*args, **kwargs)

    async def fetch(self, *args: Any, **kwargs: Any) -> Any:
        """Run a query; return its rows."""
        with self._ended_by_silence():
            return await super().fetch(*args, **kwargs)

    async def fetchval(self, *args: Any, **kwargs: Any) -> Any:
        """Run a query; return one value."""
        with self._ended_by_silence():
            return await super().fetchval(*args, **kwargs)

    @contextmanager
    def _ended_by_silence(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            self.terminate()
            raise


class _UndoneError(UnavailableError):
    """The connection was lost before the commit was requested."""


class _Connection:
    """A connection as a writer."""

    def __init__(self, connection: PoolConnectionProxy[Any]) -> None:
        self._connection = connection

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction, repeated after a conflict."""
        for attempt in range(1, _ATTEMPTS + 1):
            was_ended = False
            with _translated():
                try:
                    async with self._connection.transaction():
                        try:
                            return await _drive(self._connection, make())
                        except _ENDED:
                            was_ended = True
                            raise
                except _REPEATED:
                    if attempt == _ATTEMPTS:
                        raise ConflictError("the database is busy") from None
                except _ENDED as error:
                    if was_ended:
                        raise _UndoneError(f"PostgreSQL has ended a transaction: {error}") from None
                    raise
        raise AssertionError


class PostgresDatabase:
    """A PostgreSQL database, through a pool of connections."""

    dialect: Dialect = "postgres"

    def __init__(
        self,
        pool: asyncpg.Pool[Any],
        read_pool: asyncpg.Pool[Any],
        long_pool: asyncpg.Pool[Any],
    ) -> None:
        self._pool = pool
        self._read_pool = read_pool
        self._long_pool = long_pool
        batcher = partial(Batcher[AccountChange[Any]], self._make, attrgetter("scope", "subject"))
        self._changes = batcher(patience_seconds=_PATIENCE_SECONDS)
        # For accounts that another transaction keeps locked: only their changes wait for it.
        self._blocked_changes = batcher()
        self._held: set[Scope] = set()
        self._commands = Batcher(partial(self._ask, pool))
        self._queries = Batcher(partial(self._ask, read_pool), workers=2)

    @classmethod
    async def open(
        cls, url: str, *, connections: int = 6, command_seconds: float | None = None
    ) -> PostgresDatabase:
        """Connect to a database.

        Args:
            command_seconds: when to close an unresponsive connection; None for never.

        Raises:
            OperatorError: the connection fails, or the server is too old.
        """
        make = partial(
            asyncpg.create_pool,
            url,
            command_timeout=command_seconds,
            timeout=10,
            connection_class=_PooledConnection,
            # A connection is returned as it was acquired, so it needs no reset.
            reset=_keep_as_it_is,
        )
        read_only = {**_SETTINGS, "default_transaction_read_only": "on"}
        try:
            pool = await make(min_size=1, max_size=connections, server_settings=_SETTINGS)
            read_pool = await make(min_size=0, max_size=connections, server_settings=read_only)
            long_pool = await make(min_size=0, max_size=LONG_HOLDS, server_settings=_SETTINGS)
        except (*_CONNECTION_ERRORS, asyncpg.PostgresError, ValueError) as error:
            raise OperatorError(f"PostgreSQL cannot be reached: {error}") from error
        async with pool.acquire() as connection:
            version = connection.get_server_version()
        if version.major < _OLDEST:
            for opened in (pool, read_pool, long_pool):
                await opened.close()
            raise OperatorError(f"PostgreSQL {version.major} is too old: {_OLDEST} is required")
        return cls(pool, read_pool, long_pool)

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction."""
        # This process may have been too slow, so try once more instead of failing the request.
        with suppress(_UndoneError):
            return await self._write(make)
        return await self._write(make)

    async def _write(self, make: Callable[[], Unit[T]]) -> T:
        async with self._connected() as connection:
            return await _Connection(connection).write(make)

    async def write_all(self, makes: Sequence[Callable[[], Unit[T]]]) -> Sequence[UnitOutcome[T]]:
        """Run units in one transaction, side by side."""
        return await self.write(lambda: together([make() for make in makes]))

    async def change(self, change: AccountChange[T]) -> T:
        """Make a change in a transaction with other waiting changes."""
        result: T
        if change.scope not in self._held:
            with suppress(LockedError):
                result = await self._changes.run(change)
                return result
        result = await self._blocked_changes.run(change)
        return result

    async def run(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of one statement, which may share a transaction with others."""
        [result] = await _single(self._commands, make())
        return result

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of queries on a snapshot; a single query needs no transaction."""
        for result in await _single(self._queries, make()):
            return result
        # There are more queries, which all must see the same state.
        async with self._connected(self._read_pool) as connection:
            with _translated():
                async with connection.transaction(isolation="repeatable_read", readonly=True):
                    return await _drive(connection, make())

    async def check(self, now: int) -> None:
        """Check that changes get committed, the database is writable, and the clocks agree."""
        if (seconds := self._changes.stalled_seconds) > _STALLED_SECONDS:
            raise UnavailableError(f"waiting changes were not committed for {seconds:.0f} s")
        state = await self.run(partial(row, _STATE))
        if state is None or state["is_standby"]:
            raise UnavailableError("PostgreSQL is a read-only standby")
        if abs(off := now - state["now"]) > _MOST_OFF:
            raise UnavailableError(f"the clock differs from PostgreSQL's by {off / SECOND:.0f} s")
        try:
            # An older schema lacks tables, which another check reports.
            with suppress(asyncpg.UndefinedTableError):
                await self.write(_take_locks)
        except LockedError:
            raise UnavailableError(
                "another session holds a lock of a whole table, as LOCK TABLE and ALTER TABLE do: "
                "see pg_stat_activity"
            ) from None

    async def _make(self, changes: Sequence[AccountChange[Any]]) -> Sequence[UnitOutcome[Any]]:
        try:
            outcomes = await self.write(partial(batch_unit, changes, _key))
        except LockedError:
            outcomes = await self.write(partial(batch_unit, changes, _key, waits=False))
        for change, outcome in zip(changes, outcomes, strict=True):
            is_held = isinstance(outcome.error, LockedError)
            (self._held.add if is_held else self._held.discard)(change.scope)
        return outcomes

    async def _ask(
        self, pool: asyncpg.Pool[Any], statements: Sequence[Statement]
    ) -> Sequence[UnitOutcome[Any]]:
        async with self._connected(pool) as connection:
            with _translated():
                results = await _drive(connection, run_merged(statements))
        return [UnitOutcome(rows) for rows in results]

    @asynccontextmanager
    async def hold(
        self, name: str, *, is_long: bool = False
    ) -> AsyncIterator[DatabaseWriter | None]:
        """Reserve a name with an advisory lock, which ends with its connection at the latest."""
        key = _key(name)
        async with self._connected(self._long_pool if is_long else None) as connection:
            with _translated():
                is_ours = await connection.fetchval("SELECT pg_try_advisory_lock($1)", key)
            try:
                yield _Connection(connection) if is_ours else None
            finally:
                if is_ours:
                    await _unlock(connection, key)

    async def close(self) -> None:
        """Wait for running work, up to a limit, then close all connections."""
        for pool in (self._pool, self._read_pool, self._long_pool):
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
            # Any failure to connect is a problem of the server, never of the request.
            raise UnavailableError(f"PostgreSQL cannot be reached: {error}") from error
        try:
            yield connection
        except (ConflictError, LockedError):
            raise
        except UnavailableError:
            # Idle connections may have been lost like this one.
            await pool.expire_connections()
            raise
        finally:
            with suppress(*_CONNECTION_ERRORS):
                await pool.release(connection)


def _take_locks() -> Unit[None]:
    for sql in _LOCKS:
        yield from execute(sql)


def _key(name: str) -> int:
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except asyncpg.LockNotAvailableError as error:
        raise LockedError("another transaction holds a lock that this one needs") from error
    except asyncpg.InsufficientPrivilegeError as error:
        raise OperatorError(f"the PostgreSQL role lacks privileges: {error}") from error
    except _CONNECTION_ERRORS as error:
        raise UnavailableError(f"PostgreSQL cannot do this now: {error}") from error


async def _drive(connection: PoolConnectionProxy[Any], unit: Unit[T]) -> T:
    try:
        statement = next(unit)
        while True:
            statement = unit.send(await _run(connection, statement))
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        unit.close()


async def _single(statements: Batcher[Statement], unit: Unit[T]) -> Sequence[T]:
    """Run the first statement of a unit; return its result, or nothing if there are more."""
    try:
        unit.send(await statements.run(next(unit)))
    except StopIteration as stop:
        return (stop.value,)
    finally:
        unit.close()
    return ()


async def _run(connection: PoolConnectionProxy[Any], statement: Statement) -> Sequence[Row]:
    return await connection.fetch(statement.sql, *map(_storable, statement.parameters))


def _storable(value: Value) -> Value:
    # PostgreSQL has no text with NUL. No stored text contains one, so a search finds nothing.
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return tuple(map(_storable, value)) if isinstance(value, tuple) else value


async def _keep_as_it_is(_: object) -> None:
    """Leave a connection as it is."""


async def _unlock(connection: PoolConnectionProxy[Any], key: int) -> None:
    try:
        await connection.execute("SELECT pg_advisory_unlock($1)", key)
    except BaseException as error:
        # The lock ends with the connection, which may be closed already.
        with suppress(asyncpg.InterfaceError):
            connection.terminate()
        if not isinstance(error, _CONNECTION_ERRORS):
            raise
