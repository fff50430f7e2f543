"""Lists are in the declared order of `created_at`, even if clocks are set back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial

import pytest

from esim_service.domain import events as feed
from esim_service.domain import partners
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.tables import esims
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.store.tables import partners as accounts
from esim_service.values.clock import HOUR, Clock, SystemClock
from esim_service.values.ids import Ids

from .manual_clock import ManualClock
from .world import World

pytestmark = pytest.mark.anyio

WRITERS = 8
ORDERS = 10


async def dates(world: World) -> tuple[list[int], list[int], list[datetime]]:
    """The dates of all orders and eSIMs as their lists show them, and of all events."""
    orders = await world.database.read(partial(order_store.page, world.scope(), None, "~", 1000))
    made = await world.database.read(partial(esims.page, world.scope(), None, "~", 1000))
    events, _, _ = await world.database.read(partial(feed.feed, world.scope(), None, None, 1000))
    return (
        [order.created_at for order in orders],
        [esim.created_at for esim in made],
        [datetime.fromisoformat(json.loads(event.body)["created_at"]) for event in events],
    )


@asynccontextmanager
async def colleague(url: str, first: World) -> AsyncIterator[World]:
    """The same partner in another process."""
    database = await PostgresDatabase.open(url)
    clock: Clock = SystemClock()
    world = World(database, clock, Ids(clock))
    world.partner_id = first.partner_id
    try:
        yield world
    finally:
        await database.close()


async def test_many_writers_keep_the_order_of_dates(
    postgres: PostgresDatabase, postgres_url: str
) -> None:
    clock = SystemClock()
    first = World(postgres, clock, Ids(clock))
    await first.prepare()
    await first.credit(10_000_000_0000, "test")
    async with AsyncExitStack() as stack:
        writers = [
            await stack.enter_async_context(colleague(postgres_url, first)) for _ in range(WRITERS)
        ]

        async def write(number: int) -> None:
            for turn in range(ORDERS):
                await writers[number].completed(f"r{number}-{turn}")

        await asyncio.gather(*map(write, range(WRITERS)))
    orders, made, events = await dates(first)
    assert len(orders) == len(made) == len(events) == WRITERS * ORDERS
    assert orders == sorted(orders, reverse=True)
    assert made == sorted(made, reverse=True)
    assert events == sorted(events)


async def test_a_clock_that_is_set_back_changes_no_order(world: World, clock: ManualClock) -> None:
    for number in range(3):
        await world.completed(f"r{number}")
        clock.adjust(-HOUR)
        # A restarted process does not know the ids that were made before.
        world.ids = Ids(clock)
    orders = await world.database.read(partial(order_store.page, world.scope(), None, "~", 10))
    assert [order.reference for order in orders] == ["r2", "r1", "r0"]
    listed, made, events = await dates(world)
    assert listed == sorted(listed, reverse=True)
    assert made == sorted(made, reverse=True)
    assert events == sorted(events)


async def test_a_clock_that_is_set_back_changes_no_order_of_endpoints(
    world: World, clock: ManualClock
) -> None:
    clock.advance(HOUR)
    first = await world.endpoint("https://a.example")
    clock.adjust(-HOUR)
    world.ids = Ids(clock)
    second = await world.endpoint("https://b.example")
    assert second.created_at > first.created_at
    listed = await world.database.read(partial(event_store.endpoints, world.scope()))
    assert listed == [second, first]


async def test_what_waits_for_an_account_is_dated_when_it_has_it(
    world: World, clock: ManualClock
) -> None:
    stamp = world.stamp()
    clock.advance(HOUR)
    await world.database.write(lambda: partners.credit(world.scope(), 1, stamp))
    account = await world.database.read(partial(accounts.account, world.scope()))
    assert account.updated_at == clock.now()


async def test_a_reset_is_dated_after_what_was_before_it(world: World, clock: ManualClock) -> None:
    await world.order("r1")
    before = await world.database.read(partial(accounts.account, world.scope()))
    clock.adjust(-HOUR)
    after = await world.reset()
    assert after.updated_at > before.updated_at
