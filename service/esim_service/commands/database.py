"""The commands that look after a database: its schema, transfer, dates, cursors and secrets."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from .. import settings
from ..domain import endpoints
from ..store.changes.database import Database, OperatorError
from ..store.drivers import transfer
from ..store.drivers.migrate import migrate as take_steps
from ..store.drivers.migrate import require_current
from ..store.drivers.sqlite import SqliteDatabase
from ..store.encryption import SecretBox
from ..store.tables import dates, partners
from ..values.clock import DAY
from .options import database_option, explains_mistakes, stamp, with_database, write_to


@click.command()
@database_option
@explains_mistakes
def migrate(database: str | None) -> None:
    """Migrate the database to the schema version that this service needs.

    \b
    Examples:
      esim-service migrate --database esim.sqlite3
      ESIM_DATABASE=postgresql://localhost/esim esim-service migrate
    """
    steps = with_database(database, take_steps, exclusive=True, creates=True)
    click.echo(f"applied {len(steps)} migrations" if steps else "nothing to do")


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
        await take_steps(target)
        await require_current(target)
        # Opening the file exclusively keeps a service from writing to it.
        source = SqliteDatabase(file)
        try:
            return await target.write(partial(transfer.fill, file))
        finally:
            await source.close()

    copied = with_database(database, fill, exclusive=True, creates=True)
    click.echo(f"copied {sum(copied.values())} rows of {len(copied)} tables")


@click.command("correct-dates")
@database_option
@explains_mistakes
def correct_dates(database: str | None) -> None:
    """Reset dates more than a day ahead, written by a wrong clock, to the present.

    Set the clock first. Without this command, an account continues from its latest date, its
    events are kept until then, and work due then waits. Ids and event bodies do not change.

    \b
    Examples:
      esim-service correct-dates --database esim.sqlite3
    """
    now = stamp().now
    corrected = write_to(database, partial(dates.correct, now, now + DAY))
    for table, count in corrected.items():
        click.echo(f"{table}\t{count}")
    if not corrected:
        click.echo("nothing to do")


@click.command("expire-cursors")
@database_option
@explains_mistakes
def expire_cursors(database: str | None) -> None:
    """Let all cursors of the event feed expire, after a restore of PostgreSQL.

    In a restored database, the events after a cursor may have other numbers than those that its
    reader knows. Readers get 400 `cursor_expired` and start without a cursor. `esim-service
    restore` includes this.

    \b
    Examples:
      esim-service expire-cursors --database postgresql://localhost/esim_restored
    """
    write_to(database, partial(partners.begin_feed_epoch, stamp().now))
    click.echo("all cursors of the event feed have expired")


@click.group("secrets")
def secrets_group() -> None:
    """The signing secrets of webhooks in the database."""


@secrets_group.command("rotate")
@database_option
@explains_mistakes
def secrets_rotate(database: str | None) -> None:
    """Encrypt all signing secrets with the first key of ESIM_SECRETS_KEY.

    Encrypted secrets are decrypted with any of the keys; plain ones are encrypted, too. Put a new
    key before the old one, start all processes with both, rotate, then remove the old one. Partners
    notice nothing: the secrets stay the same.

    \b
    Examples:
      ESIM_SECRETS_KEY=$NEW,$OLD esim-service secrets rotate
      esim-service secrets rotate --database postgresql://localhost/esim
    """
    keys = settings.load().encryption_keys
    if not keys:
        raise OperatorError("ESIM_SECRETS_KEY is not set: there is no key to encrypt with")
    box = SecretBox(keys)
    count = write_to(database, partial(endpoints.renew_secrets, box.decrypt, box.encrypt))
    click.echo(f"encrypted {count} signing secrets")
