"""The command that migrates a database to the current schema."""

from __future__ import annotations

import click

from ..store.drivers.migrate import migrate as take_steps
from .options import database_option, explains_mistakes, with_database


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
    steps = with_database(database, take_steps, alone=True, makes=True)
    click.echo(f"applied {len(steps)} migrations" if steps else "nothing to do")
