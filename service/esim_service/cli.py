"""The command `esim-service`."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from . import catalogue, settings
from .catalogue import CatalogueError
from .settings import SettingsError
from .store import catalogue as catalogue_store
from .store.database import Database, OperatorError, UnavailableError
from .store.migrate import migrate as take_steps
from .store.migrate import require_current
from .store.open import open_database

P = ParamSpec("P")
T = TypeVar("T")

_MISTAKES = (CatalogueError, OperatorError, SettingsError, UnavailableError)

database_option = click.option(
    "--database",
    metavar="FILE-or-URL",
    help="An SQLite file or a postgresql:// URL, in place of ESIM_DATABASE.",
)


def explains_mistakes(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what an operator can put right into words and exit code 2."""

    @functools.wraps(command)
    def explained(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except _MISTAKES as mistake:
            click.echo(f"error: {mistake}", err=True)
            sys.exit(2)

    return explained


def with_database(place: str | None, work: Callable[[Database], Awaitable[T]]) -> T:
    """Do something with the database of an option, or else of the settings."""

    async def run() -> T:
        async with open_database(place or settings.load().database) as database:
            return await work(database)

    return asyncio.run(run())


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="esim-service")
def main() -> None:
    """Run and look after the reference service of the partner eSIM API."""


@main.command()
@database_option
@explains_mistakes
def migrate(database: str | None) -> None:
    """Bring the database to the version of its schema that this service needs.

    \b
    Examples:
      esim-service migrate --database esim.sqlite3
      ESIM_DATABASE=postgresql://localhost/esim esim-service migrate
    """
    steps = with_database(database, take_steps)
    click.echo(f"took {len(steps)} steps" if steps else "nothing to do")


@main.group("catalogue")
def catalogue_group() -> None:
    """The plans that are for sale."""


@catalogue_group.command("load")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@database_option
@explains_mistakes
def catalogue_load(file: Path | None, database: str | None) -> None:
    """Put the catalogue FILE in the place of the one that is in the database.

    Without FILE it is the catalogue that comes with the service. A plan that the new catalogue
    does not have is no longer for sale; orders and eSIMs of it stay as they are.

    \b
    Examples:
      esim-service catalogue load
      esim-service catalogue load my-catalogue.json --database esim.sqlite3
    """
    loaded = catalogue.load(file or catalogue.default_path())

    async def store(opened: Database) -> None:
        await require_current(opened)
        await opened.write(functools.partial(catalogue_store.replace, loaded))

    with_database(database, store)
    click.echo(f"loaded {len(loaded.plans)} plans and {len(loaded.topup_plans)} top-up plans")


@catalogue_group.command("list")
@database_option
@explains_mistakes
def catalogue_list(database: str | None) -> None:
    """List the plans that are for sale: id, price in US dollars and name, with tabs between.

    \b
    Examples:
      esim-service catalogue list --database esim.sqlite3
      esim-service catalogue list | grep pln_jp-
    """

    async def read(opened: Database) -> Sequence[bytes]:
        await require_current(opened)
        return await opened.read(catalogue_store.for_sale)

    for body in with_database(database, read):
        plan = json.loads(body)
        click.echo(f"{plan['plan_id']}\t{plan['price_usd']}\t{plan['name']}")
