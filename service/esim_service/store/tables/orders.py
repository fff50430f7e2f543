"""Orders, and the stored responses of idempotent operations."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...values.entities import Failure, Order, Scope
from ..statements.unit import Row, Unit, execute, row, rows
from . import epochs
from .epochs import OF_ACCOUNT


def stored_response(
    scope: Scope, operation: str, reference: str
) -> Unit[tuple[bytes, bytes, int] | None]:
    """Return payload, body and version of the payload of the request that succeeded."""
    record = yield from row(
        f"SELECT payload, body, payload_version FROM answers WHERE {OF_ACCOUNT}"
        " AND operation = $3 AND reference = $4",
        *(scope.partner_id, scope.mode, operation, reference),
    )
    if record is None:
        return None
    return record["payload"], record["body"], record["payload_version"]


def add_response(
    scope: Scope, operation: str, reference: str, payload: bytes, version: int, body: bytes
) -> Unit[None]:
    """Store the response to a request."""
    yield from epochs.insert(
        "answers",
        scope,
        operation=operation,
        reference=reference,
        payload=payload,
        payload_version=version,
        body=body,
    )


def add(order: Order) -> Unit[None]:
    """Store a new order."""
    end_user = json.dumps({"label": order.end_user_label}) if order.has_end_user else None
    yield from epochs.insert(
        "orders",
        order.scope,
        order_id=order.order_id,
        reference=order.reference,
        status=order.status,
        plan_id=order.plan_id,
        quantity=order.quantity,
        days=order.days,
        unit_price=order.unit_price,
        total=order.total,
        iccids=" ".join(order.iccids),
        end_user=end_user,
        metadata=json.dumps(dict(order.metadata)),
        created_at=order.created_at,
    )


def finish(order: Order) -> Unit[None]:
    """Store the outcome of an order."""
    failure = order.failure
    yield from execute(
        "UPDATE orders SET status = $2, iccids = $3, failure_code = $4, failure_message = $5,"
        " completed_at = $6 WHERE order_id = $1",
        order.order_id,
        order.status,
        " ".join(order.iccids),
        failure.code if failure else None,
        failure.message if failure else None,
        order.completed_at,
    )


def find(scope: Scope, order_id: str) -> Unit[Order | None]:
    """Find an order of a partner."""
    record = yield from row(
        f"SELECT * FROM orders WHERE {OF_ACCOUNT} AND order_id = $3",
        *(scope.partner_id, scope.mode, order_id),
    )
    return None if record is None else from_row(record)


def page(scope: Scope, reference: str | None, before: str, count: int) -> Unit[Sequence[Order]]:
    """Return the orders of a partner that are older than an id, newest first."""
    if reference is None:
        result = yield from rows(
            f"SELECT * FROM orders WHERE {OF_ACCOUNT} AND order_id < $3"
            " ORDER BY order_id DESC LIMIT $4",
            *(scope.partner_id, scope.mode, before, count),
        )
    else:
        # At most one. In the order of references, PostgreSQL can only use their index; without
        # statistics, that of ids would seem as good.
        result = yield from rows(
            f"SELECT * FROM orders WHERE {OF_ACCOUNT} AND reference >= $3 AND reference <= $3"
            " ORDER BY reference",
            *(scope.partner_id, scope.mode, reference),
        )
    return [from_row(record) for record in result if record["order_id"] < before]


def from_row(record: Row) -> Order:
    """Return the order in a row of its table."""
    end_user, code = record["end_user"], record["failure_code"]
    return Order(
        order_id=record["order_id"],
        scope=epochs.scope_of(record),
        reference=record["reference"],
        status=record["status"],
        plan_id=record["plan_id"],
        quantity=record["quantity"],
        days=record["days"],
        unit_price=record["unit_price"],
        total=record["total"],
        iccids=tuple(record["iccids"].split()),
        has_end_user=end_user is not None,
        end_user_label=json.loads(end_user)["label"] if end_user else None,
        metadata=json.loads(record["metadata"]),
        failure=Failure(code, record["failure_message"]) if code else None,
        created_at=record["created_at"],
        completed_at=record["completed_at"],
    )
