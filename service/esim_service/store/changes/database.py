"""The port that a database driver fills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol, TypeAlias, TypeVar

from ..statements.unit import Unit
from .change import Change
from .outcome import Outcome

T = TypeVar("T")

# So many contexts of `Database.hold` may be long at a time; each may occupy a connection.
LONG_HOLDS = 40

Dialect: TypeAlias = Literal["sqlite", "postgres"]


class OperatorError(Exception):
    """The database cannot be used as it was configured; the message says what to do about it."""


class UnavailableError(Exception):
    """The database cannot do this now: the disk is full, or the connection is lost.

    Nothing was written, unless the connection was lost during a commit: then nobody knows.
    """


class ConflictError(UnavailableError):
    """A transaction met others each time that it was repeated."""


class LockedError(UnavailableError):
    """Another transaction does not let go of something that this one has to change."""


class HeldError(Exception):
    """Somebody holds the subject of a change that gives way to them."""


class Writer(Protocol):
    """Runs units that change something."""

    async def write(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit in one transaction; return when it is safely on disk.

        An exception that the unit raises undoes what the unit did and comes out here. `make` may
        be called again when the database asks for a transaction to be repeated.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...


class Database(Writer, Protocol):
    """One database, open for many tasks at a time."""

    @property
    def dialect(self) -> Dialect:
        """Whose database it is; only migrations differ."""
        ...

    async def write_all(self, makes: Sequence[Callable[[], Unit[T]]]) -> Sequence[Outcome[T]]:
        """Run units in one transaction, none of which has to do with the rows of another one.

        Raises:
            UnavailableError: the database cannot do this now.
        """
        ...

    async def change(self, change: Change[T]) -> T:
        """Make a change, in one transaction with others or alone; return when it is on disk.

        An exception that the change raises undoes what it did, and nothing else.

        Raises:
            HeldError: the change gives way to somebody who holds its subject.
            UnavailableError: the database cannot do this now.
        """
        ...

    async def run(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of one statement, which is a transaction by itself.

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
    ) -> AbstractAsyncContextManager[Writer | None]:
        """Reserve a name among all processes on this database for the time of the context.

        Say `is_long` when the context waits for something else than the database; it then takes
        nothing that others need.

        The context is None when somebody else has the name. Otherwise it writes; write to it
        and not to the database itself, which may wait for what this context occupies.
        """
        ...

    async def check(self, now: int) -> None:
        """Return if the database can be written as requests do it.

        Args:
            now: the wall time, which a database with a clock of its own must agree with.

        Raises:
            UnavailableError: it cannot, changes wait of which none is made, or a clock is wrong.
        """
        ...

    async def close(self) -> None:
        """Finish what was begun and let the database go."""
        ...
