"""A reset is one moment for the partner; what it has ended is removed in parts afterwards."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from esim_service.domain import events as feed
from esim_service.domain import lifecycle, observation, orders, redelivery, topups
from esim_service.domain.sandbox import TEST_BALANCE
from esim_service.store.changes.database import Database
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import Unit
from esim_service.store.tables import attempts, epochs, esims, jobs, purchases
from esim_service.store.tables import events as event_store
from esim_service.store.tables import orders as order_store
from esim_service.values.clock import DAY, HOUR, SystemClock
from esim_service.values.entities import Failure, Profile
from esim_service.values.ids import Ids
from esim_service.work import removal
from esim_service.work.retention import purge

from .books import books
from .large import TABLES, fill
from .running import serving, until
from .world import World

pytestmark = pytest.mark.anyio

# Rows of each table, nine of ten of which are those of the partner.
ROWS = 700
OTHERS = ROWS // 10
# So many that their removal takes seconds.
MANY = 1200


async def placed(world: World, reference: str) -> str:
    order_id: str = json.loads((await world.order(reference)).body)["order_id"]
    return order_id


async def counts(world: World) -> dict[str, int]:
    return {table: await world.count(table) for table in epochs.TABLES}


async def test_everything_is_gone_at_once_for_the_partner_and_for_nobody_else(
    world: World,
) -> None:
    await world.credit(10**7)
    await world.order("live", mode="live")
    (iccid,) = await world.completed("r1")
    order_id = await placed(world, "r2")
    await world.top_up("t1", iccid)
    (event,) = await world.events()
    before = await counts(world)
    await world.reset()
    scope, read = world.scope(), world.database.read
    assert await counts(world) == before
    assert await read(partial(order_store.page, scope, None, "~", 9)) == []
    assert await read(partial(order_store.page, scope, "r2", "~", 9)) == []
    assert await read(partial(order_store.find, scope, order_id)) is None
    assert await read(partial(esims.page, scope, None, "~", 9)) == []
    assert await read(partial(esims.page, scope, order_id, "~", 9)) == []
    assert await read(partial(esims.find, scope, iccid)) is None
    assert await world.events() == []
    assert await read(partial(event_store.find_event, scope, event.event_id)) is None
    assert await world.balance() == TEST_BALANCE
    # The references are free, also for other payloads.
    assert not (await world.order("r1", quantity=2)).is_replay
    [left] = await read(partial(order_store.page, world.scope("live"), None, "~", 9))
    assert left.reference == "live"


async def test_what_was_begun_before_has_no_effect_after(world: World) -> None:
    (iccid,) = await world.completed("r1")
    esim = await world.esim(iccid)
    order_ids = [await placed(world, f"r{number}") for number in (2, 3)]
    topup_ids = [
        json.loads((await world.top_up(f"t{number}", iccid)).body)["topup_id"] for number in (1, 2)
    ]
    (job,) = await world.database.write(
        partial(jobs.take, world.clock.now(), {"observe": 9}, world.clock.now() + HOUR)
    )
    await world.reset()
    profile = Profile("8900000000000000005", "smdp.example", "A", False, None)
    complete = partial(orders.complete, order_ids[0], [profile], lifecycle.at_once)
    await world.change(order_ids[0], complete)
    await world.change(order_ids[1], partial(orders.fail, order_ids[1], Failure("a", "b")))
    await world.change(topup_ids[0], partial(topups.complete, topup_ids[0]))
    await world.change(topup_ids[1], partial(topups.fail, topup_ids[1]))
    seen = lifecycle.Observation(world.clock.now() + 1, "enabled", 1, world.clock.now())
    follow = partial(observation.follow, job, seen, 0, lifecycle.at_once)
    await world.change(esim.esim_id, follow)
    assert await world.events() == []
    assert await world.balance() == TEST_BALANCE
    assert await world.database.read(partial(esims.page, world.scope(), None, "~", 9)) == []


async def test_operators_do_not_see_what_is_gone(world: World) -> None:
    await world.endpoint("https://a.example/")
    order_id = await placed(world, "r1")
    await world.completed("r2")
    listed = partial(attempts.newest, attempts.DeliveryFilter(), 9)
    [waiting] = await world.database.read(listed)
    await world.reset()
    assert await world.database.read(listed) == []
    for wanted in (purchases.OrderFilter(), purchases.OrderFilter(order_id=order_id)):
        assert await world.database.read(partial(purchases.newest, wanted, 9)) == []
    with pytest.raises(redelivery.RedeliveryError, match="there is no delivery"):
        await world.database.write(partial(redelivery.replay, waiting.delivery_id, world.stamp()))
    await world.completed("r3")
    assert len(await world.database.read(listed)) == 1


async def test_the_feed_goes_on_after_a_reset(world: World) -> None:
    await world.completed("r1")
    read = partial(feed.feed, world.scope())
    _, _, place = await world.database.read(partial(read, None, None, 9))
    await world.completed("r2")
    await world.reset()
    await world.completed("r3")
    for removed in (False, True):
        if removed:
            await world.remove_ended()
        found, _, _ = await world.database.read(partial(read, place, None, 9))
        assert [event.sequence for event in found] == [3]


async def test_each_part_has_few_rows_and_none_of_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "_PAUSE", 0)
    await fill(world, ROWS)
    # A reference of a top-up may be that of an order.
    await world.database.write(
        partial(order_store.add_response, world.scope(), "createTopup", "r1", b"", 0, b"")
    )
    await world.reset()
    epoch = epochs.EndedEpoch(world.partner_id, "test")
    assert {*epochs.TABLES} == {*TABLES} - {"ledger"}
    for table in epochs.TABLES:
        before = await world.count(table)
        part = partial(epochs.remove_some, epoch, table, 100)
        assert await world.database.write(part)
        assert 0 < before - await world.count(table) <= 100
    await world.remove_ended()
    assert await counts(world) == dict.fromkeys(epochs.TABLES, OTHERS)
    assert await world.count("ended_epochs") == 0
    assert await world.count("ledger") > ROWS


async def test_a_removal_that_was_cut_off_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(world, ROWS)
    await world.reset()
    monkeypatch.setattr(removal, "_PAUSE", 3600)
    before = await world.count("jobs")
    cut_off = asyncio.create_task(world.remove_ended())

    async def has_begun() -> bool:
        return await world.count("jobs") < before

    await until(has_begun)
    cut_off.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cut_off
    assert await world.count("jobs") > OTHERS
    monkeypatch.setattr(removal, "_PAUSE", 0)
    await world.remove_ended()
    assert await counts(world) == dict.fromkeys(epochs.TABLES, OTHERS)


async def test_one_process_at_a_time_removes(world: World) -> None:
    await world.order("r1")
    await world.reset()
    async with world.database.hold("removal") as writer:
        assert writer is not None
        await world.remove_ended()
        assert await world.count("orders") == 1
    await world.remove_ended()
    assert await world.count("orders") == 0


async def test_a_row_that_another_holds_is_left_for_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who records attempts holds several deliveries, and must not wait for a removal."""
    if world.database.dialect == "sqlite":
        pytest.skip("its only writer holds no rows")
    monkeypatch.setattr(removal, "_PAUSE", 0)
    parts: Counter[str] = Counter()
    remove_some = epochs.remove_some

    def counted(epoch: epochs.EndedEpoch, table: str, count: int) -> Unit[bool]:
        parts[table] += 1
        return remove_some(epoch, table, count)

    monkeypatch.setattr(epochs, "remove_some", counted)
    await world.endpoint("https://a.example/")
    await world.completed("r1")
    await world.reset()
    pool = world.database._pool  # type: ignore[attr-defined]
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT * FROM deliveries FOR UPDATE")
        removing = asyncio.create_task(world.remove_ended())

        async def has_tried_again() -> bool:
            assert not removing.done()
            return parts["deliveries"] > 2

        await until(has_tried_again)
        assert await world.count("deliveries") == 1
    await asyncio.wait_for(removing, 60)
    assert await counts(world) == dict.fromkeys(epochs.TABLES, 0)


