"""The commands that back up and restore an SQLite database."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ..store.changes.database import Database, OperatorError
from ..store.drivers import dated_backups
from ..store.drivers.migrate import migrate, require_schema
from ..store.drivers.open import is_file
from ..store.drivers.restore import restore as put_in_place
from ..store.drivers.sqlite import SqliteDatabase
from ..store.tables import partners
from .options import (
    DurationType,
    database_option,
    explains_mistakes,
    place_of,
    stamp,
    with_database,
)


@click.command()
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--keep",
    type=DurationType(),
    help="In a directory: remove the backups of this database that are older, such as 7d.",
)
@database_option
@explains_mistakes
def backup(target: Path, keep: int | None, database: str | None) -> None:
    """Back up an SQLite database to FILE, even while `serve` uses it.

    FILE appears once it is complete and checked, and replaces an older one. If it is a directory,
    the backup gets a name with the time in it. `esim-service restore` puts it back. PostgreSQL has
    its own tools: pg_dump and pg_restore.

    \b
    Examples:
      esim-service backup /backup/esim.sqlite3
      esim-service backup monday.sqlite3 --database /var/lib/esim/esim.sqlite3
      esim-service backup /backup --keep 7d
    """
    now = stamp().now
    if keep is not None and not target.is_dir():
        raise OperatorError(f"{target} is not a directory: --keep needs one for the backups")

    async def copy(opened: Database) -> tuple[Path, int]:
        if not isinstance(opened, SqliteDatabase):
            raise OperatorError('back up PostgreSQL with: pg_dump -Fc -f FILE "$ESIM_DATABASE"')
        file = dated_backups.name(target, opened.path, now) if target.is_dir() else target
        await opened.backup(file)
        # Only now: the last good backup outlives any number of failures.
        old = [] if keep is None else dated_backups.older(target, opened.path, now - keep)
        for path in old:
            path.unlink(missing_ok=True)
        return file, len(old)

    file, removed = with_database(database, copy)
    click.echo(f"copied to {file}")
    if removed:
        click.echo(f"removed {removed} older backups")


@click.command()
@click.argument(
    "file", metavar="BACKUP", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@database_option
@explains_mistakes
def restore(file: Path, database: str | None) -> None:
    """Replace an SQLite database by BACKUP, while no service uses it.

    BACKUP is checked, copied and migrated before anything changes. If the command is interrupted,
    the database is the old one or the restored one, never a mixture. The old one is kept under a
    name with the time in it. Cursors of the event feed expire, because events may have other
    numbers now.

    PostgreSQL has its own tool. After pg_restore, run `esim-service migrate`, `esim-service
    expire-cursors` and `esim-service doctor` before you start the service.

    \b
    Examples:
      esim-service restore monday.sqlite3
      esim-service restore /backup/esim-20261128T031500Z.sqlite3 --database esim.sqlite3
    """
    place = place_of(database)
    if not is_file(place):
        raise OperatorError(
            "restore PostgreSQL with: pg_restore --dbname NEW FILE, then run `esim-service "
            "migrate`, `esim-service expire-cursors` and `esim-service doctor` on NEW"
        )

    async def adopt(copied: Database) -> None:
        try:
            await require_schema(copied)
            await migrate(copied)
        except OperatorError as error:
            raise OperatorError(f"{file} cannot be restored: {error}") from None
        await copied.write(partial(partners.begin_feed_epoch, stamp().now))

    former = put_in_place(file, Path(place), lambda copied: with_database(str(copied), adopt))
    click.echo(f"restored {file}")
    if former is not None:
        click.echo(f"the database before it is {former}: remove it when it is not needed")
