"""Puts a catalogue in the place of the one before."""

from __future__ import annotations

from typing import cast

from partner_esim import models

from ..catalogue import Catalogue, EligibleTopupPlan
from ..money import from_decimal
from ..store import plans as store
from ..store.unit import Unit
from . import bodies
from .entities import Plan, PlanType, TopupPlan


def install(catalogue: Catalogue) -> Unit[None]:
    """Store a catalogue; what it no longer has is kept for old orders, but not sold."""
    yield from store.withdraw_all()
    for plan in catalogue.plans:
        yield from store.put_plan(_plan(plan), plan.countries)
    for topup_plan in catalogue.topup_plans:
        yield from store.put_topup_plan(_topup_plan(topup_plan), topup_plan.plan_ids)


def _plan(plan: models.Plan) -> Plan:
    return Plan(
        plan_id=plan.plan_id,
        plan_type=cast("PlanType", plan.plan_type),
        coverage=plan.coverage,
        price=from_decimal(plan.price_usd),
        data_bytes=plan.data.bytes,
        per_day=plan.data.per_day,
        validity_days=plan.validity.days,
        starts_on=plan.validity.starts_on,
        topup_supported=plan.topup_supported,
        available=True,
        body=bodies.encoded(plan),
    )


def _topup_plan(plan: EligibleTopupPlan) -> TopupPlan:
    shown = models.TopupPlan(
        topup_plan_id=plan.topup_plan_id,
        name=plan.name,
        plan_type=plan.plan_type,
        data=plan.data,
        validity=plan.validity,
        price_usd=plan.price_usd,
    )
    return TopupPlan(
        topup_plan_id=plan.topup_plan_id,
        plan_type=cast("PlanType", plan.plan_type),
        price=from_decimal(plan.price_usd),
        data_bytes=plan.data.bytes,
        per_day=plan.data.per_day,
        validity_days=plan.validity.days,
        available=True,
        body=bodies.encoded(shown),
    )
