"""Faults in deliveries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pytest import MonkeyPatch

from esim_service.delivery import sender
from esim_service.delivery.sender import AttemptOutcome, Sender, WebhookMessage
from esim_service.domain import bodies, endpoints, ledger, lifecycle
from esim_service.domain import events as emission
from esim_service.domain.stamp import Stamp
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import events as event_store
from esim_service.values.entities import Account, Event, LedgerKind, Scope, WebhookEndpoint
from esim_service.values.ids import Prefix
from lab.faults.seeding import substitute, unchecked
from lab.faults_by_others.by_hand import (
    DEAR_PLAN,
    Desk,
    esim,
    event,
    events,
    order,
    ordered,
    receiving,
    register,
    shown_by,
    tested,
)
from partner_esim import webhooks
from partner_esim.models import EventTypeName, WebhookEndpointCreate


def _same_bytes(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        tested(desk.api, receiver.url)
        receiver.has(1)
        page = desk.api.get("/events").content
        return receiver.deliveries[0].body in page


@shown_by(_same_bytes)
def other_bytes_in_deliveries(patch: MonkeyPatch) -> None:
    """Deliveries have the same JSON as the feed in other bytes.

    “The bytes are frozen: the feed and every delivery attempt show the same body.”
    """
    send = Sender.send

    async def written_again(self: Sender, message: WebhookMessage) -> AttemptOutcome:
        body = json.dumps(json.loads(message.body)).encode()
        return await send(
            self,
            WebhookMessage(message.url, message.secret, message.event_id, message.event_type, body),
        )

    patch.setattr(Sender, "send", written_again)


@shown_by(lambda desk: "error" in register(desk.api, types=[]))
def empty_selection_is_the_default(patch: MonkeyPatch) -> None:
    """An endpoint that selects no type gets all of them.

    “An empty list is refused.”
    """
    register = endpoints.register
    many = Annotated[list[EventTypeName] | None, Field(max_length=9)]
    unchecked(patch, WebhookEndpointCreate, "event_types", many)

    def selected(
        scope: Scope, url: str, event_types: Sequence[str] | None, secret: str, stamp: Stamp
    ) -> Unit[WebhookEndpoint]:
        return register(scope, url, event_types or None, secret, stamp)

    substitute(patch, register, selected)


def _is_tested(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        tested(desk.api, receiver.url)
        return receiver.has(1, 5)


@shown_by(_is_tested)
def test_needs_a_subscription(patch: MonkeyPatch) -> None:
    """A test reaches an endpoint only if it has subscribed to tests.

    “webhook.test always reaches the endpoint that is tested”
    """
    emit_to = emission.emit_to

    def to_subscribers(
        endpoint_id: str, account: Account, type_: str, data: BaseModel, stamp: Stamp
    ) -> Unit[tuple[Account, Event]]:
        known = {e.endpoint_id for e in (yield from emission.subscribers(account.scope, type_))}
        receiver = endpoint_id if endpoint_id in known else "none"
        return (yield from emit_to(receiver, account, type_, data, stamp))

    substitute(patch, emit_to, to_subscribers)


def _only_the_tested(desk: Desk) -> bool:
    with receiving(desk) as receiver, receiving(desk) as other:
        register(desk.api, other.url, ["webhook.test"])
        tested(desk.api, receiver.url)
        return receiver.has(1) and not other.has(1, 3)


@shown_by(_only_the_tested)
def test_reaches_all(patch: MonkeyPatch) -> None:
    """A test of one endpoint reaches all those that have subscribed to tests.

    “Sends a webhook.test event to that endpoint.”
    """
    emit_to = emission.emit_to

    def to_all(
        endpoint_id: str, account: Account, type_: str, data: BaseModel, stamp: Stamp
    ) -> Unit[tuple[Account, Event]]:
        account, event = yield from emit_to(endpoint_id, account, type_, data, stamp)
        for endpoint in (yield from emission.subscribers(account.scope, type_)):
            if endpoint.endpoint_id != endpoint_id:
                delivery_id = stamp.new(Prefix.DELIVERY)
                yield from event_store.add_delivery(
                    delivery_id, event, endpoint.endpoint_id, stamp.now
                )
        return account, event

    substitute(patch, emit_to, to_all)


def _eighty_percent(desk: Desk) -> bool:
    esim(desk.api, "deplete_fast", "depleted")
    return {each["threshold_percent"] for each in events(desk.api, "esim.usage")} == {50, 80}


@shown_by(_eighty_percent)
def usage_is_told_once(patch: MonkeyPatch) -> None:
    """After 50 percent, the next event of the usage is its end.

    “additionally threshold_percent, with value 50 or 80”
    """
    patch.setattr(lifecycle, "_THRESHOLDS", (50,))


def _signature_of_text(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        secret = tested(desk.api, receiver.url)["signing_secret"]
        receiver.has(1)
        delivery = receiver.deliveries[0]
    moment = int(delivery.headers["service-signature"].partition(",")[0].removeprefix("t="))
    signed = webhooks.sign(delivery.body, secret, timestamp=moment)
    return delivery.headers["service-signature"] == signed


@shown_by(_signature_of_text)
def key_is_decoded(patch: MonkeyPatch) -> None:
    """Deliveries are signed with the bytes that the secret encodes.

    “The HMAC key is the UTF-8 text of the whole secret.”
    """

    def sign(body: bytes, secret: str, *, timestamp: int) -> str:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, b"%d.%s" % (timestamp, body), hashlib.sha256).hexdigest()
        return f"t={timestamp},v1={digest}"

    patch.setattr(sender.webhooks, "sign", sign)


def _mode_of_event(desk: Desk) -> bool:
    ordered(desk.api)
    return bool(event(desk.api, "order.completed")["mode"] == "test")


@shown_by(_mode_of_event)
def every_event_is_live(patch: MonkeyPatch) -> None:
    """The events of test mode say that they are of live mode.

    “{id, type, created_at, mode live/test, data}”
    """
    made = bodies.event

    def live(event_id: str, type_: str, now: int, scope: Scope, *others: Any) -> bytes:
        return made(event_id, type_, now, replace(scope, mode="live"), *others)

    substitute(patch, made, live)


def _told_once(desk: Desk) -> bool:
    for _ in range(2):
        order(desk.api, DEAR_PLAN, quantity=20)
    ordered(desk.api)
    return len(events(desk.api, "balance.low")) == 1


@shown_by(_told_once)
def low_balance_is_told_each_time(patch: MonkeyPatch) -> None:
    """Each purchase below the threshold sends a low balance.

    “balance.low fires on crossing below, again only after the balance was back at or above the
    threshold”
    """
    post = ledger.post

    def never_reported(account: Account, *others: Any) -> Unit[Account]:
        return post(replace(account, low_reported=False), *others)

    substitute(patch, post, never_reported)


def _told_again(desk: Desk) -> bool:
    for _ in range(2):
        for _ in range(2):
            order(desk.api, DEAR_PLAN, quantity=20)
        found = len(events(desk.api, "balance.low"))
        desk.api.post("/sandbox/reset")
    return found == 1


@shown_by(_told_again)
def low_balance_is_told_once_for_ever(patch: MonkeyPatch) -> None:
    """After the balance was filled up, its next fall sends no event.

    “again only after the balance was back at or above the threshold”
    """
    post = ledger.post

    def reported(account: Account, kind: LedgerKind, *others: Any) -> Unit[Account]:
        after = yield from post(account, kind, *others)
        kept = account.low_reported and kind != "credit"
        return replace(after, low_reported=kept or after.low_reported)

    substitute(patch, post, reported)


def _selected_only(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        register(desk.api, receiver.url, ["topup.completed"])
        ordered(desk.api)
        event(desk.api, "order.completed")
        return not receiver.has(1, 3)


@shown_by(_selected_only)
def prefix_of_a_type(patch: MonkeyPatch) -> None:
    """An endpoint gets all events whose type ends like one that it has selected.

    “An endpoint subscribes to selected event types or to the default selection.”
    """

    def by_ending(scope: Scope, type_: str) -> Unit[Sequence[WebhookEndpoint]]:
        ending = type_.partition(".")[2]
        return [
            endpoint
            for endpoint in (yield from event_store.endpoints(scope))
            if endpoint.status == "enabled"
            and any(name.partition(".")[2] == ending for name in endpoint.event_types)
        ]

    substitute(patch, emission.subscribers, by_ending)
