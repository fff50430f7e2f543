"""Webhook endpoints: a few per mode, each with its own secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

from partner_esim import models
from partner_esim.server import CREATE_WEBHOOK_ENDPOINT_CAPACITY as CAPACITY
from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import events as store
from ..store.tables import outbox, partners
from ..values.entities import Scope, WebhookEndpoint
from ..values.ids import Prefix
from . import events
from .stamp import Stamp

# A long queue is removed in parts, as it must not hold up others.
PART = 100
DEFAULT_SELECTION = tuple(name for name in get_args(models.EventTypeName) if name != "webhook.test")


def not_found() -> Problem:
    """Return the problem of an id that is not an endpoint of the partner."""
    return Problem("resource_not_found", "There is no such webhook endpoint.", param="path.id")


def check_known(scope: Scope, endpoint_id: str) -> Unit[None]:
    """Check that an id is an endpoint of the partner.

    Raises:
        Problem: it is not.
    """
    known = yield from store.endpoints(scope)
    if endpoint_id not in {webhook_endpoint.endpoint_id for webhook_endpoint in known}:
        raise not_found()


def register(
    scope: Scope, url: str, event_types: Sequence[str] | None, secret: str, stamp: Stamp
) -> Unit[WebhookEndpoint]:
    """Register an endpoint; its secret is stored as given.

    Raises:
        Problem: the maximum number of endpoints is reached.
    """
    # The account is locked so that two requests cannot both count the same free place.
    account = yield from partners.lock_account(scope)
    stamp = stamp.under(account)
    if len((yield from store.endpoints(scope))) >= CAPACITY:
        message = f"Each mode can have at most {CAPACITY} webhook endpoints: remove one first."
        raise Problem("webhook_endpoint_limit_reached", message)
    selected = DEFAULT_SELECTION if event_types is None else tuple(dict.fromkeys(event_types))
    endpoint = WebhookEndpoint(
        endpoint_id=stamp.new(Prefix.ENDPOINT),
        scope=scope,
        url=url,
        event_types=selected,
        secret=secret,
        status="enabled",
        disabled_reason=None,
        created_at=stamp.date,
        last_success_at=None,
        last_failure_at=None,
        failing_since=None,
        exhausted=False,
    )
    yield from store.add_endpoint(endpoint)
    yield from partners.save_account(replace(account, dated_at=stamp.date))
    return endpoint


def renew_secrets(decrypt: Callable[[str], str], encrypt: Callable[[str], str]) -> Unit[int]:
    """Store the secrets of all endpoints in a new form; return their number."""
    known = yield from store.secrets()
    for endpoint_id, stored in known.items():
        yield from store.replace_secret(endpoint_id, stored, encrypt(decrypt(stored)))
    return len(known)


def check_secrets(decrypt: Callable[[str], str]) -> Unit[None]:
    """Check that the secrets of all endpoints can be decrypted; `decrypt` raises if not."""
    for stored in (yield from store.secrets()).values():
        decrypt(stored)


def remove(scope: Scope, endpoint_id: str, count: int = PART) -> Unit[bool]:
    """Remove an endpoint and some of its queued deliveries; return whether there may be more.

    Raises:
        Problem: no endpoint has this id.
    """
    # Events look up endpoints under the account lock; none can be queued for this one now.
    yield from partners.lock_account(scope)
    if not (yield from store.remove_endpoint(scope, endpoint_id)):
        raise not_found()
    return (yield from clear(endpoint_id, count))


def clear(endpoint_id: str, count: int = PART) -> Unit[bool]:
    """Remove some deliveries of a removed endpoint; return whether there may be more."""
    return (yield from outbox.clear(endpoint_id, None, count)) == count


def test(scope: Scope, endpoint_id: str, stamp: Stamp) -> Unit[str]:
    """Send a test event to an endpoint; return the id of the event.

    Raises:
        Problem: no endpoint has this id.
    """
    account = yield from partners.lock_account(scope)
    stamp = stamp.under(account)
    yield from check_known(scope, endpoint_id)
    data = models.WebhookTest(webhook_endpoint_id=endpoint_id)
    account, event = yield from events.emit_to(endpoint_id, account, "webhook.test", data, stamp)
    yield from partners.save_account(account)
    return event.event_id
