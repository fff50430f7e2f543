"""The commands for the plans that are for sale."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import click

from .. import catalogue as files
from ..store.tables import catalogue as store
from .options import database_option, explains_mistakes, read_from, write_to


@click.group("catalogue")
def catalogue_group() -> None:
    """The plans for sale."""


@catalogue_group.command("load")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@database_option
@explains_mistakes
def catalogue_load(file: Path | None, database: str | None) -> None:
    """Replace the catalogue in the database with FILE.

    Without FILE, the catalogue that comes with the service is loaded. Plans that the new catalogue
    lacks are withdrawn from sale; their orders and eSIMs do not change.

    \b
    Examples:
      esim-service catalogue load
      esim-service catalogue load my-catalogue.json --database esim.sqlite3
    """
    loaded = files.load(file or files.default_path())
    write_to(database, functools.partial(store.replace, loaded))
    click.echo(f"loaded {len(loaded.plans)} plans and {len(loaded.topup_plans)} top-up plans")


@catalogue_group.command("list")
@database_option
@explains_mistakes
def catalogue_list(database: str | None) -> None:
    """List the plans for sale: id, price in US dollars and name, separated by tabs.

    \b
    Examples:
      esim-service catalogue list --database esim.sqlite3
      esim-service catalogue list | grep pln_jp-
    """
    for body in read_from(database, store.for_sale):
        plan = json.loads(body)
        click.echo(f"{plan['plan_id']}\t{plan['price_usd']}\t{plan['name']}")
