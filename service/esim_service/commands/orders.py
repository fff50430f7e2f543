"""The commands for orders that the carrier does not finish."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import get_args

import click

from ..domain import orders, topups
from ..domain.stamp import AccountRule, account_change
from ..store.changes.database import Database, OperatorError
from ..store.drivers.migrate import require_current
from ..store.tables import jobs
from ..store.tables import purchases as store
from ..store.tables.purchases import OrderFilter, Purchase, Status
from ..values.entities import Failure, Job
from ..values.money import to_text
from .options import (
    database_option,
    explains_mistakes,
    json_option,
    read_from,
    stamp,
    time,
    with_database,
)

_NOTHING = "-"
_REASON = "The carrier cannot deliver this order."


@click.group("orders")
def orders_group() -> None:
    """The orders of all partners."""


@orders_group.command("list")
@database_option
@click.option("--partner", help="Only those of the partner with this name.")
@click.option("--status", type=click.Choice(get_args(Status)), help="Only those with this status.")
@click.option("--stuck", is_flag=True, help="Only those with failed requests to the carrier.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
@explains_mistakes
def orders_list(
    database: str | None,
    partner: str | None,
    status: Status | None,
    stuck: bool,
    limit: int,
    as_json: bool,
) -> None:
    """List orders, newest first.

    Columns, separated by tabs: id, status, partner, mode, total in US dollars, creation time,
    failed requests to the carrier, time of the next request.

    \b
    Examples:
      esim-service orders list --stuck
      esim-service orders list --partner acme --status failed
      esim-service orders list --stuck --json | jq -r .order_id
    """
    wanted = OrderFilter(partner=partner, status=status, min_attempts=1 if stuck else None)
    for purchase in read_from(database, partial(store.newest, wanted, limit)):
        click.echo(json.dumps(_object(purchase)) if as_json else _line(purchase))


@orders_group.command("show")
@click.argument("order_id")
@database_option
@json_option
@explains_mistakes
def orders_show(order_id: str, database: str | None, as_json: bool) -> None:
    """Show the order ORDER_ID.

    \b
    Examples:
      esim-service orders show ord_01kjpx8se087x754hdpg3c77y5
    """
    purchases = read_from(database, partial(store.newest, OrderFilter(order_id=order_id), 1))
    if not purchases:
        raise OperatorError(f"there is no order {order_id}: see `esim-service orders list`")
    shown = _object(purchases[0])
    if as_json:
        click.echo(json.dumps(shown))
        return
    width = max(map(len, shown))
    for name, value in shown.items():
        click.echo(f"{name:{width}}  {_NOTHING if value is None else value}")


@orders_group.command("retry")
@click.argument("order_id")
@database_option
@explains_mistakes
def orders_retry(order_id: str, database: str | None) -> None:
    """Retry the request to the carrier for the order or top-up ORDER_ID at once.

    \b
    Examples:
      esim-service orders retry ord_01kjpx8se087x754hdpg3c77y5
    """

    async def make_due(opened: Database, job: Job) -> None:
        await opened.write(partial(jobs.make_due, job.job_id, stamp().now))

    _with_job(database, order_id, make_due)
    click.echo(f"{order_id} is due")


@orders_group.command("fail")
@click.argument("order_id")
@click.option("--reason", default=_REASON, show_default=True, help="The message to the partner.")
@database_option
@explains_mistakes
def orders_fail(order_id: str, reason: str, database: str | None) -> None:
    """Mark the order or top-up ORDER_ID as failed, and refund the partner.

    First make sure that the carrier will not deliver: it is not asked again.

    \b
    Examples:
      esim-service orders fail ord_01kjpx8se087x754hdpg3c77y5
    """
    failure = Failure("carrier_rejected", reason)

    async def fail(opened: Database, job: Job) -> None:
        rule: AccountRule[None] = (
            partial(orders.fail, order_id, failure)
            if job.kind == "provision"
            else partial(topups.fail, order_id)
        )
        await opened.change(account_change(job.scope, order_id, rule, stamp()))

    _with_job(database, order_id, fail)
    click.echo(f"{order_id} is marked as failed and refunded")


def _with_job(
    database: str | None, subject_id: str, action: Callable[[Database, Job], Awaitable[None]]
) -> None:
    async def work(opened: Database) -> None:
        await require_current(opened)
        job = await opened.read(partial(store.job_about, subject_id))
        if job is None:
            raise OperatorError(f"no order or top-up {subject_id} waits for the carrier")
        await action(opened, job)

    with_database(database, work)


def _line(purchase: Purchase) -> str:
    shown = _object(purchase)
    columns = "order_id status partner mode total_usd created_at attempts next_at".split()
    return "\t".join(
        _NOTHING if shown[column] is None else str(shown[column]) for column in columns
    )


def _object(purchase: Purchase) -> Mapping[str, object]:
    order = purchase.order
    return {
        "order_id": order.order_id,
        "status": order.status,
        "partner": purchase.partner,
        "mode": order.scope.mode,
        "reference": order.reference,
        "plan_id": order.plan_id,
        "quantity": order.quantity,
        "total_usd": to_text(order.total),
        "created_at": time(order.created_at),
        "attempts": purchase.attempts,
        "next_at": None if purchase.due_at is None else time(purchase.due_at),
        "failure": order.failure.message if order.failure else None,
    }
