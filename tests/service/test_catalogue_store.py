"""A catalogue in the database: all of it, and only entries of old ones that orders need."""

import json
from functools import partial

import pytest

from esim_service import catalogue
from esim_service.catalogue import Catalogue
from esim_service.store.changes.database import Database
from esim_service.store.statements.unit import rows
from esim_service.store.tables.catalogue import replace
from partner_esim.models import Plan, TopupPlan

pytestmark = pytest.mark.anyio

PLANS = "SELECT * FROM plans ORDER BY plan_id"
TOPUP_PLANS = "SELECT * FROM topup_plans ORDER BY topup_plan_id"


@pytest.fixture(scope="module")
def ours() -> Catalogue:
    return catalogue.load(catalogue.default_path())


def part(whole: Catalogue, prefix: str) -> Catalogue:
    """The plans of one place, with their top-up plans."""
    return Catalogue(
        plans=[plan for plan in whole.plans if plan.plan_id.startswith(f"pln_{prefix}-")],
        topup_plans=[
            topup_plan
            for topup_plan in whole.topup_plans
            if topup_plan.topup_plan_id.startswith(f"tpl_{prefix}-")
        ],
    )


async def test_every_entry_is_stored_as_the_contract_writes_it(
    database: Database, ours: Catalogue
) -> None:
    await database.write(partial(replace, ours))
    plans = await database.read(partial(rows, PLANS))
    topup_plans = await database.read(partial(rows, TOPUP_PLANS))
    assert [Plan.model_validate_json(plan["body"]) for plan in plans] == ours.plans
    assert [
        TopupPlan.model_validate_json(topup_plan["body"]).model_dump(mode="json")
        for topup_plan in topup_plans
    ] == [
        topup_plan.model_dump(mode="json", exclude={"plan_ids"}) for topup_plan in ours.topup_plans
    ]
    assert all("plan_ids" not in json.loads(topup_plan["body"]) for topup_plan in topup_plans)


async def test_the_columns_say_what_the_entry_says(database: Database, ours: Catalogue) -> None:
    await database.write(partial(replace, ours))
    found = await database.read(partial(rows, PLANS + " LIMIT 1000"))
    plan = next(dict(each) for each in found if each["plan_id"] == "pln_jp-5gb-30d")
    del plan["body"]
    assert plan == {
        "plan_id": "pln_jp-5gb-30d",
        "plan_type": "fixed",
        "coverage": "country",
        "price": 45_000,
        "data_bytes": 5_000_000_000,
        "per_day": 0,
        "validity_days": 30,
        "starts_on": "first_connection",
        "topup_supported": 1,
        "available": 1,
    }
    assert {row["topup_supported"] for row in found} == {1, 0, None}


async def test_plans_are_found_by_country_and_top_ups_by_plan(
    database: Database, ours: Catalogue
) -> None:
    await database.write(partial(replace, ours))
    found = await database.read(
        partial(rows, "SELECT plan_id FROM plan_countries WHERE country = $1", "FR")
    )
    wanted = {plan.plan_id for plan in ours.plans if "FR" in plan.countries}
    assert {row["plan_id"] for row in found} == wanted
    found = await database.read(
        partial(rows, "SELECT topup_plan_id FROM plan_topups WHERE plan_id = $1", "pln_jp-5gb-30d")
    )
    assert {row["topup_plan_id"] for row in found} == {"tpl_jp-3gb-30d", "tpl_jp-daily-1gb"}


async def test_what_the_new_catalogue_lacks_is_kept_but_not_for_sale(
    database: Database, ours: Catalogue
) -> None:
    japan, france = part(ours, "jp"), part(ours, "fr")
    await database.write(partial(replace, japan))
    await database.write(partial(replace, france))
    plans = await database.read(partial(rows, PLANS))
    assert {plan["plan_id"] for plan in plans if plan["available"]} == {
        plan.plan_id for plan in france.plans
    }
    assert {plan["plan_id"] for plan in plans if not plan["available"]} == {
        plan.plan_id for plan in japan.plans
    }
    topup_plans = await database.read(partial(rows, TOPUP_PLANS))
    assert {
        topup_plan["topup_plan_id"] for topup_plan in topup_plans if topup_plan["available"]
    } == {topup_plan.topup_plan_id for topup_plan in france.topup_plans}
    countries = await database.read(partial(rows, "SELECT DISTINCT country FROM plan_countries"))
    assert [country["country"] for country in countries] == ["FR"]
    pairs = await database.read(partial(rows, "SELECT plan_id FROM plan_topups"))
    assert {pair["plan_id"] for pair in pairs} == {
        plan_id for topup_plan in france.topup_plans for plan_id in topup_plan.plan_ids
    }


async def test_a_changed_entry_replaces_the_old_one(database: Database, ours: Catalogue) -> None:
    japan = part(ours, "jp")
    await database.write(partial(replace, japan))
    dearer = japan.model_copy(deep=True)
    for plan in dearer.plans:
        plan.price_usd *= 2
    await database.write(partial(replace, dearer))
    plans = await database.read(partial(rows, PLANS))
    assert [Plan.model_validate_json(plan["body"]) for plan in plans] == dearer.plans
    assert [plan["price"] for plan in plans] == [int(p.price_usd * 10_000) for p in dearer.plans]
