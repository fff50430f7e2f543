"""The commands for webhook deliveries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

import click

from ..domain import redelivery
from ..store.changes.database import OperatorError
from ..store.statements.unit import Unit
from ..store.tables import attempts as store
from ..store.tables.attempts import DeliveryFilter, DeliveryRecord, State, StoredAttempt
from .options import (
    database_option,
    explains_mistakes,
    json_option,
    read_from,
    stamp,
    time,
    write_to,
)

_NOTHING = "-"


@click.group("deliveries")
def deliveries_group() -> None:
    """The webhook deliveries of the last 30 days."""


@deliveries_group.command("list")
@database_option
@click.option("--partner", help="Only those of the partner with this name.")
@click.option("--endpoint", help="Only those to the endpoint with this id.")
@click.option("--event", help="Only those of the event with this id.")
@click.option("--state", type=click.Choice(get_args(State)), help="Only those in this state.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
@explains_mistakes
def deliveries_list(
    database: str | None,
    partner: str | None,
    endpoint: str | None,
    event: str | None,
    state: State | None,
    limit: int,
    as_json: bool,
) -> None:
    """List deliveries, newest first.

    Columns, separated by tabs: id, state, partner, mode, event type, endpoint, attempts, outcome of
    the last attempt with its status and milliseconds, time of the next attempt. A delivery is
    dropped if its endpoint is removed or disabled while it waits.

    \b
    Examples:
      esim-service deliveries list --state waiting
      esim-service deliveries list --partner acme --state exhausted --limit 1000
      esim-service deliveries list --json | jq .next_at
    """
    wanted = DeliveryFilter(partner=partner, endpoint_id=endpoint, event_id=event, state=state)
    for delivery in read_from(database, partial(store.newest, wanted, limit)):
        click.echo(json.dumps(_object(delivery)) if as_json else _line(delivery))


@deliveries_group.command("show")
@click.argument("delivery_id")
@database_option
@json_option
@explains_mistakes
def deliveries_show(delivery_id: str, database: str | None, as_json: bool) -> None:
    """Show the delivery DELIVERY_ID with all attempts.

    \b
    Examples:
      esim-service deliveries show dlv_01kjpx8se087x754hdpg3c77y5
    """

    def read() -> Unit[tuple[DeliveryRecord, Sequence[StoredAttempt]] | None]:
        deliveries = yield from store.newest(DeliveryFilter(delivery_id=delivery_id), 1)
        return (deliveries[0], (yield from store.of(delivery_id))) if deliveries else None

    history = read_from(database, read)
    if history is None:
        raise OperatorError(
            f"there is no delivery {delivery_id}: see `esim-service deliveries list`"
        )
    delivery, attempts = history
    if as_json:
        shown = {**_object(delivery), "history": [_attempt(attempt) for attempt in attempts]}
        click.echo(json.dumps(shown))
        return
    click.echo(f"{delivery_id}: {delivery.state}")
    click.echo(f"event     {delivery.event_id} {delivery.event_type or 'removed'}")
    click.echo(
        f"endpoint  {delivery.endpoint_id} of {delivery.partner}, {delivery.scope.mode} mode"
    )
    for attempt in attempts:
        click.echo(f"attempt {attempt.number} {time(attempt.made_at)} {_outcome(attempt)}")
    if delivery.due_at is not None:
        click.echo(f"next      {time(delivery.due_at)}")


@deliveries_group.command("replay")
@click.argument("delivery_id")
@database_option
@explains_mistakes
def deliveries_replay(delivery_id: str, database: str | None) -> None:
    """Resend the event of the delivery DELIVERY_ID to its endpoint.

    This creates a new delivery with six attempts of its own. Receivers recognize the event by its
    id. A waiting delivery is retried automatically, and cannot be replayed.

    \b
    Examples:
      esim-service deliveries replay dlv_01kjpx8se087x754hdpg3c77y5
    """
    try:
        new_id = write_to(database, lambda: redelivery.replay(delivery_id, stamp()))
    except redelivery.RedeliveryError as error:
        raise OperatorError(str(error)) from None
    click.echo(new_id)


def _line(delivery: DeliveryRecord) -> str:
    return "\t".join(
        (
            delivery.delivery_id,
            delivery.state,
            delivery.partner,
            delivery.scope.mode,
            delivery.event_type or _NOTHING,
            delivery.endpoint_id,
            str(delivery.attempts),
            _outcome(delivery.last) if delivery.last else _NOTHING,
            _NOTHING if delivery.due_at is None else time(delivery.due_at),
        )
    )


def _outcome(attempt: StoredAttempt) -> str:
    status = "" if attempt.status is None else f" {attempt.status}"
    return f"{attempt.outcome}{status} {attempt.milliseconds} ms"


def _object(delivery: DeliveryRecord) -> Mapping[str, object]:
    return {
        "delivery_id": delivery.delivery_id,
        "state": delivery.state,
        "partner": delivery.partner,
        "mode": delivery.scope.mode,
        "event_id": delivery.event_id,
        "event_type": delivery.event_type,
        "endpoint_id": delivery.endpoint_id,
        "attempts": delivery.attempts,
        "last_attempt": None if delivery.last is None else _attempt(delivery.last),
        "next_at": None if delivery.due_at is None else time(delivery.due_at),
    }


def _attempt(attempt: StoredAttempt) -> Mapping[str, object]:
    return {
        "number": attempt.number,
        "made_at": time(attempt.made_at),
        "milliseconds": attempt.milliseconds,
        "outcome": attempt.outcome,
        "status": attempt.status,
    }
