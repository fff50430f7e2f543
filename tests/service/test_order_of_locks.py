"""Concurrent transactions on PostgreSQL do not deadlock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar, get_args

import asyncpg
import pytest

from esim_service.carrier.simulator import Simulator
from esim_service.domain import (
    endpoints,
    lifecycle,
    observation,
    orders,
    redelivery,
    sandbox,
    topups,
)
from esim_service.domain.lifecycle import Observation
from esim_service.domain.stamp import account_change
from esim_service.rate_limits.postgres import PostgresWindows
from esim_service.store.changes.change import AccountChange, run_single
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.statements.unit import Unit, execute, row
from esim_service.store.tables import attempts, events, jobs, partners
from esim_service.values.entities import Account, Job, JobKind, Mode, Scope
from esim_service.values.ids import Ids

from .manual_clock import ManualClock
from .running import DEADLINE, until
from .world import World

pytestmark = pytest.mark.anyio
T = TypeVar("T")

_WAITING = (
    "SELECT COUNT(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
async def world(postgres: PostgresDatabase, clock: ManualClock, ids: Ids) -> World:
    made = World(postgres, clock, ids)
    await made.prepare()
    return made


async def crossed(
    url: str, unit: Unit[T], after: int, other: Callable[[], Awaitable[object]]
) -> bool:
    """Stop a unit after some of its statements, until something else is done or waits for it.

    Return whether the unit has that many statements.
    """
    connection = await asyncpg.connect(url)
    watcher = await asyncpg.connect(url)
    task: asyncio.Task[object] | None = None
    done = 0
    try:
        async with connection.transaction():
            # An exception that leaves the transaction would roll it back.
            with suppress(StopIteration):
                statement = next(unit)
                while True:
                    found = await connection.fetch(statement.sql, *statement.parameters)
                    done += 1
                    if done == after:
                        task = asyncio.ensure_future(other())
                        while not task.done() and not await watcher.fetchval(_WAITING):
                            await asyncio.sleep(0.005)
                    statement = unit.send(found)
    finally:
        await connection.close()
        await watcher.close()
    if task is not None:
        await task
    return task is not None


async def claimed(world: World, kind: JobKind) -> Sequence[Job]:
    """Claim all jobs of a kind."""
    now = world.clock.now()
    return await world.database.run(partial(jobs.take, now, {kind: 100}, now + 1))


async def test_a_claim_waits_for_no_job(world: World, postgres_url: str) -> None:
    await world.order("r1")
    await world.order("r2")
    connection = await asyncpg.connect(postgres_url)
    try:
        async with connection.transaction():
            held = await connection.fetchval("SELECT job_id FROM jobs LIMIT 1 FOR UPDATE")
            async with asyncio.timeout(DEADLINE):
                [job] = await claimed(world, "provision")
            assert job.job_id != held
    finally:
        await connection.close()


def empty(scope: Scope) -> Account:
    """An account that was never used."""
    return Account(scope, 0, 0, False, 0, 0, 1, 1)


def unchanged(account: Account) -> Unit[tuple[Account, None]]:
    yield from jobs.count_due(0)
    return account, None


async def test_changes_of_several_accounts_take_them_in_one_order(
    postgres: PostgresDatabase, postgres_url: str
) -> None:
    scopes = [Scope(f"prt_{n}", mode) for n in range(4) for mode in get_args(Mode)]
    scopes.sort(key=lambda each: (each.partner_id, each.mode))
    # The table has them the other way round.
    for scope in reversed(scopes):
        await postgres.write(partial(partners.add_account, empty(scope)))
    connection = await asyncpg.connect(postgres_url)
    try:
        async with connection.transaction():
            await connection.execute(
                "SELECT 1 FROM accounts WHERE partner_id = $1 AND mode = $2 FOR UPDATE",
                *(scopes[0].partner_id, scopes[0].mode),
            )
            changes = [AccountChange(scope, "subject", unchanged) for scope in reversed(scopes)]
            made = asyncio.gather(*map(postgres.change, changes))
            await until(partial(connection.fetchval, _WAITING))
            # They wait for the first one, and have none of those that come after it.
            left = await connection.fetch("SELECT 1 FROM accounts FOR UPDATE SKIP LOCKED")
            assert len(left) == len(scopes)
        await made
    finally:
        await connection.close()


async def test_requests_that_are_counted_at_once_take_their_windows_in_one_order(
    postgres: PostgresDatabase, postgres_url: str
) -> None:
    windows = PostgresWindows(postgres)
    connection = await asyncpg.connect(postgres_url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(1, hashtext('a'))")
            taken = asyncio.gather(*(windows.take(bucket, 9, 60) for bucket in "cba"))
            await until(partial(connection.fetchval, _WAITING))
            for bucket in "bc":
                assert await connection.fetchval(
                    "SELECT pg_try_advisory_xact_lock(1, hashtext($1))", bucket
                )
        await taken
    finally:
        await connection.close()


async def completing(world: World, number: int) -> Unit[object]:
    """An order is completed."""
    order_id = json.loads((await world.order(f"r{number}")).body)["order_id"]
    profiles = await Simulator().provision(await world.shown(order_id))
    complete = partial(orders.complete, order_id, profiles, lifecycle.at_once)
    return run_single(account_change(world.scope(), order_id, complete, world.stamp()))


async def topping_up(world: World, number: int) -> Unit[object]:
    """A top-up is completed."""
    (iccid,) = await world.completed(f"r{number}")
    topup_id = json.loads((await world.top_up(f"t{number}", iccid)).body)["topup_id"]
    return run_single(
        account_change(world.scope(), iccid, partial(topups.complete, topup_id), world.stamp())
    )


async def following(world: World, number: int) -> Unit[object]:
    """An eSIM is seen for the first time."""
    await world.completed(f"r{number}")
    (job,) = await claimed(world, "observe")
    seen = Observation(world.clock.now(), "enabled", 1, world.clock.now())
    follow = partial(observation.follow, job, seen, 0, lifecycle.at_once)
    return run_single(account_change(world.scope(), job.subject_id, follow, world.stamp()))


async def releasing(world: World, number: int) -> Unit[object]:
    """A process that stops gives its jobs back."""
    await world.completed(f"r{number}", quantity=3)
    found = await claimed(world, "observe")

    def release() -> Unit[object]:
        for job in sorted(found, key=lambda each: each.job_id, reverse=True):
            yield from jobs.release(job, 0)

    return release()


@pytest.mark.parametrize("prepare", [completing, topping_up, following, releasing])
async def test_a_reset_waits_for_nobody_who_waits_for_it(
    world: World, postgres_url: str, prepare: Callable[[World, int], Awaitable[Unit[object]]]
) -> None:
    after = 1
    while True:
        unit = await prepare(world, after)
        reset = partial(sandbox.reset, world.scope(), world.stamp())
        if not await crossed(postgres_url, unit, after, partial(world.database.write, reset)):
            break
        await world.remove_ended()
        after += 1
    assert after > 3


async def replaying(world: World, number: int) -> Unit[object]:
    """A delivery that was acknowledged is made once more."""
    await world.completed(f"r{number}")
    (endpoint,) = await world.database.read(partial(events.endpoints, world.scope()))
    (event, *_) = await world.events()
    delivered = attempts.StoredAttempt(1, world.clock.now(), 1, attempts.ACKNOWLEDGED, 200, None)
    found = await world.database.read(partial(row, "SELECT delivery_id FROM deliveries"))
    assert found is not None
    delivery_id = found["delivery_id"]
    add = partial(attempts.add, delivery_id, event.event_id, endpoint, delivered)
    await world.database.write(add)
    await world.database.write(partial(execute, "DELETE FROM deliveries"))
    return redelivery.replay(delivery_id, world.stamp())


@pytest.mark.parametrize("prepare", [completing, replaying])
async def test_an_endpoint_that_is_removed_meanwhile_is_queued_for_no_more(
    world: World, postgres_url: str, prepare: Callable[[World, int], Awaitable[Unit[object]]]
) -> None:
    after = 1
    while True:
        endpoint = await world.endpoint("https://a.example/")
        unit = await prepare(world, after)
        remove = partial(endpoints.remove, world.scope(), endpoint.endpoint_id)
        try:
            if not await crossed(postgres_url, unit, after, partial(world.database.write, remove)):
                break
        except redelivery.RedeliveryError:
            # The endpoint was removed before the account was held.
            assert prepare is replaying
        assert await world.count("deliveries") == 0
        after += 1
    assert after > 3
