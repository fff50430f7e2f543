"""The commands for partners and their balances."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TypeVar, get_args

import click

from ..domain import partners
from ..store.changes.database import OperatorError
from ..store.statements.unit import Unit
from ..store.tables import partners as store
from ..values.clock import SECOND
from ..values.entities import Account, Mode, Partner, Scope
from ..values.money import LIMIT, from_decimal, to_text
from .options import database_option, explains_mistakes, json_option, read_from, stamp, write_to

T = TypeVar("T")


class Amount(click.ParamType[int]):
    """An amount of US dollars with at most four decimals."""

    name = "amount"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the amount in units of `money`."""
        try:
            return from_decimal(Decimal(str(value)))
        except (InvalidOperation, ValueError):
            self.fail(f"{value} is not an amount like 250.00", param, ctx)


@click.group("partners")
def partners_group() -> None:
    """The customers of the service."""


@partners_group.command("list")
@database_option
@explains_mistakes
def partners_list(database: str | None) -> None:
    """List partners: name, status, balance in live and in test mode, separated by tabs.

    \b
    Examples:
      esim-service partners list --database esim.sqlite3
    """

    def read() -> Unit[list[str]]:
        lines = []
        for partner in (yield from store.all_partners()):
            line = [partner.name, partner.status]
            for mode in get_args(Mode):
                account = yield from store.account(Scope(partner.partner_id, mode))
                line.append(f"{mode} {to_text(account.balance)}")
            lines.append("\t".join(line))
        return lines

    for line in read_from(database, read):
        click.echo(line)


@partners_group.command("suspend")
@click.argument("name")
@database_option
@explains_mistakes
def partners_suspend(name: str, database: str | None) -> None:
    """Suspend the partner NAME: within a few seconds, all its requests get a 403.

    Events of its orders and eSIMs continue.

    \b
    Examples:
      esim-service partners suspend acme
    """
    _change(database, name, lambda partner: store.set_status(partner.partner_id, "suspended"))
    click.echo(f"{name} is suspended")


@partners_group.command("activate")
@click.argument("name")
@database_option
@explains_mistakes
def partners_activate(name: str, database: str | None) -> None:
    """Reactivate the suspended partner NAME.

    \b
    Examples:
      esim-service partners activate acme
    """
    _change(database, name, lambda partner: store.set_status(partner.partner_id, "active"))
    click.echo(f"{name} is active")


@partners_group.command("credit")
@click.argument("name")
@click.argument("amount", type=Amount())
@click.option("--mode", type=click.Choice(["live", "test"]), default="live", show_default=True)
@database_option
@explains_mistakes
def partners_credit(name: str, amount: int, mode: Mode, database: str | None) -> None:
    """Add AMOUNT US dollars to the balance of the partner NAME, as a ledger entry.

    A negative amount corrects an earlier one; write it after `--`.

    \b
    Examples:
      esim-service partners credit acme 250.00
      esim-service partners credit --mode test acme -- -999.00
    """

    def pay(partner: Partner) -> Unit[Account]:
        account = yield from partners.credit(Scope(partner.partner_id, mode), amount, stamp())
        if abs(account.balance) >= LIMIT:
            raise OperatorError(f"{to_text(account.balance)} USD is more than an account can hold")
        return account

    account = _change(database, name, pay)
    click.echo(f"{name} has {to_text(account.balance)} USD in {mode} mode")


@partners_group.command("usage")
@click.option(
    "--month",
    type=click.DateTime(["%Y-%m"]),
    help="In UTC, such as 2026-11.  [default: the current month]",
)
@database_option
@json_option
@explains_mistakes
def partners_usage(month: datetime | None, database: str | None, as_json: bool) -> None:
    """Show the purchases of partners in a month.

    Columns: partner, mode, orders, top-ups, refunds, and the amount charged in US dollars.

    \b
    Examples:
      esim-service partners usage --month 2026-10
      esim-service partners usage --json | jq -r 'select(.mode == "live") | .charged_usd'
    """
    begin = (month or datetime.now(UTC)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC
    )
    end = (begin + timedelta(days=31)).replace(day=1)
    read = partial(store.usage, *(round(time.timestamp() * SECOND) for time in (begin, end)))
    for usage in read_from(database, read):
        shown = {
            "partner": usage.partner,
            "mode": usage.mode,
            "orders": usage.orders,
            "topups": usage.topups,
            "refunds": usage.refunds,
            "charged_usd": to_text(usage.charged),
        }
        click.echo(json.dumps(shown) if as_json else "\t".join(map(str, shown.values())))


def _change(database: str | None, name: str, make: Callable[[Partner], Unit[T]]) -> T:
    def change() -> Unit[T]:
        partner = yield from store.partner_named(name)
        if partner is None:
            raise OperatorError(f"there is no partner {name}: see `esim-service partners list`")
        return (yield from make(partner))

    return write_to(database, change)
