"""A complete session of a new user with the service, through the generated client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import httpx2
import pytest

from partner_esim import AsyncEsimClient, models, webhooks
from partner_esim.errors import ServerError

from .balancer import balancer
from .receiver import Authority, Receiver, answer, receiver
from .running import DEADLINE, Running, serving

pytestmark = pytest.mark.anyio
T = TypeVar("T")

PLAN = "pln_jp-5gb-30d"
TOPUP_PLAN = "tpl_jp-3gb-30d"
SCENARIOS = ("activate_fast", "deplete_fast", "expire_fast", "out_of_stock")


async def eventually(look: Callable[[], Awaitable[T | None]]) -> T:
    """Look until there is something to see."""
    async with asyncio.timeout(DEADLINE):
        while not (seen := await look()):
            await asyncio.sleep(0.05)
    return seen


@pytest.fixture
async def hooks(tmp_path: Path) -> AsyncIterator[tuple[Receiver, Path]]:
    authority = Authority(tmp_path)
    async with receiver(authority.context("localhost"), answer("204 No Content")) as opened:
        yield opened, authority.file


@pytest.fixture(params=[("sqlite", 1), ("postgres", 1), ("postgres", 3)], ids=str)
def places(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The database of each process that serves."""
    kind, processes = request.param
    place = str(tmp_path / "service.db")
    return [request.getfixturevalue("postgres_url") if kind == "postgres" else place] * processes


@pytest.fixture
async def running(
    places: list[str], tmp_path: Path, hooks: tuple[Receiver, Path]
) -> AsyncIterator[Running]:
    """One process, or several that take turns with the requests."""
    variables = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8,::1/128",
        "ESIM_WEBHOOK_CA_FILE": str(hooks[1]),
    }
    with ExitStack() as stack:
        started = [stack.enter_context(serving(place, tmp_path, **variables)) for place in places]
        async with balancer([each.base_url for each in started]) as base_url:
            started[0].base_url = base_url
            yield started[0]


def delivered(hook: Receiver, secret: str) -> list[models.Event]:
    """The events that have arrived, each verified."""
    return [
        webhooks.parse(request.body, request.headers, secret) for request in list(hook.requests)
    ]


async def test_the_session_of_the_readme(running: Running, hooks: tuple[Receiver, Path]) -> None:
    hook, _ = hooks
    key = await asyncio.to_thread(running.key)
    async with AsyncEsimClient(key, base_url=running.base_url, max_retries=0) as client:
        plans = [plan async for plan in await client.plans.list(country="FR")]
        assert {plan.coverage for plan in plans} == {"country", "regional", "global"}
        endpoint = await client.webhook_endpoints.create(url=f"https://localhost:{hook.port}/hook")
        secret = endpoint.signing_secret
        accepted = await client.webhook_endpoints.test(endpoint.id)

        async def tested() -> bool:
            return accepted.event_id in [_id(each) for each in delivered(hook, secret)]

        await eventually(tested)
        start = (await client.balance.get()).balance_usd
        order = await client.orders.create(plan_id=PLAN, reference="trip-1", quantity=2)
        headers = {"Authorization": f"Bearer {key}"}
        body = {"plan_id": PLAN, "reference": "trip-1", "quantity": 2}
        async with httpx2.AsyncClient(base_url=running.base_url, headers=headers) as raw:
            again = await raw.post("/orders", json=body)
        assert again.headers["idempotent-replay"] == "true"
        assert models.Order.model_validate_json(again.content) == order

        async def esims() -> list[models.Esim]:
            return list((await client.esims.list(order_id=order.order_id)).items)

        first, second = await eventually(esims)
        assert first.iccid != second.iccid
        topup = await client.topups.create(
            first.iccid, topup_plan_id=TOPUP_PLAN, reference="more-1"
        )
        assert topup.balance_after_usd == start - order.total_usd - topup.total_usd
        assert (await client.balance.get()).balance_usd == topup.balance_after_usd

        for scenario in SCENARIOS:
            await client.orders.create(
                plan_id=PLAN, reference=scenario, metadata={"sandbox_scenario": scenario}
            )
        with pytest.raises(ServerError) as refused:
            await client.orders.create(
                plan_id=PLAN, reference="r", metadata={"sandbox_scenario": "upstream_502"}
            )
        assert (refused.value.status, refused.value.code) == (502, "upstream_error")

        # What is left would pay for two days less than this: the balance falls below 100.
        left = (await client.balance.get()).balance_usd
        price = (await client.plans.get("pln_asia-daily-1gb")).price_usd
        days = int((left - Decimal(50)) / price / 20) or 1
        await client.orders.create(
            plan_id="pln_asia-daily-1gb", reference="all", days=days, quantity=20
        )
        wanted = set(endpoint.event_types)

        async def complete() -> bool:
            return wanted <= {each.type for each in delivered(hook, secret)}

        await eventually(complete)
        feed = [event async for event in await client.events.list()]

        async def same() -> bool:
            nonlocal feed
            feed = [event async for event in await client.events.list()]
            return {_id(each) for each in feed} == {_id(each) for each in delivered(hook, secret)}

        await eventually(same)
        by_id = {_id(each): each for each in delivered(hook, secret)}
        assert all(by_id[_id(each)] == each for each in feed)
        failed = [each async for each in await client.orders.list(reference="out_of_stock")]
        assert [each.status for each in failed] == ["failed"]

        reset = await client.sandbox.reset()
        assert reset.balance_usd == Decimal("1000.00")
        assert not (await client.esims.list()).items
        assert [
            webhook_endpoint.id async for webhook_endpoint in await client.webhook_endpoints.list()
        ] == [endpoint.id]
    log = str(running.log())
    assert secret not in log and key not in log


def _id(event: models.Event) -> str:
    assert not isinstance(event, models.UnknownEvent)
    return event.id
