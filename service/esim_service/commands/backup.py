"""The command that backs up a database while it is in use."""

from __future__ import annotations

from pathlib import Path

import click

from ..store.changes.database import Database, OperatorError
from ..store.drivers.sqlite import SqliteDatabase
from .options import database_option, explains_mistakes, with_database


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@database_option
@explains_mistakes
def backup(file: Path, database: str | None) -> None:
    """Copy an SQLite database to FILE, also while `serve` uses it.

    FILE appears when it is complete, and takes the place of an older one. To restore it, stop
    `serve`, remove what is beside the database (-wal, -shm), copy FILE to where the database was
    and start `serve`. PostgreSQL has tools of its own: pg_dump and pg_restore.

    \b
    Examples:
      esim-service backup /backup/esim.sqlite3
      esim-service backup monday.sqlite3 --database /var/lib/esim/esim.sqlite3
    """

    async def copy(opened: Database) -> None:
        if not isinstance(opened, SqliteDatabase):
            raise OperatorError('PostgreSQL is copied by: pg_dump -Fc -f FILE "$ESIM_DATABASE"')
        await opened.backup(file)

    with_database(database, copy)
    click.echo(f"copied to {file}")
