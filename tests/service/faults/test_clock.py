"""Clocks that are ten minutes off, or jump by that: each event of an eSIM happens once."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from esim_service.store.tables import esims, orders
from esim_service.values.clock import HOUR, MINUTE
from esim_service.values.ids import Ids

from ..manual_clock import ManualClock
from ..running import DEADLINE
from ..test_jobs import Crew, crew_of
from ..world import World

pytestmark = pytest.mark.anyio

OFF = 10 * MINUTE
LIFE = ["order.completed", "esim.expiring", "esim.expired"]
# Around the moments at which something is due.
BEFORE_THE_END = (24 * HOUR + OFF, 24 * HOUR, 22 * HOUR, 20 * HOUR, OFF, 0, -OFF, -2 * HOUR)


async def end_of(crew: Crew, reference: str) -> int:
    (iccid,) = (await crew.order(reference)).iccids
    return (await crew.world.esim(iccid)).expires_at


async def test_a_clock_that_jumps_lets_nothing_happen_twice(world: World) -> None:
    crew, clock = crew_of(world), world.clock
    end = await end_of(crew, "r1")
    async with asyncio.timeout(DEADLINE):
        for before in BEFORE_THE_END:
            clock.advance(end - before - clock.now())
            for jump in (0, OFF, -2 * OFF, OFF):
                clock.adjust(jump)
                await crew.drain()
    assert await crew.types() == LIFE
    assert await world.count("jobs") == 0


async def test_workers_whose_clocks_differ_let_nothing_happen_twice(world: World) -> None:
    late, clock = crew_of(world), ManualClock(world.clock.now() + OFF)
    other = World(world.database, clock, Ids(clock))
    early = crew_of(other)
    end = await end_of(late, "r1")
    async with asyncio.timeout(DEADLINE):
        for before in BEFORE_THE_END:
            world.clock.advance(end - before - world.clock.now())
            clock.advance(end - before + OFF - clock.now())
            await asyncio.gather(*(crew.drain() for crew in (early, late, early, late)))
    assert await late.types() == LIFE
    assert await world.count("jobs") == 0


async def test_lists_keep_their_order_when_a_stamp_is_older_than_the_one_before(
    world: World,
) -> None:
    """As when a process has waited for the account while another one went first."""
    crew = crew_of(world)
    for reference in ("r1", "r2", "r3"):
        await crew.order(reference)
        await crew.drain()
        world.clock.adjust(-OFF)
    listed = [
        await world.database.read(partial(page, world.scope(), None, "~", 9))
        for page in (orders.page, esims.page)
    ]
    for found in listed:
        times = [each.created_at for each in found]
        assert len(times) == 3
        assert times == sorted(times, reverse=True)
    fed = [event.created_at for event in await world.events()]
    assert fed == sorted(fed)
