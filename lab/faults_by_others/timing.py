"""Faults in times and dates."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pytest import MonkeyPatch

from esim_service.carrier import simulator
from esim_service.domain import bodies, ledger, lifecycle
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import events as event_store
from esim_service.values.clock import HOUR
from esim_service.values.entities import Account, Esim, Event
from lab.faults.changes import show_esim
from lab.faults.seeding import substitute
from lab.faults_by_others.by_hand import (
    Desk,
    esim,
    event,
    eventually,
    order,
    ordered,
    receiving,
    register,
    shown_by,
    tested,
)
from partner_esim import webhooks


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _validity_since_activation(desk: Desk) -> bool:
    found = esim(desk.api, "activate_fast", "active")
    return _date(found["expires_at"]) - _date(found["activated_at"]) == timedelta(days=7)


@shown_by(_validity_since_activation)
def validity_never_starts(patch: MonkeyPatch) -> None:
    """When an eSIM becomes active, the end of its validity stays where it was.

    “starts_on first_connection/installation/purchase”
    """
    activate = lifecycle._activate

    def activated(esim: Esim, observation: lifecycle.Observation) -> lifecycle.Step:
        after, happened = activate(esim, observation)
        return replace(after, expires_at=esim.expires_at), happened

    substitute(patch, activate, activated)


def _a_day_before(desk: Desk) -> bool:
    esim(desk.api, "expire_fast", "active")
    found = event(desk.api, "esim.expiring")
    left = _date(found["data"]["expires_at"]) - _date(found["created_at"])
    return timedelta(hours=20) <= left <= timedelta(hours=24)


@shown_by(_a_day_before)
def two_hours_before(patch: MonkeyPatch) -> None:
    """The event of an eSIM that expires soon is sent two hours before.

    “esim.expiring arrives between 24 and 20 hours before expires_at.”
    """
    scenes = tuple(
        simulator.Scene(
            each.after, each.used_percent, 2 * HOUR if each.expires_in else each.expires_in
        )
        for each in simulator.SCRIPTS["expire_fast"]
    )
    patch.setattr(simulator, "SCRIPTS", {**simulator.SCRIPTS, "expire_fast": scenes})


def _now(desk: Desk) -> bool:
    made = _date(order(desk.api).json()["created_at"])
    return abs(datetime.now(UTC) - made) < timedelta(minutes=5)


@shown_by(_now)
def local_time_as_utc(patch: MonkeyPatch) -> None:
    """Dates are in the time of a place two hours east and say that they are UTC.

    “RFC 3339 UTC with `Z`, field suffix `_at`”
    """
    moment = bodies.moment
    patch.setattr(bodies, "moment", lambda value: moment(value) + timedelta(hours=2))


def _balance_is_dated(desk: Desk) -> bool:
    before = desk.api.get("/balance").json()["updated_at"]

    def is_later() -> bool:
        # Dates are whole seconds: the first order may be of the same one.
        order(desk.api)
        return bool(desk.api.get("/balance").json()["updated_at"] > before)

    return eventually(is_later, seconds=2)


@shown_by(_balance_is_dated)
def old_date_of_the_balance(patch: MonkeyPatch) -> None:
    """The date of the balance stays as it is when the balance changes.

    “When the balance last changed.”
    """
    post = ledger.post

    def undated(account: Account, *others: Any) -> Unit[Account]:
        after = yield from post(account, *others)
        return replace(after, updated_at=account.updated_at)

    substitute(patch, post, undated)


def _seconds(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        tested(desk.api, receiver.url)
        receiver.has(1)
        signature = receiver.deliveries[0].headers["service-signature"]
    moment = int(signature.partition(",")[0].removeprefix("t="))
    return abs(moment - datetime.now(UTC).timestamp()) < 300


@shown_by(_seconds)
def milliseconds_in_signatures(patch: MonkeyPatch) -> None:
    """A signature has the time in milliseconds.

    “The header value has the form t=<unix seconds>,v1=<64 lowercase hex characters>.”
    """
    sign = webhooks.sign

    def late(body: bytes, secret: str, *, timestamp: int) -> str:
        return sign(body, secret, timestamp=timestamp * 1000)

    patch.setattr(webhooks, "sign", late)


def _soon(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        register(desk.api, receiver.url)
        ordered(desk.api)
        return receiver.has(1, 12)


@shown_by(_soon)
def a_minute_late(patch: MonkeyPatch) -> None:
    """Events of orders are delivered a minute later.

    “order.completed and topup.completed are sent within seconds.”
    """
    add = event_store.add_delivery

    def later(delivery_id: str, event: Event, endpoint_id: str, due_at: int) -> Unit[None]:
        pause = 60_000 if event.type == "order.completed" else 0
        return add(delivery_id, event, endpoint_id, due_at + pause)

    substitute(patch, add, later)


def _usage_is_dated(desk: Desk) -> bool:
    found = esim(desk.api, "activate_fast", "active")
    return bool(found["updated_at"] > found["created_at"])


@shown_by(_usage_is_dated)
def old_date_of_an_esim(patch: MonkeyPatch) -> None:
    """An eSIM changes, and its date of the last change does not.

    “When anything in this resource last changed.”
    """
    show_esim(patch, lambda esim: replace(esim, updated_at=esim.created_at))


def _event_is_now(desk: Desk) -> bool:
    made = ordered(desk.api)
    found = event(desk.api, "order.completed")
    return _date(found["created_at"]) >= _date(made["completed_at"])


@shown_by(_event_is_now)
def event_before_its_cause(patch: MonkeyPatch) -> None:
    """An event is dated a minute before its cause.

    “When the event happened.”
    """
    made = bodies.event

    def earlier(event_id: str, type_: str, now: int, *others: Any) -> bytes:
        return made(event_id, type_, now - 60_000, *others)

    substitute(patch, made, earlier)
