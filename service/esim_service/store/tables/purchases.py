"""Orders of all partners with their jobs, as operators see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...values.entities import Job, JobKind, Order
from ..statements.unit import Unit, Value, row, rows
from . import epochs, orders

KINDS: Sequence[JobKind] = ("provision", "topup")

Status: TypeAlias = Literal["processing", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class Purchase:
    """An order, and the job that completes it.

    Attributes:
        partner: the name.
        attempts: the number of failed requests to the carrier.
        due_at: when the carrier is asked next, or the lease of the current request ends; None once
            the order has ended.
    """

    order: Order
    partner: str
    attempts: int
    due_at: int | None


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """A filter for orders; None matches all.

    Attributes:
        min_attempts: the minimum number of failed requests to the carrier.
    """

    order_id: str | None = None
    partner: str | None = None
    status: Status | None = None
    min_attempts: int | None = None


def newest(wanted: OrderFilter, count: int) -> Unit[Sequence[Purchase]]:
    """Return orders, newest first."""
    values: Mapping[str, Value] = {
        "o.order_id =": wanted.order_id,
        "p.name =": wanted.partner,
        "o.status =": wanted.status,
        "j.attempts >=": wanted.min_attempts,
    }
    conditions = [condition for condition, value in values.items() if value is not None]
    where = "".join(
        f" AND {condition} ${number}" for number, condition in enumerate(conditions, start=2)
    )
    result = yield from rows(
        "SELECT o.*, p.name, j.attempts, j.due_at FROM orders o"
        " JOIN partners p ON p.partner_id = o.partner_id"
        " JOIN accounts a ON a.partner_id = o.partner_id AND a.epoch = o.mode"
        " LEFT JOIN jobs j ON j.subject_id = o.order_id AND j.kind = 'provision'"
        f" WHERE TRUE{where} ORDER BY o.order_id DESC LIMIT $1",
        *(count, *(values[condition] for condition in conditions)),
    )
    return [
        Purchase(orders.from_row(record), record["name"], record["attempts"] or 0, record["due_at"])
        for record in result
    ]


def job_about(subject_id: str) -> Unit[Job | None]:
    """Return the job of an order or a top-up that waits for the carrier, if any."""
    record = yield from row(
        "SELECT * FROM jobs WHERE subject_id = $1 AND kind IN ('provision', 'topup')", subject_id
    )
    if record is None:
        return None
    return Job(
        job_id=record["job_id"],
        scope=epochs.scope_of(record),
        kind=record["kind"],
        subject_id=subject_id,
        attempts=record["attempts"],
        due_at=record["due_at"],
    )


def without_jobs() -> Unit[Sequence[str]]:
    """Return the ids of orders and top-ups in progress that no job will finish."""
    result = yield from rows(
        "SELECT subject_id FROM ("
        "SELECT order_id AS subject_id, partner_id, mode FROM orders WHERE status = 'processing'"
        " UNION ALL SELECT topup_id, partner_id, mode FROM topups WHERE status = 'processing'"
        ") AS unfinished"
        # A reset has ended other epochs, whose jobs are removed first.
        " JOIN accounts o ON o.partner_id = unfinished.partner_id AND o.epoch = unfinished.mode"
        " WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.subject_id = unfinished.subject_id)"
        " ORDER BY subject_id"
    )
    return [record["subject_id"] for record in result]


def oldest() -> Unit[Mapping[JobKind, int]]:
    """Return the creation times of the oldest order and the oldest top-up that are not finished."""
    result = yield from rows(
        "SELECT j.kind, MIN(COALESCE("
        "(SELECT o.created_at FROM orders o WHERE o.order_id = j.subject_id),"
        " (SELECT t.created_at FROM topups t WHERE t.topup_id = j.subject_id))) AS since"
        " FROM jobs j WHERE j.kind IN ('provision', 'topup') GROUP BY j.kind"
    )
    return {record["kind"]: record["since"] for record in result}
