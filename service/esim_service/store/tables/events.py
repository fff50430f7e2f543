"""Events, webhook endpoints, and the deliveries between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...values.entities import Event, Scope, WebhookEndpoint
from ..statements.unit import Row, Unit, execute, insert, row, rows


def add_event(event: Event) -> Unit[None]:
    """Store a new event."""
    yield from insert(
        "events",
        partner_id=event.scope.partner_id,
        mode=event.scope.mode,
        sequence=event.sequence,
        event_id=event.event_id,
        type=event.type,
        body=event.body,
        created_at=event.created_at,
    )


def feed(scope: Scope, after: int, type_: str | None, count: int) -> Unit[Sequence[Event]]:
    """Return the events that follow a sequence number, oldest first."""
    found = yield from rows(
        "SELECT * FROM events WHERE partner_id = $1 AND mode = $2 AND sequence > $3"
        + (" AND type = $5" if type_ else "")
        + " ORDER BY sequence LIMIT $4",
        *(scope.partner_id, scope.mode, after, count),
        *([type_] if type_ else []),
    )
    return [_event(scope, each) for each in found]


def find_event(scope: Scope, event_id: str) -> Unit[Event | None]:
    """Find an event of a partner in one mode."""
    found = yield from row(
        "SELECT * FROM events WHERE event_id = $1 AND partner_id = $2 AND mode = $3",
        *(event_id, scope.partner_id, scope.mode),
    )
    return None if found is None else _event(scope, found)


def id_of(scope: Scope, sequence: int) -> Unit[str | None]:
    """Return the id of the event with a sequence number, if it is kept."""
    found = yield from row(
        "SELECT event_id FROM events WHERE partner_id = $1 AND mode = $2 AND sequence = $3",
        *(scope.partner_id, scope.mode, sequence),
    )
    return None if found is None else found["event_id"]


def old(before: int, count: int) -> Unit[Mapping[Scope, int]]:
    """Return the scopes with events older than a given time, with the last such event of each.

    At most `count` events are examined in total.
    """
    found = yield from rows(
        "SELECT partner_id, mode, MAX(sequence) AS last FROM (SELECT partner_id, mode, sequence"
        " FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2) AS found"
        " GROUP BY partner_id, mode",
        *(before, count),
    )
    return {Scope(each["partner_id"], each["mode"]): each["last"] for each in found}


def remove_events(scope: Scope, last: int, before: int) -> Unit[int]:
    """Remove events older than a given time, up to a sequence number; return their number."""
    found = yield from rows(
        "DELETE FROM events WHERE partner_id = $1 AND mode = $2 AND sequence <= $3"
        " AND created_at < $4 RETURNING sequence",
        *(scope.partner_id, scope.mode, last, before),
    )
    return len(found)


def add_delivery(delivery_id: str, event: Event, endpoint_id: str, due_at: int) -> Unit[None]:
    """Queue an event for an endpoint."""
    yield from insert(
        "deliveries",
        delivery_id=delivery_id,
        partner_id=event.scope.partner_id,
        mode=event.scope.mode,
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
    found = yield from rows(
        "SELECT * FROM webhook_endpoints WHERE partner_id = $1 AND mode = $2"
        " ORDER BY endpoint_id DESC",
        *(scope.partner_id, scope.mode),
    )
    return [_endpoint(each) for each in found]


def remove_endpoint(scope: Scope, endpoint_id: str) -> Unit[bool]:
    """Remove an endpoint with its deliveries; return False if it does not exist."""
    found = yield from row(
        "DELETE FROM webhook_endpoints WHERE endpoint_id = $1 AND partner_id = $2 AND mode = $3"
        " RETURNING endpoint_id",
        *(endpoint_id, scope.partner_id, scope.mode),
    )
    if found is None:
        return False
    yield from execute("DELETE FROM deliveries WHERE endpoint_id = $1", endpoint_id)
    return True


def lock_endpoint(endpoint_id: str) -> Unit[WebhookEndpoint | None]:
    """Find an endpoint, and lock it until this transaction ends."""
    found = yield from row(
        "SELECT * FROM webhook_endpoints WHERE endpoint_id = $1 FOR UPDATE", endpoint_id
    )
    return None if found is None else _endpoint(found)


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
    found = yield from rows("SELECT endpoint_id, secret FROM webhook_endpoints")
    return {each["endpoint_id"]: each["secret"] for each in found}


def newest_secret() -> Unit[str | None]:
    """Return the stored secret of the newest endpoint, if there is any."""
    found = yield from row("SELECT secret FROM webhook_endpoints ORDER BY endpoint_id DESC LIMIT 1")
    return None if found is None else found["secret"]


def replace_secret(endpoint_id: str, before: str, after: str) -> Unit[None]:
    """Replace the stored form of a secret, if it is unchanged since it was read."""
    yield from execute(
        "UPDATE webhook_endpoints SET secret = $3 WHERE endpoint_id = $1 AND secret = $2",
        *(endpoint_id, before, after),
    )


def _endpoint(found: Row) -> WebhookEndpoint:
    return WebhookEndpoint(
        endpoint_id=found["endpoint_id"],
        scope=Scope(found["partner_id"], found["mode"]),
        url=found["url"],
        event_types=tuple(found["event_types"].split()),
        secret=found["secret"],
        status=found["status"],
        disabled_reason=found["disabled_reason"],
        created_at=found["created_at"],
        last_success_at=found["last_success_at"],
        last_failure_at=found["last_failure_at"],
        failing_since=found["failing_since"],
        exhausted=bool(found["exhausted"]),
    )


def _event(scope: Scope, found: Row) -> Event:
    return Event(
        event_id=found["event_id"],
        scope=scope,
        sequence=found["sequence"],
        type=found["type"],
        body=found["body"],
        created_at=found["created_at"],
    )