async def test_resets_one_after_the_other_leave_what_is_after_the_last(world: World) -> None:
    for number in range(3):
        await world.completed(f"r{number}")
        await world.reset()
    await world.completed("r2")
    await world.remove_ended()
    found = await world.database.read(partial(order_store.page, world.scope(), None, "~", 9))
    assert [order.reference for order in found] == ["r2"]
    assert [event.sequence for event in await world.events()] == [4]
    assert await world.count("orders") == await world.count("esims") == 1


async def test_orders_and_resets_at_once_leave_nothing_after_the_last_reset(world: World) -> None:
    async def completed(number: int) -> Sequence[str]:
        return await world.completed(f"r{number}")

    calls = [completed(number) if number % 8 else world.reset() for number in range(1, 97)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    await world.reset()
    assert await world.balance() == TEST_BALANCE
    assert await world.events() == []
    await world.remove_ended()
    assert await counts(world) == dict.fromkeys(epochs.TABLES, 0)


async def test_old_events_of_before_a_reset_are_purged(world: World) -> None:
    await world.completed("r1")
    await world.reset()
    await world.completed("r2")
    world.clock.advance(31 * DAY)  # type: ignore[attr-defined]
    async with asyncio.timeout(60):
        assert await purge(world.database, world.clock.now()) == 2
    assert await world.events() == []
    await world.completed("r3")
    assert [event.sequence for event in await world.events()] == [3]


async def large(database: Database) -> None:
    """Make a partner with many rows in the database of a service that does not run yet."""
    await migrate(database)
    clock = SystemClock()
    world = World(database, clock, Ids(clock))
    await world.prepare()
    # Nothing is due, and nothing is old.
    await fill(world, MANY, clock.now() + DAY)


async def test_a_reset_survives_kill_9(ready: str, tmp_path: Path) -> None:
    async with open_database(ready, exclusive=False) as database:
        await large(database)
    with serving(ready, tmp_path) as running:
        async with books(ready) as known:
            key = await known.key("acme")
            with running.client(key) as client:
                assert client.esims.list().items
                client.sandbox.reset()
                assert not client.orders.list().items
                assert not client.esims.list().items

            async def has_begun() -> bool:
                return await known.count("jobs") < MANY

            await until(has_begun)
            running.stop(signal.SIGKILL)
            assert await known.count("orders") == MANY
            with serving(ready, tmp_path) as again:
                with again.client(key) as client:
                    assert not client.orders.list().items

                async def is_done() -> bool:
                    return await known.count("ended_epochs") == 0

                await until(is_done)
            left = {table: await known.count(table) for table in epochs.TABLES}
            assert left == dict.fromkeys(epochs.TABLES, MANY // 10)
