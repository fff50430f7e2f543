"""Changes that share a transaction: each as if it were alone, in few statements."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from esim_service.domain import lifecycle, orders, partners
from esim_service.domain.idempotency import IdempotentRequest, StoredResponse
from esim_service.domain.stamp import account_change
from esim_service.store.changes.batch_unit import batch_unit
from esim_service.store.changes.batcher import BATCH, Batcher
from esim_service.store.changes.change import AccountChange
from esim_service.store.changes.database import (
    ConflictError,
    Database,
    HeldError,
    UnavailableError,
    UnitOutcome,
)
from esim_service.store.drivers.postgres import PostgresDatabase, _key
from esim_service.store.statements.batched_sql import run_merged
from esim_service.store.statements.unit import Row, Statement, Unit
from esim_service.values.entities import Account, Profile
from esim_service.values.ids import Ids
from partner_esim.server import Problem

from .manual_clock import ManualClock
from .running import DEADLINE
from .world import FIXED, World

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(postgres: PostgresDatabase, clock: ManualClock, ids: Ids) -> World:
    made = World(postgres, clock, ids)
    await made.prepare()
    return made


def ordering(
    world: World, reference: str, plan_id: str = FIXED, quantity: int = 1
) -> AccountChange[StoredResponse]:
    payload = f"{plan_id} {quantity}".encode()
    claim = IdempotentRequest(world.scope(), "createOrder", reference, payload)
    request = orders.OrderRequest(claim, plan_id, quantity, None, False, None, {})
    place = partial(orders.place, request)
    return account_change(world.scope(), claim.name, place, world.stamp(), gives_way=True)


async def made(
    database: Database, changes: Sequence[AccountChange[Any]]
) -> tuple[Sequence[UnitOutcome[Any]], list[str]]:
    """Make changes in one transaction; return their outcomes, and all statements."""
    said: list[str] = []

    def listen() -> Unit[Sequence[UnitOutcome[Any]]]:
        unit = batch_unit(changes, _key)
        try:
            statement = next(unit)
            while True:
                said.append(statement.sql)
                statement = unit.send((yield statement))
        except StopIteration as stop:
            outcomes: Sequence[UnitOutcome[Any]] = stop.value
            return outcomes

    return await database.write(listen), said


async def test_changes_of_one_account_see_the_balance_that_the_others_left(world: World) -> None:
    before = await world.balance()
    price = round(float(json.loads((await world.order("r")).body)["total_usd"]) * 10_000)
    affordable = (before - price) // price
    outcomes, said = await made(
        world.database, [ordering(world, f"r{number}") for number in range(affordable + 2)]
    )
    codes = [None if outcome.error is None else outcome.error.code for outcome in outcomes]  # type: ignore[attr-defined]
    assert codes == [None] * affordable + ["insufficient_balance"] * 2
    assert await world.balance() == before - price * (1 + affordable)
    assert await world.count("orders") == await world.count("answers") == 1 + affordable
    assert await world.count("jobs") == 1 + affordable
    assert len([sql for sql in said if "INSERT" in sql]) == 1


async def test_one_that_breaks_a_rule_leaves_the_others_alone(world: World) -> None:
    changes = [ordering(world, f"r{n}", "pln_none" if n % 3 == 0 else FIXED) for n in range(9)]
    outcomes, _ = await made(world.database, changes)
    assert [isinstance(outcome.error, Problem) for outcome in outcomes] == [
        n % 3 == 0 for n in range(9)
    ]
    assert await world.count("orders") == 6


async def test_what_differs_by_parameters_only_is_asked_once(world: World) -> None:
    known = [json.loads((await world.order(f"r{n}")).body)["order_id"] for n in range(8)]
    numbers = [f"89{n:017}" for n in range(8)]
    profiles = [[Profile(number, "smdp.example", "M", False, None)] for number in numbers]
    changes = [
        account_change(
            world.scope(),
            order_id,
            partial(orders.complete, order_id, profile, lifecycle.at_once),
            world.stamp(),
        )
        for order_id, profile in zip(known, profiles, strict=True)
    ]
    others = []
    for number in range(8):
        other = World(world.database, world.clock, world.ids)
        other.partner_id = await partner(world, f"partner {number}")
        others.append(ordering(other, "mine"))
    _, said = await made(world.database, [*changes, *others])
    # However many accounts there are, and as many orders of one account as it has.
    assert len(said) <= 5 + len(changes)
    assert sorted(sql.split()[0] for sql in said).count("WITH") == 1
    assert await world.count("esims") == len([*await world.events()]) == 8


async def partner(world: World, name: str) -> str:
    made = await world.database.write(lambda: partners.ensure(name, world.stamp()))
    return made.partner_id


@pytest.mark.parametrize("values", [("a", "b", "a"), (3, 1, 2), (b"x", b"", b"x")])
async def test_equal_questions_are_all_answered(
    postgres: PostgresDatabase, values: Sequence[str | int | bytes]
) -> None:
    kind = {str: "text", int: "bigint", bytes: "bytea"}[type(values[0])]
    statements = [Statement(f"SELECT $1::{kind} AS value", (value,)) for value in values]
    found = await postgres.write(partial(run_merged, statements))
    assert [[row["value"] for row in each] for each in found] == [[value] for value in values]


async def test_a_question_that_fails_does_not_spoil_the_others(postgres: PostgresDatabase) -> None:
    def ask(value: int) -> Unit[int]:
        found: Sequence[Row] = yield Statement("SELECT 12 / $1::bigint AS value", (value,))
        return int(found[0]["value"])

    found = await asyncio.gather(
        *(postgres.read(partial(ask, value)) for value in (1, 0, 3)), return_exceptions=True
    )
    assert [each if isinstance(each, int) else "error" for each in found] == [12, "error", 4]


async def test_a_change_that_the_database_refuses_does_not_spoil_the_others(world: World) -> None:
    def broken(account: Account) -> Unit[tuple[Account, None]]:
        yield Statement(
            "UPDATE orders SET status = $1 WHERE order_id = $2", (None, order_id), False
        )
        return account, None

    order_id = json.loads((await world.order("r")).body)["order_id"]
    bad: AccountChange[None] = AccountChange(world.scope(), "bad", broken)
    found = await asyncio.gather(
        *map(world.database.change, [ordering(world, "r1"), bad, ordering(world, "r2")]),
        return_exceptions=True,
    )
    assert [isinstance(error, Exception) for error in found] == [
        False,
        True,
        False,
    ]
    assert await world.count("orders") == 3


async def test_the_same_reference_at_once_is_one_order(world: World) -> None:
    found = await asyncio.gather(*(world.database.change(ordering(world, "r")) for _ in range(20)))
    assert sorted(answered.is_replay for answered in found) == [False] + [True] * 19
    assert await world.count("orders") == 1


async def test_a_change_gives_way_to_who_holds_its_name(world: World) -> None:
    asked = ordering(world, "r")
    async with world.database.hold(asked.subject, is_long=True):
        found = await asyncio.gather(
            world.database.change(asked),
            world.database.change(ordering(world, "other")),
            return_exceptions=True,
        )
        assert isinstance(found[0], HeldError)
        assert isinstance(found[1], StoredResponse)
    assert not (await world.database.change(asked)).is_replay


class Bench:
    """A database that is slow: it makes a batch when it is told to."""

    def __init__(self) -> None:
        self.batches: list[Sequence[Any]] = []
        self.begun = asyncio.Event()
        self.let = asyncio.Semaphore(0)

    async def make(self, batch: Sequence[Any]) -> Sequence[UnitOutcome[Any]]:
        self.batches.append(batch)
        self.begun.set()
        await self.let.acquire()
        return [UnitOutcome(each) for each in batch]


async def idle() -> None:
    """Let all tasks go on as far as they can without any time passing."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_waits_while_a_batch_is_made_is_the_next_batch() -> None:
    bench = Bench()
    batcher = Batcher(bench.make)
    tasks = [asyncio.create_task(batcher.run(number)) for number in range(3)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(batcher.run(number)) for number in range(3, 8)]
    tasks[4].cancel()
    for _ in range(3):
        bench.let.release()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [each for each in found if isinstance(each, int)] == [0, 1, 2, 3, 5, 6, 7]
    assert len(bench.batches) == 2
    # A worker that has stopped is not counted on.
    later = asyncio.create_task(batcher.run(9))
    await idle()
    assert later.done()


