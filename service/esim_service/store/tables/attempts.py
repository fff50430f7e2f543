"""Attempts to deliver events, and the states of deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...values.entities import Scope, WebhookEndpoint
from ..statements.unit import Row, Unit, Value, execute, rows
from . import epochs

State: TypeAlias = Literal["waiting", "acknowledged", "exhausted", "dropped"]
"""A delivery is dropped when its endpoint was removed or disabled while it waited."""

ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """A delivery attempt.

    Attributes:
        number: counts from one.
        milliseconds: its duration.
        outcome: `acknowledged`, or the reason for the failure.
        status: that of the response, if any.
        next_at: when the next attempt was due; None after the last.
    """

    number: int
    made_at: int
    milliseconds: int
    outcome: str
    status: int | None
    next_at: int | None


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """A delivery, with its last attempt.

    Attributes:
        partner: the name.
        event_type: None if the event has been removed.
        last: None before the first attempt.
        due_at: when the next attempt is due, or the lease of the current one ends; None after the
            last attempt.
    """

    delivery_id: str
    scope: Scope
    partner: str
    endpoint_id: str
    event_id: str
    event_type: str | None
    attempts: int
    last: StoredAttempt | None
    due_at: int | None

    @property
    def state(self) -> State:
        """The state of the delivery."""
        if self.due_at is not None or self.last is None:
            return "waiting"
        if self.last.outcome == ACKNOWLEDGED:
            return "acknowledged"
        return "exhausted" if self.last.next_at is None else "dropped"


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """A filter for deliveries; None matches all."""

    delivery_id: str | None = None
    partner: str | None = None
    endpoint_id: str | None = None
    event_id: str | None = None
    state: State | None = None


_LAST = "a.number, a.made_at, a.milliseconds, a.outcome, a.status, a.next_at"
_OWNER = (
    " JOIN partners p ON p.partner_id = d.partner_id"
    " JOIN accounts o ON o.partner_id = d.partner_id AND o.epoch = d.mode"
)
_WAITING = (
    f"SELECT d.*, d.attempts AS made, p.name, e.type, {_LAST} FROM deliveries d{_OWNER}"
    " LEFT JOIN events e ON e.event_id = d.event_id"
    " LEFT JOIN delivery_attempts a ON a.delivery_id = d.delivery_id AND a.number = d.attempts"
    " WHERE {} ORDER BY d.delivery_id DESC LIMIT $1"
)
# The last attempt of each delivery that is not waiting.
_ENDED = (
    "SELECT d.*, d.number AS made, CAST(NULL AS BIGINT) AS due_at, p.name, e.type"
    f" FROM delivery_attempts d{_OWNER}"
    " LEFT JOIN events e ON e.event_id = d.event_id"
    " WHERE NOT EXISTS (SELECT 1 FROM deliveries w WHERE w.delivery_id = d.delivery_id)"
    " AND NOT EXISTS (SELECT 1 FROM delivery_attempts later"
    " WHERE later.delivery_id = d.delivery_id AND later.number > d.number)"
    " AND {} ORDER BY d.delivery_id DESC LIMIT $1"
)
_ENDS: Mapping[State | None, str] = {
    None: "TRUE",
    "acknowledged": f"d.outcome = '{ACKNOWLEDGED}'",
    "exhausted": f"d.outcome <> '{ACKNOWLEDGED}' AND d.next_at IS NULL",
    "dropped": "d.next_at IS NOT NULL",
}


def add(
    delivery_id: str, event_id: str, endpoint: WebhookEndpoint, attempt: StoredAttempt
) -> Unit[None]:
    """Store an attempt.

    After a lost lease, two workers may have made the same attempt; an acknowledgement, which always
    counts, is then written last.
    """
    yield from execute(
        "INSERT INTO delivery_attempts (partner_id, mode, delivery_id, number, endpoint_id,"
        " event_id, made_at, milliseconds, outcome, status, next_at)"
        f" VALUES ($1, {epochs.EPOCH}, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        " ON CONFLICT (delivery_id, number) DO UPDATE SET made_at = excluded.made_at,"
        " milliseconds = excluded.milliseconds, outcome = excluded.outcome,"
        " status = excluded.status, next_at = excluded.next_at",
        endpoint.scope.partner_id,
        endpoint.scope.mode,
        delivery_id,
        attempt.number,
        endpoint.endpoint_id,
        event_id,
        attempt.made_at,
        attempt.milliseconds,
        attempt.outcome,
        attempt.status,
        attempt.next_at,
    )


def of(delivery_id: str) -> Unit[Sequence[StoredAttempt]]:
    """Return the attempts of a delivery, first to last."""
    result = yield from rows(
        "SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number", delivery_id
    )
    return [_attempt(row) for row in result]


def newest(wanted: DeliveryFilter, count: int) -> Unit[Sequence[DeliveryRecord]]:
    """Return deliveries, newest first."""
    where, parameters = _conditions(wanted)
    deliveries: list[DeliveryRecord] = []
    if wanted.state in (None, "waiting"):
        waiting = yield from rows(_WAITING.format(where), count, *parameters)
        deliveries += [_delivery(row) for row in waiting]
    if wanted.state != "waiting":
        where = f"{where} AND {_ENDS[wanted.state]}"
        ended = yield from rows(_ENDED.format(where), count, *parameters)
        deliveries += [_delivery(row) for row in ended]
    return sorted(deliveries, key=lambda record: record.delivery_id, reverse=True)[:count]


def remove_old(before_id: str, count: int) -> Unit[int]:
    """Remove some attempts of deliveries older than an id; return their number."""
    result = yield from rows(
        "DELETE FROM delivery_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number"
        " FROM delivery_attempts WHERE delivery_id < $1 ORDER BY delivery_id LIMIT $2)"
        " RETURNING number",
        *(before_id, count),
    )
    return len(result)


def _conditions(wanted: DeliveryFilter) -> tuple[str, Sequence[Value]]:
    columns = {
        "d.delivery_id": wanted.delivery_id,
        "p.name": wanted.partner,
        "d.endpoint_id": wanted.endpoint_id,
        "d.event_id": wanted.event_id,
    }
    filters = {column: value for column, value in columns.items() if value is not None}
    conditions = [f"{column} = ${number}" for number, column in enumerate(filters, start=2)]
    return " AND ".join(conditions) or "TRUE", tuple(filters.values())


def _delivery(record: Row) -> DeliveryRecord:
    return DeliveryRecord(
        delivery_id=record["delivery_id"],
        scope=epochs.scope_of(record),
        partner=record["name"],
        endpoint_id=record["endpoint_id"],
        event_id=record["event_id"],
        event_type=record["type"],
        attempts=record["made"],
        last=None if record["number"] is None else _attempt(record),
        due_at=record["due_at"],
    )


def _attempt(record: Row) -> StoredAttempt:
    return StoredAttempt(
        number=record["number"],
        made_at=record["made_at"],
        milliseconds=record["milliseconds"],
        outcome=record["outcome"],
        status=record["status"],
        next_at=record["next_at"],
    )
