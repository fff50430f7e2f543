"""Deliveries that wait for an attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from ..statements.unit import Unit, among, execute, row, rows


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery that is due."""

    delivery_id: str
    endpoint_id: str
    due_at: int


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A claimed delivery with everything that its attempt needs."""

    delivery_id: str
    endpoint_id: str
    attempts: int
    created_at: int
    url: str
    secret: str = field(repr=False)
    event_id: str
    event_type: str
    body: bytes = field(repr=False)


def due(now: int, per_endpoint: int) -> Unit[Sequence[Due]]:
    """Return the oldest due deliveries of each endpoint, oldest first.

    The index is queried endpoint by endpoint, so that the length of a queue does not matter: an
    endpoint that has not responded for days has a long one.
    """
    result = yield from rows(_due(per_endpoint), now)
    return [
        Due(record["delivery_id"], record["endpoint_id"], record["due_at"]) for record in result
    ]


@cache
def _due(per_endpoint: int) -> str:
    oldest = " UNION ALL ".join(
        "SELECT (SELECT d.delivery_id FROM deliveries d WHERE d.endpoint_id = w.endpoint_id"
        f" AND d.due_at <= $1 ORDER BY d.due_at, d.delivery_id LIMIT 1 OFFSET {place})"
        " FROM waiting w"
        for place in range(per_endpoint)
    )
    return (
        "WITH RECURSIVE waiting (endpoint_id) AS (SELECT MIN(endpoint_id) FROM deliveries"
        " UNION ALL SELECT (SELECT MIN(d.endpoint_id) FROM deliveries d"
        " WHERE d.endpoint_id > w.endpoint_id) FROM waiting w WHERE w.endpoint_id IS NOT NULL),"
        f" oldest (delivery_id) AS ({oldest})"
        " SELECT d.delivery_id, d.endpoint_id, d.due_at FROM oldest o"
        " JOIN deliveries d ON d.delivery_id = o.delivery_id ORDER BY d.due_at, d.delivery_id"
    )


def take(
    delivery_ids: Sequence[str], now: int, lease_until: int
) -> Unit[Sequence[ClaimedDelivery]]:
    """Claim those of some deliveries that are still due and not being claimed by others.

    A delivery is removed instead if its endpoint or its event is gone, also by a reset.
    """
    places, parameters = among(delivery_ids, after=2)
    result = yield from rows(
        "UPDATE deliveries SET due_at = $1 WHERE delivery_id IN (SELECT delivery_id FROM deliveries"
        f" WHERE delivery_id IN ({places}) AND due_at <= $2 FOR UPDATE SKIP LOCKED)"
        " RETURNING delivery_id",
        lease_until,
        now,
        *parameters,
    )
    ours = [record["delivery_id"] for record in result]
    if not ours:
        return []
    places, parameters = among(ours, after=0)
    result = yield from rows(
        "SELECT d.delivery_id, d.endpoint_id, d.attempts, d.created_at, w.url, w.secret,"
        " e.event_id, e.type, e.body FROM deliveries d"
        " JOIN accounts a ON a.partner_id = d.partner_id AND a.epoch = d.mode"
        " JOIN webhook_endpoints w ON w.endpoint_id = d.endpoint_id"
        f" JOIN events e ON e.event_id = d.event_id WHERE d.delivery_id IN ({places})",
        *parameters,
    )
    claimed = [
        ClaimedDelivery(
            delivery_id=record["delivery_id"],
            endpoint_id=record["endpoint_id"],
            attempts=record["attempts"],
            created_at=record["created_at"],
            url=record["url"],
            secret=record["secret"],
            event_id=record["event_id"],
            event_type=record["type"],
            body=record["body"],
        )
        for record in result
    ]
    for orphan in set(ours) - {record.delivery_id for record in claimed}:
        yield from remove(orphan)
    return claimed


def is_held(delivery_id: str, lease_until: int) -> Unit[bool]:
    """Return whether a claim is still valid; it then stays valid until this transaction ends."""
    record = yield from row(
        "SELECT delivery_id FROM deliveries WHERE delivery_id = $1 AND due_at = $2 FOR UPDATE",
        *(delivery_id, lease_until),
    )
    return record is not None


def postpone(delivery_id: str, due_at: int, attempts: int) -> Unit[None]:
    """Postpone a delivery."""
    yield from execute(
        "UPDATE deliveries SET due_at = $2, attempts = $3 WHERE delivery_id = $1",
        *(delivery_id, due_at, attempts),
    )


def release(delivery_id: str, lease_until: int, due_at: int) -> Unit[None]:
    """Release a claim that is still valid, without waiting for a concurrent change."""
    yield from execute(
        "UPDATE deliveries SET due_at = $3 WHERE delivery_id IN (SELECT delivery_id"
        " FROM deliveries WHERE delivery_id = $1 AND due_at = $2 FOR UPDATE SKIP LOCKED)",
        *(delivery_id, lease_until, due_at),
    )


def take_over(now: int) -> Unit[None]:
    """Make claimed first attempts due, after the process that claimed them has ended.

    A delivery with earlier attempts may also be waiting for its retry, so it is left until then or
    until the lease ends.
    """
    yield from execute("UPDATE deliveries SET due_at = $1 WHERE attempts = 0 AND due_at > $1", now)


def remove(delivery_id: str) -> Unit[None]:
    """Remove a delivery that has succeeded or is given up."""
    yield from execute("DELETE FROM deliveries WHERE delivery_id = $1", delivery_id)


def clear(endpoint_id: str, kept_type: str | None, count: int) -> Unit[int]:
    """Remove some deliveries that wait for an endpoint, except a type; return their number."""
    result = yield from rows(
        "DELETE FROM deliveries WHERE delivery_id IN (SELECT d.delivery_id FROM deliveries d"
        " WHERE d.endpoint_id = $1 AND NOT EXISTS (SELECT 1 FROM events e"
        " WHERE e.event_id = d.event_id AND e.type = $2) LIMIT $3 FOR UPDATE SKIP LOCKED)"
        " RETURNING delivery_id",
        *(endpoint_id, kept_type, count),
    )
    return len(result)


def count_due(before: int) -> Unit[int]:
    """Return the number of deliveries that were due before a given time."""
    record = yield from row("SELECT COUNT(*) AS due FROM deliveries WHERE due_at < $1", before)
    return 0 if record is None else int(record["due"])


def count() -> Unit[tuple[int, int]]:
    """Return how many deliveries wait for their first attempt, and how many for a retry."""
    result = yield from rows(
        "SELECT COUNT(*) AS waiting, COUNT(CASE WHEN attempts > 0 THEN 1 END) AS tried"
        " FROM deliveries"
    )
    return result[0]["waiting"] - result[0]["tried"], result[0]["tried"]
