"""The choice of the driver for a configured database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ..changes.database import Database, OperatorError
from .sqlite import SqliteDatabase

_POSTGRES = ("postgresql://", "postgres://")


def is_file(place: str) -> bool:
    """Return whether this is an SQLite file and not a URL."""
    return "://" not in place


@asynccontextmanager
async def open_database(
    place: str, *, exclusive: bool = True, command_seconds: float | None = None
) -> AsyncIterator[Database]:
    """Open a database for the duration of the context: an SQLite file, or a PostgreSQL URL.

    Args:
        exclusive: whether no other process may have opened an SQLite file in this way. Commands
            that work next to a running service pass False.
        command_seconds: the time after which an unresponsive connection to PostgreSQL is closed;
            commands may need longer for one statement.

    Raises:
        OperatorError: it cannot be used.
    """
    database = await _open(place, exclusive, command_seconds)
    try:
        yield database
    finally:
        await database.close()


async def _open(place: str, exclusive: bool, command_seconds: float | None) -> Database:
    if place.startswith(_POSTGRES):
        try:
            # An extra installs the driver; SQLite needs none.
            from .postgres import PostgresDatabase
        except ImportError:
            raise OperatorError("PostgreSQL needs: pip install 'esim-service[postgres]'") from None
        return await PostgresDatabase.open(place, command_seconds=command_seconds)
    if not is_file(place):
        scheme = place.partition("://")[0]
        raise OperatorError(f"{scheme}:// is not supported: use a file or a postgresql:// URL")
    return SqliteDatabase(Path(place), exclusive=exclusive)
