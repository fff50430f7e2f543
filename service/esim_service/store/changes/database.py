"""The port that database drivers implement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from ..statements.unit import Unit
from .change import AccountChange

T = TypeVar("T")

# The maximum of concurrent long contexts of `Database.hold`; each may occupy a connection. One is
# for the removal of what resets leave, the others are for requests that wait for a carrier.
LONG_HOLDS = 41

Dialect: TypeAlias = Literal["sqlite", "postgres"]


class OperatorError(Exception):
    """The database cannot be used as configured; the message explains the remedy."""


class UnavailableError(Exception):
    """The database cannot do this now: the disk is full, or the connection is lost.

    Nothing was written, unless the connection was lost during a commit: then it is unknown.
    """


class ConflictError(UnavailableError):
    """A transaction conflicted with others at each attempt."""


class LockedError(UnavailableError):
    """Another transaction holds a lock that this one needs."""


class HeldError(Exception):
    """The subject of a change that gives way is held."""


@dataclass(slots=True)
class UnitOutcome(Generic[T]):
    """The result of one of several units that run together, or the error that it raised."""

    result: T | None = None
    error: Exception | None = None


class DatabaseWriter(Protocol):
    """Runs units that write."""

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction; return once it is safely on disk.

        An exception of the unit rolls back the work of the unit and is raised here. `make` may be
        called again if the database requires a transaction to be repeated.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...


class Database(DatabaseWriter, Protocol):
    """A database, open for many tasks at a time."""

    @property
    def dialect(self) -> Dialect:
        """The kind of the database; only migrations differ."""
        ...

    async def write_all(self, makes: Sequence[Callable[[], Unit[T]]]) -> Sequence[UnitOutcome[T]]:
        """Run units that touch different rows in one transaction.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...

    async def change(self, change: AccountChange[T]) -> T:
        """Make a change, in one transaction with others or alone; return once it is on disk.

        An exception of the change rolls back its work, and nothing else.

        Raises:
            HeldError: the change gives way to a holder of its subject.
            UnavailableError: the database cannot do this now.
        """
        ...

    async def run(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of one statement, which is its own transaction.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of queries that all see the same state of the database.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...

    def hold(
        self, name: str, *, is_long: bool = False
    ) -> AbstractAsyncContextManager[DatabaseWriter | None]:
        """Reserve a name across all processes on this database for the duration of the context.

        Set `is_long` if the context waits for anything other than the database; it then occupies
        nothing that others need.

        Yields a writer, or None if the name is already held. Write to the writer and not to the
        database itself, which may wait for resources that this context occupies.
        """
        ...

    async def check(self, now: int) -> None:
        """Check that the database can be written in the way of requests.

        Args:
            now: the wall time, which a database with its own clock must agree with.

        Raises:
            OperatorError: the file was replaced by a copy.
            UnavailableError: it cannot, waiting changes make no progress, or a clock is wrong.
        """
        ...

    async def close(self) -> None:
        """Finish pending work and close the database."""
        ...
