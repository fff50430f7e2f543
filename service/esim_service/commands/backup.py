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
    """Back up an SQLite database to FILE, even while `serve` uses it.

    FILE appears once it is complete, and replaces an older one. To restore it, stop `serve`, remove
    the files next to the database (-wal, -shm), copy FILE to the path of the database and start
    `serve`. PostgreSQL has its own tools: pg_dump and pg_restore.

    \b
    Examples:
      esim-service backup /backup/esim.sqlite3
      esim-service backup monday.sqlite3 --database /var/lib/esim/esim.sqlite3
    """

    async def copy(opened: Database) -> None:
        if not isinstance(opened, SqliteDatabase):
            raise OperatorError('back up PostgreSQL with: pg_dump -Fc -f FILE "$ESIM_DATABASE"')
        await opened.backup(file)

    with_database(database, copy)
    click.echo(f"copied to {file}")
