"""The command that moves a service from SQLite to PostgreSQL."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ..store.changes.database import Database, OperatorError
from ..store.drivers import transfer
from ..store.drivers.migrate import migrate, require_current
from ..store.drivers.sqlite import SqliteDatabase
from .options import database_option, explains_mistakes, with_database


@click.command("copy")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@explains_mistakes
def copy(file: Path, database: str | None) -> None:
    """Copy the entire SQLite database FILE into an empty database.

    FILE must not be served meanwhile. The copy is one transaction: all or nothing. Keys, orders,
    balances, the event feed and pending deliveries continue where they were.

    \b
    Examples:
      esim-service copy esim.sqlite3 --database postgresql://localhost/esim
    """

    async def fill(target: Database) -> dict[str, int]:
        if isinstance(target, SqliteDatabase) and target.path == file.resolve():
            raise OperatorError(f"{file} is the database itself")
        await migrate(target)
        await require_current(target)
        # Opening the file exclusively keeps a service from writing to it.
        source = SqliteDatabase(file)
        try:
            return await target.write(partial(transfer.fill, file))
        finally:
            await source.close()

    copied = with_database(database, fill, alone=True, makes=True)
    click.echo(f"copied {sum(copied.values())} rows of {len(copied)} tables")