async def test_one_who_gives_up_while_a_batch_is_made_leaves_the_others_their_answers() -> None:
    bench = Bench()
    batcher = Batcher(bench.make)
    tasks = [asyncio.create_task(batcher.run(number)) for number in range(3)]
    async with asyncio.timeout(10):
        await bench.begun.wait()
        tasks[0].cancel()
        bench.let.release()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        assert found[1:] == [1, 2]
        bench.let.release()
        assert await batcher.run(3) == 3


async def test_a_batch_has_a_bound() -> None:
    bench = Bench()
    batcher = Batcher(bench.make)
    for _ in range(3):
        bench.let.release()
    async with asyncio.timeout(10):
        await asyncio.gather(*map(batcher.run, range(2 * BATCH + 1)))
    assert [len(batch) for batch in bench.batches] == [BATCH, BATCH, 1]
    assert [each for batch in bench.batches for each in batch] == [*range(2 * BATCH + 1)]


async def test_a_batch_waits_a_moment_to_be_as_large_as_the_last_one() -> None:
    bench = Bench()
    batcher = Batcher(bench.make, patience_seconds=60)
    for _ in range(3):
        bench.let.release()
    await asyncio.gather(*map(batcher.run, range(3)))
    again = [asyncio.create_task(batcher.run(number)) for number in (3, 4)]
    await idle()
    assert bench.batches == [[0, 1, 2]]
    again.append(asyncio.create_task(batcher.run(5)))
    await idle()
    # At once, and not when its patience ends.
    assert bench.batches == [[0, 1, 2], [3, 4, 5]]
    assert await asyncio.gather(*again) == [3, 4, 5]


