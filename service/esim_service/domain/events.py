"""Events: written in feed order, and queued for the endpoints that subscribe to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import events as store
from ..store.tables import partners
from ..values.entities import Account, Event, Scope, WebhookEndpoint
from ..values.ids import Prefix
from . import bodies
from .stamp import Stamp


def emit(
    account: Account, type_: str, data: BaseModel, stamp: Stamp, *, threshold: int | None = None
) -> Unit[Account]:
    """Write an event for the subscribed endpoints; the caller locks the account and saves it."""
    account, event = yield from _write(account, type_, data, stamp, threshold)
    for endpoint in (yield from subscribers(account.scope, type_)):
        yield from store.add_delivery(
            stamp.new(Prefix.DELIVERY), event, endpoint.endpoint_id, stamp.now
        )
    return account


def subscribers(scope: Scope, type_: str) -> Unit[Sequence[WebhookEndpoint]]:
    """Return the enabled endpoints that subscribe to a type of event."""
    return [
        endpoint
        for endpoint in (yield from store.endpoints(scope))
        if endpoint.status == "enabled" and type_ in endpoint.event_types
    ]


def emit_to(
    endpoint_id: str, account: Account, type_: str, data: BaseModel, stamp: Stamp
) -> Unit[tuple[Account, Event]]:
    """Write an event for one endpoint, regardless of its subscriptions."""
    account, event = yield from _write(account, type_, data, stamp, None)
    yield from store.add_delivery(stamp.new(Prefix.DELIVERY), event, endpoint_id, stamp.now)
    return account, event


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """The position of a reader in the feed.

    Attributes:
        event_id: of the event with this number, to detect a feed that continued differently on a
            standby; None if it has been removed.
        epoch: of the account, which a restore changes.
    """

    sequence: int
    event_id: str | None
    epoch: int = 0


def feed(
    scope: Scope, after: FeedPosition | None, type_: str | None, limit: int
) -> Unit[tuple[Sequence[Event], bool, FeedPosition]]:
    """Return a page of the feed, whether there is more, and the place of the next page.

    Raises:
        Problem: events after the place have been removed, or the feed never reached it.
    """
    account = yield from partners.account(scope)
    if after is not None:
        known = yield from store.id_of(scope, after.sequence)
        is_other = after.epoch != account.feed_epoch or (
            None not in (known, after.event_id) and known != after.event_id
        )
        if is_other or not account.purged_event <= after.sequence <= account.last_event:
            message = "The events after this cursor are not kept."
            raise Problem("cursor_expired", message, param="query.cursor")
    events = yield from store.feed(scope, after.sequence if after else 0, type_, limit + 1)
    if len(events) > limit:
        last = events[limit - 1]
        return events[:limit], True, FeedPosition(last.sequence, last.event_id, account.feed_epoch)
    last_id = yield from store.id_of(scope, account.last_event)
    return events, False, FeedPosition(account.last_event, last_id, account.feed_epoch)


def forget(old: store.OldEvents, before: int) -> Unit[int]:
    """Remove old events; return the number of those removed.

    Cursors before them become invalid.
    """
    account = yield from partners.lock_account(old.scope)
    count = yield from store.remove_old(old, before)
    purged = max(account.purged_event, old.last)
    yield from partners.save_account(replace(account, purged_event=purged))
    return count


def _write(
    account: Account, type_: str, data: BaseModel, stamp: Stamp, threshold: int | None
) -> Unit[tuple[Account, Event]]:
    event_id, sequence = stamp.new(Prefix.EVENT), account.last_event + 1
    body = bodies.event(event_id, type_, stamp.date, account.scope, data, threshold)
    event = Event(event_id, account.scope, sequence, type_, body, stamp.date)
    yield from store.add_event(event)
    return replace(account, last_event=sequence, dated_at=stamp.date), event
