"""The catalogue as loaded and listed by operators."""

from __future__ import annotations

from collections.abc import Sequence

from partner_esim.models import Plan

from ...catalogue import Catalogue, EligibleTopupPlan
from ...values.money import from_decimal
from ..statements.unit import Unit, Value, execute, row, rows

_BATCH = 200
_TOPUP_COLUMNS = (
    "topup_plan_id plan_type price data_bytes per_day validity_days available body".split()
)
_PLAN_COLUMNS = (
    "plan_id plan_type coverage price data_bytes per_day validity_days starts_on topup_supported"
    " available body"
).split()


def replace(catalogue: Catalogue) -> Unit[None]:
    """Store a catalogue; plans that it lacks can no longer be bought, but orders keep them."""
    for sql in (
        "UPDATE plans SET available = 0",
        "UPDATE topup_plans SET available = 0",
        "DELETE FROM plan_countries",
        "DELETE FROM plan_topups",
    ):
        yield from execute(sql)
    yield from _write("plans", _PLAN_COLUMNS, [_plan(plan) for plan in catalogue.plans])
    topup_plans = [_topup_plan(topup_plan) for topup_plan in catalogue.topup_plans]
    yield from _write("topup_plans", _TOPUP_COLUMNS, topup_plans)
    countries = [(country, plan.plan_id) for plan in catalogue.plans for country in plan.countries]
    yield from _write("plan_countries", ["country", "plan_id"], countries)
    eligible = [
        (plan_id, topup_plan.topup_plan_id)
        for topup_plan in catalogue.topup_plans
        for plan_id in topup_plan.plan_ids
    ]
    yield from _write("plan_topups", ["plan_id", "topup_plan_id"], eligible)


def is_empty() -> Unit[bool]:
    """Return whether no catalogue was ever loaded."""
    return (yield from row("SELECT plan_id FROM plans LIMIT 1")) is None


def for_sale() -> Unit[Sequence[bytes]]:
    """Return the plans for sale in the contract's format, in order of their ids."""
    result = yield from rows("SELECT body FROM plans WHERE available = 1 ORDER BY plan_id")
    return [record["body"] for record in result]


def _write(table: str, columns: Sequence[str], entries: Sequence[tuple[Value, ...]]) -> Unit[None]:
    key, *others = columns
    changes = ", ".join(f"{name} = excluded.{name}" for name in others)
    # The tables of pairs were emptied before, so they cannot have conflicts.
    conflict = f" ON CONFLICT ({key}) DO UPDATE SET {changes}" if "body" in columns else ""
    head = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "
    for start in range(0, len(entries), _BATCH // len(columns)):
        batch = entries[start : start + _BATCH // len(columns)]
        numbers = range(1, len(columns) * len(batch) + 1)
        places = [f"${number}" for number in numbers]
        groups = (
            ", ".join(places[at : at + len(columns)]) for at in range(0, len(places), len(columns))
        )
        values = ", ".join(f"({group})" for group in groups)
        yield from execute(head + values + conflict, *(value for row in batch for value in row))


def _plan(plan: Plan) -> tuple[Value, ...]:
    supported = plan.topup_supported
    return (
        plan.plan_id,
        plan.plan_type,
        plan.coverage,
        from_decimal(plan.price_usd),
        plan.data.bytes,
        int(plan.data.per_day),
        plan.validity.days,
        plan.validity.starts_on,
        None if supported is None else int(supported),
        1,
        plan.model_dump_json(by_alias=True).encode(),
    )


def _topup_plan(plan: EligibleTopupPlan) -> tuple[Value, ...]:
    return (
        plan.topup_plan_id,
        plan.plan_type,
        from_decimal(plan.price_usd),
        plan.data.bytes,
        int(plan.data.per_day),
        plan.validity.days,
        1,
        plan.model_dump_json(by_alias=True, exclude={"plan_ids"}).encode(),
    )
