"""The catalogue that comes with the service, and errors in other catalogues."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from esim_service import catalogue
from esim_service.catalogue import Catalogue, CatalogueError

JsonObject = dict[str, object]


@pytest.fixture(scope="module")
def ours() -> Catalogue:
    return catalogue.load(catalogue.default_path())


def entries(value: object) -> Iterator[tuple[str, JsonObject]]:
    """Every whole plan or top-up plan among the examples of a document."""
    if isinstance(value, dict):
        if "price_usd" in value and "validity" in value and "$ref" not in str(value):
            yield str(value.get("plan_id") or value["topup_plan_id"]), value
        for each in value.values():
            yield from entries(each)
    elif isinstance(value, list):
        for each in value:
            yield from entries(each)


def mentioned(value: object) -> Iterator[str]:
    """Every id of a plan or top-up plan in the examples."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name.endswith("plan_id") and str(each).startswith(("pln_", "tpl_")):
                yield str(each)
            yield from mentioned(each)
    elif isinstance(value, list):
        for each in value:
            yield from mentioned(each)


def test_it_has_a_real_shape(ours: Catalogue) -> None:
    assert len(ours.plans) >= 300
    assert len({country for plan in ours.plans for country in plan.countries}) >= 60
    assert {plan.coverage for plan in ours.plans} == {"country", "regional", "global"}
    assert {plan.plan_type for plan in ours.plans} == {"fixed", "daily"}
    assert {plan.data.unlimited for plan in ours.plans} == {True, False}
    assert {plan.topup_supported for plan in ours.plans} == {True, False, None}
    with_topups = {plan_id for topup_plan in ours.topup_plans for plan_id in topup_plan.plan_ids}
    unknown = {plan.plan_id for plan in ours.plans if plan.topup_supported is None}
    assert unknown & with_topups
    assert unknown - with_topups


def test_prices_rise_with_the_allowance(ours: Catalogue) -> None:
    prices = {plan.plan_id: plan.price_usd for plan in ours.plans}
    for plan_id, price in prices.items():
        larger = plan_id.replace("-5gb-30d", "-10gb-30d")
        assert larger == plan_id or larger not in prices or price < prices[larger] < 3 * price


def test_it_has_what_the_examples_of_the_document_show(root: Path, ours: Catalogue) -> None:
    document = json.loads((root / "spec/openapi.json").read_text("utf-8"))
    known: dict[str, JsonObject] = {
        plan.plan_id: plan.model_dump(mode="json", by_alias=True) for plan in ours.plans
    }
    known |= {
        topup_plan.topup_plan_id: topup_plan.model_dump(
            mode="json", by_alias=True, exclude={"plan_ids"}
        )
        for topup_plan in ours.topup_plans
    }
    assert set(mentioned(document)) <= set(known)
    shown = list(entries(document))
    assert len(shown) >= 5
    for name, example in shown:
        assert known[name] == example


def test_an_order_of_twenty_takes_a_new_sandbox_below_its_threshold(ours: Catalogue) -> None:
    [plan] = [plan for plan in ours.plans if plan.plan_id == "pln_global-50gb-90d"]
    assert 0 < 1000 - 20 * plan.price_usd < 100


PLAN: JsonObject = {
    "plan_id": "pln_xx-1gb-7d",
    "name": "Nowhere 1 GB, 7 days",
    "plan_type": "fixed",
    "coverage": "country",
    "countries": ["XX"],
    "data": {"bytes": 1_000_000_000, "unlimited": False, "per_day": False, "fair_use": None},
    "validity": {"days": 7, "starts_on": "first_connection"},
    "networks": [{"country": "XX", "name": "Nowhere Mobile", "technologies": ["4G"]}],
    "price_usd": "1.50",
    "topup_supported": True,
    "updated_at": "2026-02-01T00:00:00Z",
}
TOPUP_PLAN: JsonObject = {
    "topup_plan_id": "tpl_xx-1gb-7d",
    "name": "Nowhere 1 GB, 7 days",
    "plan_type": "fixed",
    "data": PLAN["data"],
    "validity": {"days": 7, "starts_on": "purchase"},
    "price_usd": "1.40",
    "plan_ids": ["pln_xx-1gb-7d"],
}


def changed(entry: JsonObject, path: str, value: object) -> JsonObject:
    """A copy of an entry with another value at a dotted path."""
    copy: JsonObject = json.loads(json.dumps(entry))
    place = copy
    *steps, last = path.split(".")
    for step in steps:
        inner = place[step]
        if isinstance(inner, list):
            inner = inner[0]
        assert isinstance(inner, dict)
        place = inner
    place[last] = value
    return copy


def refusal(content: object) -> str:
    with pytest.raises(CatalogueError) as caught:
        catalogue.parse(json.dumps(content).encode(), "my.json")
    return str(caught.value)


