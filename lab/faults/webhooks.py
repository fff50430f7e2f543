"""Faults in events and their deliveries."""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import httpcore2
from pydantic import BaseModel
from pytest import MonkeyPatch

from esim_service.delivery import outbox, schedule
from esim_service.delivery.runner import DueDelivery
from esim_service.delivery.sender import Sender, WebhookMessage
from esim_service.domain import bodies, events, ledger, lifecycle
from esim_service.domain.stamp import Stamp
from esim_service.store.statements.unit import Unit, row
from esim_service.store.tables import events as store
from esim_service.store.tables.outbox import ClaimedDelivery
from esim_service.values.clock import HOUR
from esim_service.values.entities import Account, Event, Scope, WebhookEndpoint
from lab.faults.changes import send_acknowledged_again
from lab.faults.seeding import substitute
from partner_esim import webhooks
from partner_esim._runtime.shared.signature import SignatureScheme


def _deliver(patch: MonkeyPatch, change: Callable[[ClaimedDelivery], ClaimedDelivery]) -> None:
    """Let deliveries have other contents than the event that is stored."""
    claim = outbox._claim

    def changed(delivery: ClaimedDelivery, lease_until: int) -> DueDelivery:
        return claim(change(delivery), lease_until)

    substitute(patch, claim, changed)


def _own_id(delivery: ClaimedDelivery) -> str:
    return f"evt_{delivery.delivery_id[4:]}"


def signed_with_decoded_secret(patch: MonkeyPatch) -> None:
    """The key is the decoded secret. “with the endpoint signing secret as key”"""
    sign = SignatureScheme._digest

    def digest(self: SignatureScheme, body: bytes, secret: str, timestamp: str) -> str:
        return sign(self, body, base64.b64decode(secret[6:]).decode("latin-1"), timestamp)

    patch.setattr(SignatureScheme, "_digest", digest)


def signed_without_time(patch: MonkeyPatch) -> None:
    """Only the body is signed. “over the string <t>, a period, then the raw request body”"""
    patch.setattr(
        webhooks,
        "_SCHEME",
        SignatureScheme(webhooks.SIGNATURE_HEADER, "t={timestamp},v1={digest}", "{body}"),
    )


def body_written_anew(patch: MonkeyPatch) -> None:
    """The body is formatted after it was signed. “then the raw request body”"""
    signed = Sender._request

    def formatted(sender: Sender, message: WebhookMessage) -> httpcore2.Request:
        request, body = signed(sender, message), message.body.replace(b":", b": ", 1)
        headers = {**dict(request.headers), b"Content-Length": b"%d" % len(body)}
        return httpcore2.Request(
            request.method,
            request.url,
            headers=list(headers.items()),
            content=body,
            extensions=request.extensions,
        )

    patch.setattr(Sender, "_request", formatted)


def other_event_id(patch: MonkeyPatch) -> None:
    """The id in the header is that of the delivery. “Service-Event-Id | identifies the event”"""
    _deliver(patch, lambda delivery: replace(delivery, event_id=_own_id(delivery)))


def no_event_type(patch: MonkeyPatch) -> None:
    """The header with the type has another name. “Service-Event-Type | names the event type”"""
    patch.setattr(webhooks, "EVENT_TYPE_HEADER", "Event-Type")


def everything_delivered(patch: MonkeyPatch) -> None:
    """All endpoints get all types. “An endpoint subscribes to selected event types”"""

    def enabled(scope: Scope, _: str) -> Unit[Sequence[WebhookEndpoint]]:
        known = yield from store.endpoints(scope)
        return [endpoint for endpoint in known if endpoint.status == "enabled"]

    substitute(patch, events.subscribers, enabled)


