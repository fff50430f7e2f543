"""The purchases of partners in a month, as operators see them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from esim_service.domain import orders, partners
from esim_service.domain.stamp import account_change
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.store.tables import partners as store
from esim_service.values.clock import DAY, SystemClock
from esim_service.values.entities import Failure
from esim_service.values.ids import Ids

from .manual_clock import ManualClock
from .running import esim_service
from .world import World

MONEY = 1_000_0000

pytestmark = pytest.mark.anyio


async def test_usage_counts_what_was_bought_and_given_back(
    world: World, clock: ManualClock
) -> None:
    begun = clock.now()
    before = await world.balance()
    (iccid,) = await world.completed("r1")
    await world.order("r2", quantity=3)
    await world.top_up("t1", iccid)
    failed = json.loads((await world.order("r3")).body)["order_id"]
    give_back = partial(orders.fail, failed, Failure("out_of_stock", "None left."))
    await world.database.change(account_change(world.scope(), failed, give_back, world.stamp()))
    charged = before - await world.balance()
    clock.advance(DAY)
    next_day = clock.now()
    await world.order("r4")
    (found,) = await world.database.read(partial(store.usage, begun, next_day))
    assert (found.mode, found.orders, found.topups, found.refunds) == ("test", 3, 1, 1)
    assert found.charged == charged > 0
    (found,) = await world.database.read(partial(store.usage, next_day, next_day + DAY))
    assert (found.orders, found.topups, found.refunds) == (1, 0, 0)
    assert not await world.database.read(partial(store.usage, 0, begun))


async def test_the_command_shows_a_month(ready: str, tmp_path: Path) -> None:
    clock = SystemClock()
    async with open_database(ready) as database:
        await migrate(database)
        world = World(database, clock, Ids(clock))
        await world.prepare()
        await world.database.write(partial(partners.credit, world.scope(), MONEY, world.stamp()))
        await world.order("r1")
    usage = partial(esim_service, "partners", "usage", "--database", ready, cwd=tmp_path)
    (line,) = usage("--json").stdout.splitlines()
    shown = json.loads(line)
    assert (shown["mode"], shown["orders"], shown["refunds"]) == ("test", 1, 0)
    assert usage().stdout == "\t".join(map(str, shown.values())) + "\n"
    assert usage("--month", "2001-12").stdout == ""
    wrong = usage("--month", "2001-13")
    assert (wrong.returncode, wrong.stdout) == (2, "")