def test_a_small_catalogue_is_accepted() -> None:
    content = json.dumps({"plans": [PLAN], "topup_plans": [TOPUP_PLAN]}).encode()
    assert catalogue.parse(content, "my.json").plans[0].plan_id == "pln_xx-1gb-7d"


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("plan_id", "PLN_1", ".plan_id"),
        ("name", " ", ".name"),
        ("price_usd", 1.5, ".price_usd"),
        ("price_usd", "1.5", ".price_usd"),
        ("price_usd", "0.00", ".price_usd"),
        ("price_usd", "-1.00", ".price_usd"),
        ("plan_type", "hourly", ".plan_type"),
        ("plan_type", "daily", ".validity.days"),
        ("coverage", "planet", ".coverage"),
        ("coverage", "regional", ".countries"),
        ("countries", ["xx"], ".countries[0]"),
        ("countries", ["XX", "XX"], ".countries"),
        ("countries", ["XX", "YY"], ".countries"),
        ("data.bytes", None, ".data.bytes"),
        ("data.bytes", 0, ".data.bytes"),
        ("data.bytes", "1", ".data.bytes"),
        ("data.unlimited", True, ".data.bytes"),
        ("validity.days", None, ".validity.days"),
        ("validity.days", 366, ".validity.days"),
        ("validity.starts_on", "some_day", ".validity.starts_on"),
        ("networks", [], ".networks"),
        ("networks.country", "YY", ".networks[0].country"),
        ("networks.technologies", [], ".networks[0].technologies"),
        ("topup_supported", False, "topup_plans[0] (tpl_xx-1gb-7d).plan_ids[0]"),
        ("updated_at", "yesterday", ".updated_at"),
        ("colour", "red", ".colour"),
    ],
)
def test_a_plan_that_breaks_a_rule_is_refused(path: str, value: object, place: str) -> None:
    message = refusal({"plans": [changed(PLAN, path, value)], "topup_plans": [TOPUP_PLAN]})
    assert message.startswith("my.json: ")
    assert place in message


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("topup_plan_id", "pln_1", ".topup_plan_id"),
        ("plan_ids", [], ".plan_ids"),
        ("plan_ids", ["pln_yy"], ".plan_ids[0]"),
        ("plan_ids", ["pln_xx-1gb-7d"] * 2, ".plan_ids[1]"),
        ("price_usd", "0.00", ".price_usd"),
        ("data.bytes", None, ".data.bytes"),
    ],
)
def test_a_top_up_plan_that_breaks_a_rule_is_refused(path: str, value: object, place: str) -> None:
    message = refusal({"plans": [PLAN], "topup_plans": [changed(TOPUP_PLAN, path, value)]})
    assert f"my.json: topup_plans[0]{'' if path == 'topup_plan_id' else ' (tpl_xx'}" in message
    assert place in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"plans": [], "topup_plans": []}, "plans: there must be at least one plan"),
        ({"plans": [PLAN]}, "topup_plans: Field required"),
        ({"plans": [PLAN, PLAN], "topup_plans": [TOPUP_PLAN]}, "plans[1] (pln_xx-1gb-7d).plan_id"),
        (
            {"plans": [PLAN], "topup_plans": [TOPUP_PLAN] * 2},
            "topup_plans[1] (tpl_xx-1gb-7d).topup_plan_id: duplicate id",
        ),
        ({"plans": [PLAN], "topup_plans": []}, "plans[0] (pln_xx-1gb-7d).topup_supported: is true"),
        ([], "document: "),
    ],
)
def test_a_catalogue_that_does_not_fit_together_is_refused(content: object, words: str) -> None:
    assert words in refusal(content)


def test_a_daily_plan_renews_its_allowance_daily() -> None:
    daily = changed(changed(PLAN, "plan_type", "daily"), "validity.days", None)
    message = refusal({"plans": [daily], "topup_plans": [TOPUP_PLAN]})
    assert (
        message == "my.json: plans[0] (pln_xx-1gb-7d).data.per_day: must be true for a daily plan"
    )


def test_many_faults_are_counted() -> None:
    plans = [changed(PLAN, "price_usd", "0.00") for _ in range(25)]
    lines = refusal({"plans": plans, "topup_plans": [TOPUP_PLAN]}).splitlines()
    assert len(lines) == 21
    assert lines[-1].endswith("more")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not valid JSON"),
        (b"\xff{}", "not UTF-8"),
        (b'{"plans": [], "plans": []}', "duplicate property 'plans'"),
        (b"[" * 100_000, "not valid JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_what_is_not_json_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(CatalogueError, match=r"^my\.json: ") as caught:
        catalogue.parse(data, "my.json")
    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"none\.json: No such file"):
        catalogue.load(tmp_path / "none.json")
