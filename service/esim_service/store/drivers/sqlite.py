"""SQLite driver: one writer thread that commits many requests at once, and a few readers."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..changes.change import AccountChange, run_single
from ..changes.database import (
    DatabaseWriter,
    Dialect,
    HeldError,
    OperatorError,
    UnavailableError,
    UnitOutcome,
)
from ..statements.unit import Statement, Unit, row
from .restore import finish, require_finished
from .sqlite_file import (
    REMEDY,
    backup,
    connect,
    has_log,
    inode,
    is_damage,
    lock,
    make_private,
    open_writer,
    require_own_log,
    require_sound,
)

T = TypeVar("T")

BATCH = 64
# How long a transaction waits for another process; commands may wait longer than requests.
BUSY_SECONDS = 2
PATIENT_SECONDS = 20
_OLDEST = (3, 35)
_PARAMETER = re.compile(r"\$(\d+)")
# A single writer needs no row locks, and text is ordered by its bytes anyway.
_NEEDLESS = re.compile(r"\bFOR UPDATE(?: SKIP LOCKED)?\b|\bCOLLATE \"C\"")
_PASSING = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
    sqlite3.SQLITE_BUSY: "the database is busy",
    sqlite3.SQLITE_READONLY: "the database cannot be written",
    sqlite3.SQLITE_CANTOPEN: "the database file cannot be opened",
    sqlite3.SQLITE_NOMEM: "out of memory",
}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Request(Generic[T]):
    """A unit that waits for the writer, and then its outcome."""

    make: Callable[[], Unit[T]]
    future: asyncio.Future[T]
    result: T | None = None
    error: BaseException | None = None
    loop: asyncio.AbstractEventLoop = field(init=False)

    def __post_init__(self) -> None:
        self.loop = self.future.get_loop()

    def resolve(self) -> None:
        """Deliver the outcome, unless the caller no longer waits."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type]