def delivered_after_removal(patch: MonkeyPatch) -> None:
    """Endpoints are kept when they are removed, and go on to get events.

    “They are delivered as signed webhooks to registered endpoints”
    """
    subscribers = events.subscribers

    def marked(scope: Scope, endpoint_id: str) -> Unit[bool]:
        record = yield from row(
            "UPDATE webhook_endpoints SET mode = mode || '-removed'"
            " WHERE endpoint_id = $1 AND partner_id = $2 AND mode = $3 RETURNING endpoint_id",
            *(endpoint_id, scope.partner_id, scope.mode),
        )
        return record is not None

    def with_removed(scope: Scope, type_: str) -> Unit[Sequence[WebhookEndpoint]]:
        removed = replace(scope, mode=f"{scope.mode}-removed")
        there = yield from subscribers(scope, type_)
        return [*there, *(yield from subscribers(removed, type_))]

    substitute(patch, store.remove_endpoint, marked)
    substitute(patch, subscribers, with_removed)


def delivered_twice(patch: MonkeyPatch) -> None:
    """An acknowledgement is not written down. “Any 2xx response acknowledges a delivery.”"""
    send_acknowledged_again(patch)


def never_tried_again(patch: MonkeyPatch) -> None:
    """A failed delivery is given up. “Otherwise retries occur after 1 minute”"""
    patch.setattr(schedule, "ATTEMPTS", 1)


def redirect_acknowledges(patch: MonkeyPatch) -> None:
    """A redirect counts as a success. “Any 2xx response acknowledges a delivery.”"""
    patch.setattr(webhooks, "SUCCESS_STATUSES", range(200, 400))


def order_event_missing(patch: MonkeyPatch) -> None:
    """Orders are completed silently.

    “order.completed and topup.completed are sent within seconds.”
    """
    emit = events.emit

    def silent(account: Account, type_: str, *others: Any) -> Unit[Account]:
        return account if type_ == "order.completed" else (yield from emit(account, type_, *others))

    substitute(patch, emit, silent)


def low_balance_event_missing(patch: MonkeyPatch) -> None:
    """A balance that falls below the threshold is not reported.

    “balance.low fires on crossing below”
    """
    post = ledger.post

    def reported(account: Account, *others: Any) -> Unit[Account]:
        return post(replace(account, low_reported=True), *others)

    substitute(patch, post, reported)


def expiring_event_missing(patch: MonkeyPatch) -> None:
    """The coming end is reported too late to be seen.

    “esim.expiring arrives between 24 and 20 hours before expires_at.”
    """
    substitute(patch, lifecycle.is_expiring, lambda remaining: 0 < remaining < 20 * HOUR)


def usage_without_threshold(patch: MonkeyPatch) -> None:
    """Usage does not say which share is used. “threshold_percent, with value 50 or 80”"""
    event = bodies.event
    substitute(patch, event, lambda *parts: event(*parts[:-1], None))


def event_shows_earlier_state(patch: MonkeyPatch) -> None:
    """An order in an event is still in progress.

    “`data` is exactly what GET returns for the resource at that moment”
    """
    emit = events.emit

    def earlier(
        account: Account, type_: str, data: BaseModel, stamp: Stamp, **others: Any
    ) -> Unit[Account]:
        if type_ == "order.completed":
            data = data.model_copy(update={"status": "processing"})
        return emit(account, type_, data, stamp, **others)

    substitute(patch, emit, earlier)


def feed_and_delivery_differ(patch: MonkeyPatch) -> None:
    """A delivery has its own id in the body.

    “the feed and every delivery attempt show the same body”
    """

    def own_body(delivery: ClaimedDelivery) -> bytes:
        event = json.loads(delivery.body) | {"id": _own_id(delivery)}
        return json.dumps(event, separators=(",", ":")).encode()

    _deliver(patch, lambda delivery: replace(delivery, body=own_body(delivery)))


def tested_endpoint_hears_nothing(patch: MonkeyPatch) -> None:
    """A test is accepted and sends nothing. “Sends a webhook.test event to that endpoint.”"""

    def written(_: str, *event: Any) -> Unit[tuple[Account, Event]]:
        return events._write(*event, None)

    substitute(patch, events.emit_to, written)
