"""Code shared by the commands: the database option, times, durations, and error messages."""

from __future__ import annotations

import asyncio
import functools
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from .. import settings
from ..catalogue import CatalogueError
from ..domain.stamp import Stamp
from ..settings import SettingsError
from ..store.changes.database import Database, OperatorError, UnavailableError
from ..store.drivers.migrate import require_current
from ..store.drivers.open import is_file, open_database
from ..store.statements.unit import Unit
from ..values.clock import DAY, HOUR, MINUTE, SECOND, moment

P = ParamSpec("P")
T = TypeVar("T")

_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_SPAN = re.compile(rf"([1-9][0-9]{{0,4}})([{''.join(_UNITS)}])")
_MISTAKES = (CatalogueError, OperatorError, SettingsError, UnavailableError)


class DurationType(click.ParamType[int]):
    """A duration in milliseconds."""

    name = "span"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the milliseconds of a text like `90d`."""
        if match := _SPAN.fullmatch(str(value)):
            return int(match[1]) * _UNITS[match[2]]
        self.fail(f"{value} is not a duration like 90d, 12h, 30m or 45s", param, ctx)


database_option = click.option(
    "--database",
    metavar="FILE-or-URL",
    help="An SQLite file or a postgresql:// URL, instead of ESIM_DATABASE.",
)

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line."
)


def explains_mistakes(command: Callable[P, None]) -> Callable[P, None]:
    """Report errors that an operator can fix, and exit with code 2."""

    @functools.wraps(command)
    def explained(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except _MISTAKES as mistake:
            click.echo(f"error: {mistake}", err=True)
            sys.exit(2)

    return explained


def place_of(option: str | None) -> str:
    """Return the database of an option, or else of the settings."""
    return option or settings.load().database


def with_database(
    place: str | None,
    work: Callable[[Database], Awaitable[T]],
    *,
    exclusive: bool = False,
    creates: bool = False,
) -> T:
    """Run work on the database of an option, or else of the settings.

    Args:
        exclusive: whether no service may have the file open.
        creates: whether the file may be a new one.
    """
    place = place_of(place)

    async def run() -> T:
        async with open_database(place, exclusive=exclusive) as database:
            return await work(database)

    if not creates and is_file(place) and not Path(place).is_file():
        raise OperatorError(f"{place} does not exist: create it with `esim-service migrate`")
    return asyncio.run(run())


def read_from(place: str | None, make: Callable[[], Unit[T]]) -> T:
    """Run a unit of queries on the database of an option; its schema must be current."""

    async def work(database: Database) -> T:
        await require_current(database)
        return await database.read(make)

    return with_database(place, work)


def write_to(place: str | None, make: Callable[[], Unit[T]]) -> T:
    """Run a writing unit on the database of an option; its schema must be current."""

    async def work(database: Database) -> T:
        await require_current(database)
        return await database.write(make)

    return with_database(place, work)


def time(milliseconds: int) -> str:
    """Return a time in the format of the commands."""
    return f"{moment(milliseconds):%Y-%m-%dT%H:%M:%SZ}"


def stamp() -> Stamp:
    """Return the stamp of a command's work."""
    # Not at the top: most commands create nothing.
    from ..values.clock import SystemClock
    from ..values.ids import Ids

    clock = SystemClock()
    return Stamp(clock.now(), Ids(clock))