class SqliteDatabase:
    """A database in one file, which one process serves.

    Commands may work next to that process: SQLite's own locks keep their transactions apart.
    """

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path, *, readers: int = 3, exclusive: bool = True) -> None:
        """Open the file, or create it.

        Args:
            exclusive: whether to refuse a file that another process has opened alone.

        Raises:
            OperatorError: it cannot be used; the message gives the reason.
        """
        if sqlite3.sqlite_version_info < _OLDEST:
            raise OperatorError(
                f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is required"
            )
        # A symbolic link names the same file, and so the same lock.
        self.path = path.resolve()
        self._lock = lock(self.path) if exclusive else None
        try:
            if not exclusive:
                require_finished(self.path)
            elif finish(self.path):
                _log.warning("a restore of %s that was interrupted is finished", self.path)
            make_private(self.path, is_ours=exclusive)
            require_own_log(self.path)
            # The last process on it was killed. SQLite would write the log into the file even if
            # it is refused afterwards.
            if exclusive and has_log(self.path):
                require_sound(self.path)
            self._connection = open_writer(
                self.path, BUSY_SECONDS if exclusive else PATIENT_SECONDS
            )
            self._inode = inode(self.path)
        except (sqlite3.Error, OSError) as error:
            self._unlock()
            raise OperatorError(f"{path} cannot be used as a database: {error}") from error
        except OperatorError:
            self._unlock()
            raise
        self._damage: str | None = None
        self._held: set[str] = set()
        self._local = threading.local()
        self._open_readers: list[sqlite3.Connection] = []
        self._readers = ThreadPoolExecutor(readers, "sqlite-reader")
        self._requests: queue.SimpleQueue[_Request[Any] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._writer.start()
        self._is_open = True

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in the next commit; return after it."""
        self._require_open()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._requests.put(_Request(make, future))
        return await future

    async def write_all(self, makes: Sequence[Callable[[], Unit[T]]]) -> Sequence[UnitOutcome[T]]:
        """Run units in the next commit, one after the other."""
        return await self.write(partial(_in_turn, makes))

    async def change(self, change: AccountChange[T]) -> T:
        """Make a change in the next commit."""
        if change.gives_way and change.subject in self._held:
            raise HeldError
        return await self.write(partial(run_single, change))

    async def run(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of one statement in the next commit."""
        return await self.write(make)

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of queries on a snapshot."""
        self._require_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, partial(self._read, make))

    @asynccontextmanager
    async def hold(
        self, name: str, *, is_long: bool = False
    ) -> AsyncIterator[DatabaseWriter | None]:
        """Reserve a name in this process, which is the only one."""
        if name in self._held:
            yield None
            return
        self._held.add(name)
        try:
            yield self
        finally:
            self._held.discard(name)

    async def check(self, now: int) -> None:
        """Check that the writer works, on the file that was opened."""
        require_own_log(self.path)
        await self.run(partial(row, "SELECT 1"))

    async def backup(self, target: Path) -> None:
        """Copy the current database to a file that appears once it is complete.

        Raises:
            OperatorError: the file cannot be written.
        """
        await asyncio.get_running_loop().run_in_executor(None, partial(backup, self.path, target))

    async def close(self) -> None:
        """Commit pending requests, then close the file."""
        if not self._is_open:
            return
        self._is_open = False
        self._requests.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._shut)

    def _require_open(self) -> None:
        if not self._is_open:
            raise UnavailableError("the database is closed")
        if self._damage is not None:
            raise UnavailableError(self._damage)

    def _shut(self) -> None:
        self._writer.join()
        self._readers.shutdown()
        for connection in self._open_readers:
            connection.close()
        with suppress(sqlite3.Error), closing(connect(f"{self.path.as_uri()}?mode=ro")) as last:
            last.execute("SELECT name FROM sqlite_master").fetchone()
            # Everything goes into the file, which is then complete without the files next to it.
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # SQLite keeps the files next to it if the last connection to close is read-only. To
            # create them again, the next start would need space, which a full disk does not have.
            self._connection.close()
        self._connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)

    def _require_file(self) -> None:
        # A deleted file would accept writes and keep nothing.
        with suppress(OSError):
            if inode(self.path) == self._inode:
                return
        raise UnavailableError(f"{self.path} was removed or replaced while it was in use")

    def _read(self, make: Callable[[], Unit[T]]) -> T:
        self._require_file()
        try:
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                return _drive(connection, make(), [])
            finally:
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise self._translated(error) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(f"{self.path.as_uri()}?mode=ro")
            self._local.connection = connection
            self._open_readers.append(connection)
        return connection

    def _serve(self) -> None:
        while (first := self._requests.get()) is not None:
            batch = [first]
            is_last = False
            with suppress(queue.Empty):
                while len(batch) < BATCH and not is_last:
                    request = self._requests.get_nowait()
                    if request is None:
                        is_last = True
                    else:
                        batch.append(request)
            self._commit(batch)
            for loop in {request.loop for request in batch}:
                mine = [request for request in batch if request.loop is loop]
                # A closed loop has no callers left.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_resolve, mine)
            if is_last:
                return

    def _commit(self, batch: Sequence[_Request[Any]]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            if not _made_together(connection, batch):
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                _make_each(connection, batch)
            self._require_file()
            connection.execute("COMMIT")
        except (sqlite3.Error, UnavailableError) as error:
            # SQLite may have rolled back the whole transaction by itself, so all requests fail.
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            for request in batch:
                request.error = self._translated(error)

    def _translated(self, error: sqlite3.Error | UnavailableError) -> Exception:
        if isinstance(error, UnavailableError) or not _is_passing(error):
            return error
        if not is_damage(error):
            return UnavailableError(_PASSING[error.sqlite_errorcode & 0xFF])
        # What can still be read may be wrong, and more writes may destroy more.
        damage = f"{self.path} is corrupt ({error}): {REMEDY}"
        if self._damage is None:
            _log.error(damage)
        self._damage = damage
        return UnavailableError(damage)


def _made_together(connection: sqlite3.Connection, batch: Sequence[_Request[Any]]) -> bool:
    """Run requests; return False if one that raised has written, which must be undone.

    That is rare, and a savepoint for each request would be a quarter of all statements.
    """
    for request in batch:
        done: list[Statement] = []
        try:
            request.result = _drive(connection, request.make(), done)
        except BaseException as error:
            if _is_passing(error):
                raise
            if not all(statement.sql.startswith("SELECT ") for statement in done):
                return False
            request.error = error
    return True


def _make_each(connection: sqlite3.Connection, batch: Sequence[_Request[Any]]) -> None:
    """Run requests so that one that raises has written nothing."""
    for request in batch:
        request.result = request.error = None
        connection.execute("SAVEPOINT request")
        try:
            request.result = _drive(connection, request.make(), [])
        except BaseException as error:
            if _is_passing(error):
                raise
            request.error = error
            connection.execute("ROLLBACK TO request")
        connection.execute("RELEASE request")


def _in_turn(makes: Sequence[Callable[[], Unit[T]]]) -> Unit[Sequence[UnitOutcome[T]]]:
    outcomes = []
    for make in makes:
        outcomes.append(UnitOutcome((yield from make())))
    return outcomes


def _resolve(batch: Sequence[_Request[Any]]) -> None:
    for request in batch:
        request.resolve()


def _drive(connection: sqlite3.Connection, unit: Unit[T], done: list[Statement]) -> T:
    """Run a unit and return its result; `done` gets its statements even if it raises."""
    try:
        statement = next(unit)
        while True:
            done.append(statement)
            cursor = connection.execute(_dialect(statement.sql), statement.parameters)
            statement = unit.send(cursor.fetchall())
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        unit.close()


@cache
def _dialect(sql: str) -> str:
    return _PARAMETER.sub(r"?\1", _NEEDLESS.sub("", sql))


def _is_passing(error: BaseException) -> bool:
    """Return whether an error is one of the database, and not of the request."""
    code = getattr(error, "sqlite_errorcode", None)
    is_known = code is not None and code & 0xFF in _PASSING
    return isinstance(error, sqlite3.Error) and (is_known or is_damage(error))
