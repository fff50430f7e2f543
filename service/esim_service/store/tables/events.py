"""Events, webhook endpoints, and the deliveries between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...values.entities import Event, Scope, WebhookEndpoint
from ..statements.unit import Row, Unit, execute, insert, row, rows
from . import epochs
from .epochs import OF_ACCOUNT


@dataclass(frozen=True, slots=True)
class OldEvents:
    """The old events of an account in one epoch, which may have ended.

    Attributes:
        last: the sequence number of the last one.
    """

    scope: Scope
    epoch: str
    last: int


def add_event(event: Event) -> Unit[None]:
    """Store a new event."""
    yield from epochs.insert(
        "events",
        event.scope,
        sequence=event.sequence,
        event_id=event.event_id,
        type=event.type,
        body=event.body,
        created_at=event.created_at,
    )


def feed(scope: Scope, after: int, type_: str | None, count: int) -> Unit[Sequence[Event]]:
    """Return the events that follow a sequence number, oldest first."""
    # If statistics say that all events have one type, PostgreSQL would look for another type in all
    # of them. In the order of types, it can only use their index.
    result = yield from rows(
        f"SELECT * FROM events WHERE {OF_ACCOUNT} AND "
        + (
            "(type, sequence) > ($5, $3) AND type <= $5 ORDER BY type, sequence"
            if type_
            else "sequence > $3 ORDER BY sequence"
        )
        + " LIMIT $4",
        *(scope.partner_id, scope.mode, after, count),
        *([type_] if type_ else []),
    )
    return [_event(scope, record) for record in result]


def find_event(scope: Scope, event_id: str) -> Unit[Event | None]:
    """Find an event of a partner in one mode."""
    record = yield from row(
        f"SELECT * FROM events WHERE {OF_ACCOUNT} AND event_id = $3",
        *(scope.partner_id, scope.mode, event_id),
    )
    return None if record is None else _event(scope, record)


def id_of(scope: Scope, sequence: int) -> Unit[str | None]:
    """Return the id of the event with a sequence number, if it is kept."""
    record = yield from row(
        f"SELECT event_id FROM events WHERE {OF_ACCOUNT} AND sequence = $3",
        *(scope.partner_id, scope.mode, sequence),
    )
    return None if record is None else record["event_id"]


def old(before: int, count: int) -> Unit[Sequence[OldEvents]]:
    """Return the events older than a given time, of which at most `count` are examined."""
    result = yield from rows(
        "SELECT partner_id, mode, MAX(sequence) AS last FROM (SELECT partner_id, mode, sequence"
        " FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2) AS found"
        " GROUP BY partner_id, mode",
        *(before, count),
    )
    return [OldEvents(epochs.scope_of(record), record["mode"], record["last"]) for record in result]


def remove_old(old_events: OldEvents, before: int) -> Unit[int]:
    """Remove events older than a given time; return their number."""
    result = yield from rows(
        "DELETE FROM events WHERE partner_id = $1 AND mode = $2 AND sequence <= $3"
        " AND created_at < $4 RETURNING sequence",
        *(old_events.scope.partner_id, old_events.epoch, old_events.last, before),
    )
    return len(result)


def add_delivery(delivery_id: str, event: Event, endpoint_id: str, due_at: int) -> Unit[None]:
    """Queue an event for an endpoint."""
    yield from epochs.insert(
        "deliveries",
        event.scope,
        delivery_id=delivery_id,
        endpoint_id=endpoint_id,
        event_id=event.event_id,
        attempts=0,
        due_at=due_at,
        created_at=event.created_at,
    )


def add_endpoint(endpoint: WebhookEndpoint) -> Unit[None]:
    """Store a new endpoint, which is enabled and has no history."""
    yield from insert(
        "webhook_endpoints",
        endpoint_id=endpoint.endpoint_id,
        partner_id=endpoint.scope.partner_id,
        mode=endpoint.scope.mode,
        url=endpoint.url,
        event_types=" ".join(endpoint.event_types),
        secret=endpoint.secret,
        status=endpoint.status,
        created_at=endpoint.created_at,
        exhausted=0,
    )


def endpoints(scope: Scope) -> Unit[Sequence[WebhookEndpoint]]:
    """Return the endpoints of a partner in one mode, newest first."""
    result = yield from rows(
        "SELECT * FROM webhook_endpoints WHERE partner_id = $1 AND mode = $2"
        " ORDER BY endpoint_id DESC",
        *(scope.partner_id, scope.mode),
    )
    return [_endpoint(record) for record in result]


def remove_endpoint(scope: Scope, endpoint_id: str) -> Unit[bool]:
    """Remove an endpoint; return False if it does not exist."""
    record = yield from row(
        "DELETE FROM webhook_endpoints WHERE endpoint_id = $1 AND partner_id = $2 AND mode = $3"
        " RETURNING endpoint_id",
        *(endpoint_id, scope.partner_id, scope.mode),
    )
    return record is not None


def lock_endpoint(endpoint_id: str) -> Unit[WebhookEndpoint | None]:
    """Find an endpoint, and lock it until this transaction ends."""
    record = yield from row(
        "SELECT * FROM webhook_endpoints WHERE endpoint_id = $1 FOR UPDATE", endpoint_id
    )
    return None if record is None else _endpoint(record)


def save_endpoint(endpoint: WebhookEndpoint) -> Unit[None]:
    """Store the state of an endpoint after attempts to reach it."""
    yield from execute(
        "UPDATE webhook_endpoints SET status = $2, disabled_reason = $3, last_success_at = $4,"
        " last_failure_at = $5, failing_since = $6, exhausted = $7 WHERE endpoint_id = $1",
        endpoint.endpoint_id,
        endpoint.status,
        endpoint.disabled_reason,
        endpoint.last_success_at,
        endpoint.last_failure_at,
        endpoint.failing_since,
        int(endpoint.exhausted),
    )


def secrets() -> Unit[Mapping[str, str]]:
    """Return the stored secrets of all endpoints."""
    result = yield from rows("SELECT endpoint_id, secret FROM webhook_endpoints")
    return {record["endpoint_id"]: record["secret"] for record in result}


def newest_secret() -> Unit[str | None]:
    """Return the stored secret of the newest endpoint, if there is any."""
    record = yield from row(
        "SELECT secret FROM webhook_endpoints ORDER BY endpoint_id DESC LIMIT 1"
    )
    return None if record is None else record["secret"]


def replace_secret(endpoint_id: str, before: str, after: str) -> Unit[None]:
    """Replace the stored form of a secret, if it is unchanged since it was read."""
    yield from execute(
        "UPDATE webhook_endpoints SET secret = $3 WHERE endpoint_id = $1 AND secret = $2",
        *(endpoint_id, before, after),
    )


def _endpoint(record: Row) -> WebhookEndpoint:
    return WebhookEndpoint(
        endpoint_id=record["endpoint_id"],
        scope=Scope(record["partner_id"], record["mode"]),
        url=record["url"],
        event_types=tuple(record["event_types"].split()),
        secret=record["secret"],
        status=record["status"],
        disabled_reason=record["disabled_reason"],
        created_at=record["created_at"],
        last_success_at=record["last_success_at"],
        last_failure_at=record["last_failure_at"],
        failing_since=record["failing_since"],
        exhausted=bool(record["exhausted"]),
    )


def _event(scope: Scope, record: Row) -> Event:
    return Event(
        event_id=record["event_id"],
        scope=scope,
        sequence=record["sequence"],
        type=record["type"],
        body=record["body"],
        created_at=record["created_at"],
    )
