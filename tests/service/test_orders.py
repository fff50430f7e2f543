"""Orders, top-ups, events and the ledger as units, on both databases."""

import asyncio
import json
from decimal import Decimal
from functools import partial

import pytest

from esim_service import catalogue
from esim_service.domain import bodies, endpoints, orders, partners, sandbox, topups
from esim_service.domain import events as feed
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import epochs, esims
from esim_service.values.clock import DAY
from esim_service.values.entities import Failure
from esim_service.values.money import from_decimal
from partner_esim.server import Problem

from .world import DAILY, FIXED, World

pytestmark = pytest.mark.anyio

FORGOTTEN = (*epochs.TABLES, "ended_epochs")


async def test_an_order_is_charged_once_and_replayed_byte_for_byte(world: World) -> None:
    before = await world.balance()
    first = await world.order("r1", quantity=2)
    second = await world.order("r1", quantity=2)
    order = json.loads(first.body)
    assert (first.is_replay, second.is_replay) == (False, True)
    assert second.body == first.body
    assert order["status"] == "processing"
    assert order["end_user"] == {"label": "é\0"}
    assert before - await world.balance() == from_decimal(Decimal(order["total_usd"]))


async def test_an_order_is_shown_as_it_was_answered(world: World) -> None:
    answered = await world.order("r1", plan_id=DAILY, days=3, quantity=2, scenario="slow_order")
    shown = await world.shown(json.loads(answered.body)["order_id"])
    assert bodies.encoded(bodies.order(shown)) == answered.body


async def test_a_reference_with_another_payload_is_refused(world: World) -> None:
    await world.order("r1")
    with pytest.raises(Problem) as raised:
        await world.order("r1", quantity=2)
    assert raised.value.code == "reference_reused"


async def test_many_identical_orders_at_once_are_one(world: World) -> None:
    before = await world.balance()
    answers = await asyncio.gather(
        *(world.order("same") for _ in range(50)), return_exceptions=True
    )
    made = [answer for answer in answers if isinstance(answer, StoredResponse)]
    assert len([each for each in made if not each.is_replay]) == 1
    assert len({each.body for each in made}) == 1
    others = {answer.code for answer in answers if isinstance(answer, Problem)}
    assert others <= {"reference_in_progress"}
    price = from_decimal(Decimal(json.loads(made[0].body)["total_usd"]))
    assert before - await world.balance() == price


def nothing_yet(request: IdempotentRequest) -> Unit[None]:
    """Find no answer, as before the other process commits."""
    yield from ()