async def test_a_batch_that_stays_small_is_made_all_the_same() -> None:
    bench = Bench()
    batcher = Batcher(bench.make, patience_seconds=0.01)
    for _ in range(4):
        bench.let.release()
    await asyncio.gather(*map(batcher.run, range(3)))
    assert await asyncio.wait_for(batcher.run(3), DEADLINE) == 3
    # A single change does not wait for others.
    alone = Batcher(bench.make, patience_seconds=60)
    for number in (4, 5):
        bench.let.release()
        assert await asyncio.wait_for(alone.run(number), DEADLINE) == number


async def test_what_must_be_apart_is_not_in_one_batch() -> None:
    bench = Bench()
    batcher = Batcher(bench.make, key=str.lower)
    tasks = [asyncio.create_task(batcher.run(each)) for each in ("a", "A", "b", "a")]
    for _ in range(4):
        bench.let.release()
    assert await asyncio.gather(*tasks) == ["a", "A", "b", "a"]
    assert bench.batches == [["a", "b"], ["A"], ["a"]]


async def test_a_database_that_is_away_is_told_to_all_who_wait() -> None:
    asked: list[Sequence[int]] = []

    async def away(batch: Sequence[int]) -> Sequence[UnitOutcome[int]]:
        asked.append(batch)
        raise UnavailableError("away")

    batcher = Batcher(away)
    found = await asyncio.gather(*map(batcher.run, range(4)), return_exceptions=True)
    assert {type(each) for each in found} == {UnavailableError}
    assert len(asked) == 1


@pytest.mark.parametrize("error", [ValueError, ConflictError])
async def test_one_that_breaks_its_batch_is_found_in_few_transactions(
    error: type[Exception],
) -> None:
    made: list[Sequence[int]] = []

    async def make(batch: Sequence[int]) -> Sequence[UnitOutcome[int]]:
        made.append(batch)
        if 13 in batch:
            raise error
        return [UnitOutcome(each) for each in batch]

    batcher = Batcher(make)
    found = await asyncio.gather(*map(batcher.run, range(BATCH)), return_exceptions=True)
    assert [each for each in found if each != 13 and isinstance(each, int)] == [
        each for each in range(BATCH) if each != 13
    ]
    assert isinstance(found[13], error)
    assert len(made) <= 1 + 2 * BATCH.bit_length()


async def test_one_that_clashes_for_ever_leaves_the_others_of_its_batch_alone(world: World) -> None:
    def clashing(account: Account) -> Unit[tuple[Account, None]]:
        yield Statement("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END $$")
        return account, None

    changes = [ordering(world, f"r{number}") for number in range(9)]
    found = await asyncio.gather(
        *map(world.database.change, [*changes, AccountChange(world.scope(), "bad", clashing)]),
        return_exceptions=True,
    )
    assert [isinstance(error, StoredResponse) for error in found] == [True] * 9 + [False]
    assert isinstance(found[-1], UnavailableError)
    assert await world.count("orders") == 9
