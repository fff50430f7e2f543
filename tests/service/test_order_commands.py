"""Commands of an operator for purchases that the carrier does not finish."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from esim_service.domain import partners
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import execute
from esim_service.store.tables import jobs, purchases
from esim_service.values.clock import DAY, HOUR, MINUTE, SystemClock
from esim_service.values.ids import Ids

from .manual_clock import ManualClock
from .running import esim_service
from .world import World

pytestmark = pytest.mark.anyio

MONEY = 1_000_0000


@asynccontextmanager
async def opened(place: Path) -> AsyncIterator[World]:
    clock = SystemClock()
    async with open_database(str(place)) as database:
        await migrate(database)
        world = World(database, clock, Ids(clock))
        await world.prepare()
        yield world


async def test_a_top_up_that_the_carrier_does_not_finish_is_ended_and_refunded(
    tmp_path: Path,
) -> None:
    place = tmp_path / "service.db"
    async with opened(place) as world:
        await world.database.write(partial(partners.credit, world.scope(), MONEY, world.stamp()))
        (iccid,) = await world.completed("r1")
        before = await world.balance()
        topup_id = json.loads((await world.top_up("t1", iccid)).body)["topup_id"]
        assert await world.balance() < before
    fail = partial(esim_service, "orders", "fail", topup_id, "--database", str(place), cwd=tmp_path)
    assert fail().stdout == f"{topup_id} is marked as failed and refunded\n"
    assert f"no order or top-up {topup_id} waits" in fail().stderr
    async with opened(place) as world:
        assert await world.balance() == before


async def test_the_age_is_that_of_the_oldest(world: World, clock: ManualClock) -> None:
    (iccid,) = await world.completed("done")
    since = {}
    for number in range(3):
        clock.advance(MINUTE)
        since.setdefault("provision", clock.now())
        await world.order(f"r{number}")
        clock.advance(MINUTE)
        since.setdefault("topup", clock.now())
        await world.top_up(f"t{number}", iccid)
    assert await world.database.read(purchases.oldest) == since


async def test_an_order_is_due_at_once_when_that_is_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "service.db"
    async with opened(place) as world:
        await world.database.write(partial(partners.credit, world.scope(), MONEY, world.stamp()))
        order_id = json.loads((await world.order("stuck")).body)["order_id"]
        await world.order("young")
        now = world.clock.now()
        taken = await world.database.run(partial(jobs.take, now, {"provision": 9}, now + 1))
        job = next(each for each in taken if each.subject_id == order_id)
        await world.database.write(partial(jobs.postpone, job, now + HOUR, 3))
    run = partial(esim_service, cwd=tmp_path, ESIM_DATABASE=str(place))
    (line,) = run("orders", "list", "--stuck", "--json").stdout.splitlines()
    assert (json.loads(line)["order_id"], json.loads(line)["attempts"]) == (order_id, 3)
    assert len(run("orders", "list").stdout.splitlines()) == 2
    assert run("orders", "retry", order_id).stdout == f"{order_id} is due\n"
    async with opened(place) as world:
        now = world.clock.now()
        due = await world.database.run(partial(jobs.take, now, {"provision": 9}, now + HOUR))
        assert order_id in {each.subject_id for each in due}


@pytest.mark.parametrize(("ahead", "said"), [(HOUR, "nothing to do\n"), (2 * DAY, "accounts\t1\n")])
async def test_dates_are_corrected_that_lie_more_than_a_day_ahead(
    tmp_path: Path, ahead: int, said: str
) -> None:
    """Clocks of machines differ a little, and their dates stay as they are."""
    place = tmp_path / "service.db"
    async with opened(place) as world:
        later = world.clock.now() + ahead
        sql = "UPDATE accounts SET dated_at = $1 WHERE mode = 'test'"
        await world.database.write(partial(execute, sql, later))
    done = esim_service("correct-dates", "--database", str(place), cwd=tmp_path)
    assert done.stdout == said
