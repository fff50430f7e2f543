"""The catalogue as orders and lists read it."""

from __future__ import annotations

from collections.abc import Sequence

from ...values.entities import Plan, TopupPlan
from ..statements.unit import Row, Unit, row, rows


def plan(plan_id: str) -> Unit[Plan | None]:
    """Find a plan."""
    record = yield from row("SELECT * FROM plans WHERE plan_id = $1", plan_id)
    return None if record is None else _plan(record)


def plans(
    country: str | None, coverage: str | None, after: str, count: int
) -> Unit[Sequence[Plan]]:
    """Return the plans for sale that follow an id, in ascending order."""
    # In the order of the narrower table, so that no other plans are read.
    listed = "c" if country else "p"
    result = yield from rows(
        "SELECT p.* FROM plans p"
        + (" JOIN plan_countries c ON c.plan_id = p.plan_id" if country else "")
        + f" WHERE p.available = 1 AND {listed}.plan_id > $1"
        + (" AND c.country = $3" if country else "")
        + (f" AND p.coverage = ${4 if country else 3}" if coverage else "")
        + f" ORDER BY {listed}.plan_id LIMIT $2",
        *(after, count),
        *filter(None, (country, coverage)),
    )
    return [_plan(record) for record in result]


def topup_plan(plan_id: str, topup_plan_id: str) -> Unit[tuple[TopupPlan, bool] | None]:
    """Return a top-up plan, and whether it is for eSIMs of a plan."""
    record = yield from row(
        "SELECT t.*, EXISTS (SELECT 1 FROM plan_topups o WHERE o.plan_id = $2"
        " AND o.topup_plan_id = t.topup_plan_id) AS offered"
        " FROM topup_plans t WHERE t.topup_plan_id = $1",
        *(topup_plan_id, plan_id),
    )
    return None if record is None else (_topup_plan(record), bool(record["offered"]))


def topup_plans(plan_id: str, after: str, count: int) -> Unit[Sequence[TopupPlan]]:
    """Return the top-up plans for eSIMs of a plan that follow an id, in ascending order."""
    result = yield from rows(
        "SELECT t.* FROM topup_plans t JOIN plan_topups o ON o.topup_plan_id = t.topup_plan_id"
        " WHERE o.plan_id = $1 AND t.available = 1 AND o.topup_plan_id > $2"
        " ORDER BY o.topup_plan_id LIMIT $3",
        *(plan_id, after, count),
    )
    return [_topup_plan(record) for record in result]


def _plan(record: Row) -> Plan:
    supported = record["topup_supported"]
    return Plan(
        plan_id=record["plan_id"],
        plan_type=record["plan_type"],
        coverage=record["coverage"],
        price=record["price"],
        data_bytes=record["data_bytes"],
        per_day=bool(record["per_day"]),
        validity_days=record["validity_days"],
        starts_on=record["starts_on"],
        topup_supported=None if supported is None else bool(supported),
        available=bool(record["available"]),
        body=record["body"],
    )


def _topup_plan(record: Row) -> TopupPlan:
    return TopupPlan(
        topup_plan_id=record["topup_plan_id"],
        plan_type=record["plan_type"],
        price=record["price"],
        data_bytes=record["data_bytes"],
        per_day=bool(record["per_day"]),
        validity_days=record["validity_days"],
        available=bool(record["available"]),
        body=record["body"],
    )
