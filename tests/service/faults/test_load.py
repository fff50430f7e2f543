"""Many requests at once, to one process on SQLite and to two on PostgreSQL."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from decimal import Decimal
from itertools import cycle
from pathlib import Path

import httpx2
import pytest

from partner_esim import AsyncEsimClient, models

from ..books import Books, books
from ..running import DEADLINE, Running, serving, until

pytestmark = pytest.mark.anyio

PLAN = "pln_ee-1gb-7d"
WRITERS = 8
ORDERS_EACH = 12
# Its eSIM is out of stock: it fails, is refunded, and has no event.
FAILING = {"sandbox_scenario": "out_of_stock"}


@pytest.fixture
async def known(ready: str, processes: list[Running]) -> AsyncIterator[Books]:
    async with books(ready) as opened:
        yield opened


@pytest.fixture
async def processes(ready: str, tmp_path: Path) -> AsyncIterator[list[Running]]:
    """All that serve one database: an SQLite file has room for one."""
    async with AsyncExitStack() as stack:
        count = 2 if ready.startswith("postgresql") else 1
        yield [stack.enter_context(serving(ready, tmp_path)) for _ in range(count)]


async def clients(stack: AsyncExitStack, each: list[Running], key: str) -> list[httpx2.AsyncClient]:
    return [
        await stack.enter_async_context(
            httpx2.AsyncClient(
                base_url=running.base_url,
                headers={"Authorization": f"Bearer {key}"},
                timeout=DEADLINE,
            )
        )
        for running in each
    ]


async def test_fifty_identical_orders_at_once_are_one(
    processes: list[Running], known: Books
) -> None:
    key = await known.key("acme")
    async with AsyncExitStack() as stack:
        https = cycle(await clients(stack, processes, key))
        body = {"plan_id": PLAN, "reference": "same", "quantity": 3}
        answers = await asyncio.gather(*(next(https).post("/orders", json=body) for _ in range(50)))
        late = await next(https).post("/orders", json=body)
        balance = (await next(https).get("/balance")).json()["balance_usd"]
        price = (await next(https).get(f"/plans/{PLAN}")).json()["price_usd"]
    made = [answer for answer in answers if answer.status_code == 201]
    first = [each for each in made if "idempotent-replay" not in each.headers]
    assert len(first) == 1
    assert {response.content for response in [*made, late]} == {first[0].content}
    assert late.headers["idempotent-replay"] == "true"
    for refused in (answer for answer in answers if answer.status_code != 201):
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "reference_in_progress"
        assert refused.headers["retry-after"] == "1"
    assert Decimal(balance) == Decimal(1000) - 3 * Decimal(price)
    await known.audit()


async def test_a_reader_who_polls_sees_each_event_once_in_order_and_without_gap(
    processes: list[Running], known: Books
) -> None:
    key = await known.key("acme")
    seen: list[str] = []
    settled = asyncio.Event()

    async def write(client: AsyncEsimClient, writer: int) -> None:
        for number in range(ORDERS_EACH):
            metadata = FAILING if number % 4 == 3 else {}
            await client.orders.create(
                plan_id=PLAN, reference=f"{writer}-{number}", metadata=metadata
            )

    async def poll(client: AsyncEsimClient, place: str) -> None:
        is_last = False
        while not is_last:
            is_settled = settled.is_set()
            page = await client.events.list(limit=7, cursor=place)
            for event in page.items:
                assert not isinstance(event, models.UnknownEvent)
                seen.append(event.id)
            place, is_last = page.next_cursor or "", is_settled and not page.items

    async with AsyncExitStack() as stack:
        each = [await stack.enter_async_context(running.async_client(key)) for running in processes]
        # The position before the first order.
        place = (await each[-1].events.list()).next_cursor or ""
        async with asyncio.TaskGroup() as group:
            group.create_task(poll(each[-1], place))
            async with asyncio.TaskGroup() as writers:
                for writer in range(WRITERS):
                    writers.create_task(write(each[writer % len(each)], writer))
            await until(known.is_settled)
            settled.set()
    assert len(seen) == WRITERS * ORDERS_EACH * 3 // 4
    # A page that was read too early would have left something out for good.
    assert seen == list(await known.feed("acme"))
    await known.audit()


async def test_the_601st_read_and_the_61st_write_have_to_wait(
    processes: list[Running], known: Books
) -> None:
    key = await known.key(secrets.token_hex(4), limit=None)
    async with AsyncExitStack() as stack:
        https = await clients(stack, processes, key)
        for method, path, limit in (("POST", "/sandbox/reset", 60), ("GET", "/balance", 600)):
            turns = cycle(https)
            answers = await asyncio.gather(
                *(next(turns).request(method, path) for _ in range(limit))
            )
            assert Counter(answer.status_code for answer in answers) == {200: limit}
            refused = await next(turns).request(method, path)
            assert refused.status_code == 429
            assert refused.json()["error"]["code"] == "rate_limited"
            assert 0 < int(refused.headers["retry-after"]) <= 60
