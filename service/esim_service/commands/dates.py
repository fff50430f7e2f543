"""The command that corrects dates set by a wrong clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import click

from ..store.changes.database import Database
from ..store.drivers.migrate import require_current
from ..store.tables import dates as store
from ..values.clock import DAY
from .options import database_option, explains_mistakes, stamp, with_database


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

    async def work(opened: Database) -> Mapping[str, int]:
        await require_current(opened)
        now = stamp().now
        return await opened.write(partial(store.correct, now, now + DAY))

    corrected = with_database(database, work)
    for table, count in corrected.items():
        click.echo(f"{table}\t{count}")
    if not corrected:
        click.echo("nothing to do")