@pytest.mark.parametrize("kind", ["order", "topup"])
async def test_who_loses_a_race_for_a_reference_is_charged_nothing(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (iccid,) = await world.completed("esim")
    buy = partial(world.top_up, "r", iccid) if kind == "topup" else partial(world.order, "r")
    won = await buy()
    balance, jobs = await world.balance(), await world.count("jobs")
    for module in (orders, topups):
        monkeypatch.setattr(module, "replay", nothing_yet)
    # No other call can take the reference while the account is held; the table ensures it, too.
    with pytest.raises(Exception, match=r"(?i)unique"):
        await buy()
    assert (await world.balance(), await world.count("jobs")) == (balance, jobs)
    monkeypatch.undo()
    assert (await buy()).body == won.body


async def test_a_refused_order_leaves_the_reference_free(world: World) -> None:
    with pytest.raises(Problem) as raised:
        await world.order("r1", mode="live")
    assert raised.value.code == "insufficient_balance"
    assert raised.value.details[0]["balance_usd"] == "0.00"
    await world.database.write(
        lambda: partners.credit(world.scope("live"), 10_000_000, world.stamp())
    )
    assert not (await world.order("r1", mode="live")).is_replay


@pytest.mark.parametrize(
    ("plan_id", "days", "code"),
    [
        ("pln_none", None, "plan_not_found"),
        (DAILY, None, "days_required"),
        (FIXED, 3, "days_not_allowed"),
    ],
)
async def test_the_rules_of_a_plan(world: World, plan_id: str, days: int, code: str) -> None:
    with pytest.raises(Problem) as raised:
        await world.order("r1", plan_id=plan_id, days=days)
    assert raised.value.code == code
    assert await world.count("orders") == await world.count("answers") == 0


async def test_a_daily_plan_costs_price_times_days_times_quantity(world: World) -> None:
    body = json.loads((await world.order("r1", plan_id=DAILY, days=3, quantity=2)).body)
    assert Decimal(body["total_usd"]) == Decimal(body["unit_price_usd"]) * 6


async def test_an_order_is_completed_once_with_its_event(world: World) -> None:
    numbers = await world.completed("r1", quantity=2)
    (event,) = await world.events()
    body = json.loads(event.body)
    assert (body["type"], body["mode"]) == ("order.completed", "test")
    assert body["data"]["iccids"] == numbers
    assert await world.count("esims") == 2


async def test_a_failed_order_is_refunded_once(world: World) -> None:
    before = await world.balance()
    order_id = json.loads((await world.order("r1", quantity=2)).body)["order_id"]
    assert await world.balance() < before
    failure = Failure("out_of_stock", "None left.")
    for _ in range(2):
        await world.change(order_id, partial(orders.fail, order_id, failure))
    assert await world.balance() == before
    assert await world.events() == []


async def test_a_top_up_adds_data_and_says_what_is_left(world: World) -> None:
    (iccid,) = await world.completed("r1")
    answered = await world.top_up("t1", iccid)
    body = json.loads(answered.body)
    assert from_decimal(Decimal(body["balance_after_usd"])) == await world.balance()
    before = await world.esim(iccid)
    for _ in range(2):
        await world.change(iccid, partial(topups.complete, body["topup_id"]))
    after = await world.esim(iccid)
    assert (after.total_bytes or 0) - (before.total_bytes or 0) == body["data_bytes"]
    assert [event.type for event in await world.events()] == ["order.completed", "topup.completed"]


async def test_a_top_up_whose_esim_ends_meanwhile_is_refunded_once(world: World) -> None:
    (iccid,) = await world.completed("r1")
    before = await world.balance()
    topup_id = json.loads((await world.top_up("t1", iccid)).body)["topup_id"]
    await world.database.write(partial(execute, "UPDATE esims SET status = 'expired'"))
    for end in (topups.complete, topups.fail, topups.fail, topups.complete):
        await world.change(iccid, partial(end, topup_id))
    assert await world.balance() == before
    assert [event.type for event in await world.events()] == ["order.completed"]


async def test_a_top_up_plan_that_is_not_for_sale_is_told_from_one_for_other_esims(
    world: World,
) -> None:
    goods = catalogue.load(catalogue.default_path())
    (iccid,) = await world.completed("r1")
    kept = [
        topup_plan
        for topup_plan in goods.topup_plans
        if topup_plan.topup_plan_id == "tpl_jp-3gb-30d"
    ]
    kept[0].plan_ids = ["pln_jp-1gb-7d"]
    for topup_plans, code in (kept, "esim_not_eligible"), ([], "plan_unavailable"):
        await world.sell(catalogue.Catalogue(plans=goods.plans, topup_plans=topup_plans))
        with pytest.raises(Problem) as raised:
            await world.top_up("t1", iccid)
        assert raised.value.code == code


async def test_a_daily_top_up_costs_and_gives_each_of_its_days(world: World) -> None:
    goods = catalogue.load(catalogue.default_path())
    for plan in goods.topup_plans:
        plan.plan_type, plan.data.per_day, plan.validity.days = "daily", True, None
    (iccid,) = await world.completed("r1")
    await world.sell(goods)
    before = await world.balance()
    with pytest.raises(Problem) as raised:
        await world.top_up("t0", iccid)
    assert raised.value.code == "days_required"
    one, three = [json.loads((await world.top_up(f"t{days}", iccid, days)).body) for days in (1, 3)]
    assert Decimal(three["total_usd"]) == 3 * Decimal(one["total_usd"]) > 0
    assert three["data_bytes"] == 3 * one["data_bytes"]
    paid = from_decimal(Decimal(one["total_usd"]) + Decimal(three["total_usd"]))
    assert before - await world.balance() == paid


async def test_a_top_up_before_the_activation_adds_its_days_for_good(world: World) -> None:
    (iccid,) = await world.completed("r1")
    before = await world.esim(iccid)
    topup_id = json.loads((await world.top_up("t1", iccid)).body)["topup_id"]
    await world.change(iccid, partial(topups.complete, topup_id))
    after = await world.esim(iccid)
    assert (after.validity_days, after.expires_at) == (
        before.validity_days + 30,
        before.expires_at,
    )


async def test_a_validity_that_starts_with_the_purchase_runs_at_once(world: World) -> None:
    goods = catalogue.load(catalogue.default_path())
    for plan in goods.plans:
        plan.validity.starts_on = "purchase"
    await world.sell(goods)
    (iccid,) = await world.completed("r1")
    esim = await world.esim(iccid)
    # No days are left for the activation to add.
    assert (esim.validity_days, esim.expires_at) == (0, esim.created_at + 30 * DAY)


async def test_an_esim_waits_a_year_for_its_activation(world: World) -> None:
    (iccid,) = await world.completed("r1")
    esim = await world.esim(iccid)
    assert (esim.validity_days, esim.expires_at) == (30, esim.created_at + 365 * DAY)


async def test_an_esim_of_another_mode_is_unknown(world: World) -> None:
    (iccid,) = await world.completed("r1")
    assert await world.database.read(partial(esims.find, world.scope("live"), iccid)) is None


async def test_balance_low_is_sent_on_each_fall_below_the_threshold(world: World) -> None:
    price = from_decimal(Decimal(json.loads((await world.order("r0")).body)["total_usd"]))
    spare = await world.balance() - partners.LOW_THRESHOLD
    await world.database.write(lambda: partners.credit(world.scope(), -spare, world.stamp()))
    await world.order("r1")
    await world.order("r2")
    assert [event.type for event in await world.events()] == ["balance.low"]
    await world.database.write(lambda: partners.credit(world.scope(), 2 * price, world.stamp()))
    await world.order("r3")
    assert [event.type for event in await world.events()] == ["balance.low"] * 2


async def test_a_new_account_is_not_low_until_it_falls(world: World) -> None:
    await world.credit(partners.LOW_THRESHOLD - 1)
    assert await world.events("live") == []


async def test_events_are_queued_for_the_endpoints_that_want_them(world: World) -> None:
    subscribe = partial(endpoints.register, world.scope(), "https://a.example")
    await world.database.write(partial(subscribe, None, "whsec_x", world.stamp()))
    await world.database.write(partial(subscribe, ["esim.usage"], "whsec_y", world.stamp()))
    await world.completed("r1")
    assert await world.count("deliveries") == 1


async def test_an_endpoint_lists_each_type_once(world: World) -> None:
    wanted = ["esim.usage", "order.completed", "esim.usage"]
    endpoint = await world.endpoint("https://a.example", wanted)
    assert endpoint.event_types == ("esim.usage", "order.completed")
    assert await world.endpoint_now(endpoint.endpoint_id) == endpoint


async def test_a_fourth_endpoint_is_refused_until_one_is_removed(world: World) -> None:
    async def register() -> str:
        endpoint = await world.database.write(
            lambda: endpoints.register(
                world.scope(), "https://a.example", None, "whsec_x", world.stamp()
            )
        )
        return endpoint.endpoint_id

    answers = await asyncio.gather(*(register() for _ in range(5)), return_exceptions=True)
    refused = [answer.code for answer in answers if isinstance(answer, Problem)]
    assert refused == ["webhook_endpoint_limit_reached"] * 2
    (known, *_) = [answer for answer in answers if isinstance(answer, str)]
    await world.database.write(lambda: endpoints.remove(world.scope(), known))
    await register()


async def test_a_long_queue_goes_with_its_endpoint_in_parts(world: World) -> None:
    endpoint = await world.endpoint("https://a.example")
    for number in range(5):
        await world.completed(f"r{number}")
    remove = partial(endpoints.remove, world.scope(), endpoint.endpoint_id, 2)
    assert await world.database.write(remove)
    clear = partial(endpoints.clear, endpoint.endpoint_id, 2)
    assert [await world.database.write(clear) for _ in range(2)] == [True, False]
    assert await world.count("deliveries") == 0


async def test_a_reset_forgets_orders_and_keeps_the_count_of_events(world: World) -> None:
    (iccid,) = await world.completed("r1")
    (event,) = await world.events()
    await world.top_up("t1", iccid)
    await world.endpoint("https://hooks.example")
    await world.order("r0")
    await world.reset()
    await world.remove_ended()
    left = {table: await world.count(table) for table in FORGOTTEN}
    assert left == dict.fromkeys(FORGOTTEN, 0)
    assert await world.count("webhook_endpoints") == 1
    assert await world.balance() == sandbox.TEST_BALANCE
    assert await world.events() == []
    assert not (await world.order("r1")).is_replay
    await world.completed("r2")
    (later,) = await world.events()
    assert later.sequence > event.sequence


async def test_the_feed_says_whether_there_is_more(world: World) -> None:
    for number in range(3):
        await world.completed(f"r{number}")
    pages = []
    second = feed.FeedPosition(2, (await world.events())[1].event_id)
    for after, limit in ((None, 2), (second, 2), (None, 3)):
        read = partial(feed.feed, world.scope(), after, None, limit)
        found, has_more, resume = await world.database.read(read)
        pages.append(([event.sequence for event in found], has_more, resume.sequence))
    assert pages == [([1, 2], True, 2), ([3], False, 3), ([1, 2, 3], False, 3)]


async def test_a_polling_reader_sees_every_event_once_and_in_order(world: World) -> None:
    seen: list[int] = []
    writers = asyncio.gather(*(world.completed(f"r{number}") for number in range(20)))
    position = None
    while not writers.done() or len(seen) < 20:
        found, _, position = await world.database.read(
            partial(feed.feed, world.scope(), position, None, 3)
        )
        seen += [event.sequence for event in found]
        await asyncio.sleep(0)
    await writers
    assert seen == list(range(1, 21))
