"""Orders, top-ups and eSIMs progress by themselves, even if the carrier fails."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import get_args

import pytest
from prometheus_client import CollectorRegistry

from esim_service.carrier.port import Inquiry, RefusedError, UnreachableError
from esim_service.carrier.simulator import Simulator
from esim_service.domain.lifecycle import Observation
from esim_service.store.changes.database import UnavailableError
from esim_service.store.statements.unit import execute
from esim_service.store.tables import jobs as store
from esim_service.values.clock import DAY, HOUR, MINUTE, SECOND
from esim_service.values.entities import Esim, Job, JobKind, Mode, Order, Profile, Topup
from esim_service.work.jobs import LONGEST_PAUSE, CarrierJobs, retry_after
from esim_service.work.metrics import WorkMetrics
from esim_service.work.runner import LEASE, PER_KIND, JobRunner

from .manual_clock import ManualClock
from .running import DEADLINE
from .world import World

pytestmark = pytest.mark.anyio

QUICK = 0.05
GB = 10**9


@dataclass
class Carrier:
    """A simulator with faults that a test chooses, and a network with reports that a test sets.

    Attributes:
        provisioning, topping: what happens to the next calls, one after the other.
    """

    provisioning: list[Exception | None] = field(default_factory=list)
    topping: list[Exception | None] = field(default_factory=list)
    reports: dict[str, Observation] = field(default_factory=dict)
    simulator: Simulator = field(default_factory=Simulator)
    calls: Counter[str] = field(default_factory=Counter)
    hangs: bool = False
    is_away: bool = False

    def has_to_be_asked(self, inquiry: Inquiry) -> bool:
        return False

    async def accept(self, inquiry: Inquiry) -> None:
        raise AssertionError

    async def provision(self, order: Order) -> Sequence[Profile]:
        self.calls[order.order_id] += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.provisioning and (error := self.provisioning.pop(0)):
            raise error
        return await self.simulator.provision(order)

    async def top_up(self, topup: Topup) -> None:
        self.calls[topup.topup_id] += 1
        if self.topping and (error := self.topping.pop(0)):
            raise error

    def next_report(self, esim: Esim, now: int) -> int:
        return now + 10 * MINUTE

    async def report(self, esim: Esim, now: int) -> Observation | None:
        if self.is_away:
            raise UnreachableError("the carrier is away")
        return self.reports.get(esim.profile.iccid)


@dataclass
class Crew:
    """A runner on a world."""

    world: World
    runner: JobRunner
    carrier: Carrier
    registry: CollectorRegistry

    async def drain(self) -> None:
        """Do all that is due now."""
        while await self.runner.fill():
            await self.runner.settle(10)

    async def pass_time(self, milliseconds: int, step: int) -> None:
        for _ in range(milliseconds // step):
            self.world.clock.advance(step)
            await self.drain()

    async def order(self, reference: str, mode: Mode = "test", quantity: int = 1) -> Order:
        """Place an order and have it done."""
        answered = await self.world.order(reference, mode=mode, quantity=quantity)
        await self.drain()
        return await self.world.shown(json.loads(answered.body)["order_id"], mode)

    async def types(self, mode: Mode = "test") -> list[str]:
        """The feed in short; it has no gap and each event shows its eSIM in order."""
        events = await self.world.events(mode)
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        bodies = [json.loads(event.body) for event in events]
        return [body["type"] + str(body.get("threshold_percent", "")) for body in bodies]

    def jobs(self, kind: str, outcome: str) -> float | None:
        labels = {"kind": kind, "outcome": outcome}
        return self.registry.get_sample_value("esim_jobs_total", labels)


def crew_of(world: World, carrier: Carrier | None = None, seconds: float = 10) -> Crew:
    carrier = carrier or Carrier()
    registry = CollectorRegistry()
    work = CarrierJobs(world.database, world.clock, world.ids, carrier, carrier, seconds)
    runner = JobRunner(world.database, work, world.clock, WorkMetrics(registry), grace_seconds=0)
    return Crew(world, runner, carrier, registry)


@pytest.fixture
def crew(world: World) -> Crew:
    return crew_of(world)


@asynccontextmanager
async def running(crew: Crew) -> AsyncIterator[None]:
    task = asyncio.create_task(crew.runner.run())
    try:
        yield
    finally:
        crew.runner.stop()
        await asyncio.wait_for(task, DEADLINE)


async def test_an_order_is_completed_with_its_esims_and_one_event(crew: Crew) -> None:
    order = await crew.order("r1", quantity=3)
    assert (order.status, order.completed_at) == ("completed", crew.world.clock.now())
    assert len(set(order.iccids)) == 3
    for iccid in order.iccids:
        assert (await crew.world.esim(iccid)).status == "ready"
    assert await crew.types() == ["order.completed"]
    (event,) = await crew.world.events()
    assert json.loads(event.body)["data"]["iccids"] == list(order.iccids)
    assert await crew.world.count("jobs") == 3


@pytest.mark.parametrize("problem", [UnreachableError("away"), None], ids=["away", "hangs"])
async def test_a_carrier_that_does_not_answer_is_asked_again(
    world: World, problem: Exception | None
) -> None:
    crew = crew_of(world, seconds=QUICK)
    crew.carrier.hangs = problem is None
    crew.carrier.provisioning = [problem] * 3
    order = await crew.order("r1")
    for attempt in (1, 2, 3):
        assert (await crew.world.shown(order.order_id)).status == "processing"
        assert crew.carrier.calls[order.order_id] == attempt
        crew.world.clock.advance(retry_after(attempt) - 1)
        await crew.drain()
        assert crew.carrier.calls[order.order_id] == attempt
        if attempt == 3:
            crew.carrier.hangs = False
        crew.world.clock.advance(1)
        await crew.drain()
    assert (await crew.world.shown(order.order_id)).status == "completed"
    assert await crew.types() == ["order.completed"]
    assert crew.jobs("provision", "unanswered") == 3


def test_the_pauses_grow_to_a_limit() -> None:
    assert [retry_after(attempts) // SECOND for attempts in (1, 2, 3, 8)] == [1, 2, 4, 128]
    assert retry_after(10) == retry_after(10_000) == LONGEST_PAUSE


async def test_a_refused_order_fails_and_is_refunded(crew: Crew) -> None:
    before = await crew.world.balance()
    crew.carrier.provisioning = [RefusedError("out_of_stock", "None left.")]
    order = await crew.order("r1")
    assert order.status == "failed"
    assert order.failure is not None
    assert (order.failure.code, order.failure.message) == ("out_of_stock", "None left.")
    assert await crew.world.balance() == before
    assert await crew.world.count("jobs") == 0
    assert await crew.types() == []


async def test_a_carrier_that_answers_two_workers_makes_one_order(crew: Crew) -> None:
    """The lease of the first worker ends while it asks; both answers arrive."""
    other = crew_of(crew.world, crew.carrier)
    answered = await crew.world.order("r1")
    order_id = json.loads(answered.body)["order_id"]
    gate = asyncio.Event()
    provision = crew.carrier.simulator.provision

    async def slowly(order: Order) -> Sequence[Profile]:
        await gate.wait()
        return await provision(order)

    crew.carrier.simulator.provision = slowly  # type: ignore[method-assign]
    for each in (crew, other):
        asked = crew.carrier.calls[order_id]
        assert await each.runner.fill() == 1
        async with asyncio.timeout(DEADLINE):
            while crew.carrier.calls[order_id] == asked:
                await asyncio.sleep(0.01)
        crew.world.clock.advance(LEASE)
    gate.set()
    await crew.runner.settle(10)
    await other.runner.settle(10)
    assert crew.carrier.calls[order_id] == 2
    assert await crew.types() == ["order.completed"]
    assert await crew.world.count("esims") == 1
    assert await crew.world.count("jobs") == 1


async def test_a_wrong_answer_is_not_believed_and_asked_for_again_in_peace(
    crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    provision = crew.carrier.simulator.provision

    async def too_few(order: Order) -> Sequence[Profile]:
        return (await provision(order))[1:]

    crew.carrier.simulator.provision = too_few  # type: ignore[method-assign]
    with caplog.at_level(logging.ERROR):
        poison = await crew.order("poison", quantity=2)
    assert poison.status == "processing"
    assert poison.order_id in caplog.text
    assert crew.jobs("provision", "broken") == 1
    crew.carrier.simulator.provision = provision  # type: ignore[method-assign]
    # Other orders do not wait, and it is done as soon as it can be.
    assert (await crew.order("other")).status == "completed"
    await crew.pass_time(2 * SECOND, SECOND)
    assert (await crew.world.shown(poison.order_id)).status == "completed"


async def test_orders_that_hang_leave_the_places_of_observations_free(world: World) -> None:
    crew = crew_of(world, seconds=QUICK)
    done = await crew.order("first")
    crew.carrier.hangs = True
    for number in range(PER_KIND + 8):
        await crew.world.order(f"r{number}")
    crew.world.clock.advance(10 * MINUTE)
    crew.carrier.reports[done.iccids[0]] = Observation(
        crew.world.clock.now(), "enabled", 0, crew.world.clock.now()
    )
    assert await crew.runner.fill() == PER_KIND + 1
    await crew.runner.settle(10)
    assert (await crew.world.esim(done.iccids[0])).status == "active"


async def test_a_job_that_a_process_keeps_is_done_there_without_a_claim(world: World) -> None:
    own, other = crew_of(world), crew_of(world)
    answered = await world.order("r1", lease=LEASE)
    assert answered.job is not None
    assert await other.runner.fill() == 0
    own.runner.begin(answered.job)
    await own.runner.settle(10)
    order_id = json.loads(answered.body)["order_id"]
    assert (await world.shown(order_id)).status == "completed"
    assert own.jobs("provision", "done") == 1
    assert await world.count("jobs") == 1, "only the observation of the eSIM"


async def test_a_job_that_a_process_kept_and_never_began_is_done_by_another(world: World) -> None:
    answered = await world.order("r1", lease=LEASE)
    other = crew_of(world)
    world.clock.advance(LEASE - 1)
    assert await other.runner.fill() == 0
    world.clock.advance(1)
    await other.drain()
    order_id = json.loads(answered.body)["order_id"]
    assert (await world.shown(order_id)).status == "completed"


async def test_a_job_that_takes_longer_than_its_lease_stays_with_its_process(world: World) -> None:
    """A carrier may answer later than another process would take over from one that has died."""
    own, other = crew_of(world), crew_of(world)
    gate, provision = asyncio.Event(), own.carrier.simulator.provision

    async def slowly(order: Order) -> Sequence[Profile]:
        await gate.wait()
        return await provision(order)

    own.carrier.simulator.provision = slowly  # type: ignore[method-assign]
    answered = await world.order("r1")
    order_id = json.loads(answered.body)["order_id"]
    assert await own.runner.fill() == 1
    for _ in range(5):
        world.clock.advance(LEASE - 1)
        assert await own.runner.fill() == 0
        assert await other.runner.fill() == 0
    gate.set()
    await own.runner.settle(10)
    assert (await world.shown(order_id)).status == "completed"
    assert (own.carrier.calls[order_id], other.carrier.calls[order_id]) == (1, 0)
    assert not own.runner._renewed


async def test_a_job_that_was_renewed_and_failed_waits_as_any_other(world: World) -> None:
    own, other = crew_of(world), crew_of(world)
    gate = asyncio.Event()

    async def in_vain(order: Order) -> Sequence[Profile]:
        await gate.wait()
        raise UnreachableError("away")

    own.carrier.simulator.provision = in_vain  # type: ignore[method-assign]
    await world.order("r1")
    assert await own.runner.fill() == 1
    world.clock.advance(LEASE - 1)
    assert await own.runner.fill() == 0
    gate.set()
    await own.runner.settle(10)
    world.clock.advance(retry_after(1) - 1)
    assert await other.runner.fill() == 0
    world.clock.advance(1)
    assert await other.runner.fill() == 1


async def test_a_job_that_was_renewed_is_given_back_when_its_process_ends(world: World) -> None:
    own, other = crew_of(world), crew_of(world)
    own.carrier.hangs = True
    await world.order("r1")
    async with running(own), asyncio.timeout(DEADLINE):
        while not own.carrier.calls:
            await asyncio.sleep(0.01)
        world.clock.advance(LEASE - 1)
        while not own.runner._renewed:
            await asyncio.sleep(0.01)
    assert await other.runner.fill() == 1


async def test_a_job_that_nobody_keeps_is_for_whoever_claims_it(world: World) -> None:
    answered = await world.order("r1")
    assert answered.job is None
    assert await crew_of(world).runner.fill() == 1


async def test_a_claim_with_little_room_takes_what_has_waited_longest(world: World) -> None:
    made = []
    for number in range(3):
        made.append(json.loads((await world.order(f"r{number}")).body)["order_id"])
        world.clock.advance(1)
    now = world.clock.now()
    found = await world.database.run(partial(store.take, now, {"provision": 2}, now + LEASE))
    assert {job.subject_id for job in found} == {*made[:2]}


async def test_a_new_process_takes_over_what_waits_for_the_carrier_and_nothing_else(
    world: World,
) -> None:
    (iccid,) = await world.completed("r1")
    (followed,) = await world.database.run(
        partial(store.take, world.clock.now(), {"observe": 1}, world.clock.now() + LEASE)
    )
    await world.order("r2")
    (retried,) = await world.database.run(
        partial(store.take, world.clock.now(), {"provision": 1}, world.clock.now() + LEASE)
    )
    later = retried.due_at + MINUTE
    await world.database.write(partial(store.postpone, retried, later, attempts=1))
    await world.order("r3", lease=LEASE)
    await world.top_up("t1", iccid)
    now = world.clock.now()
    room: dict[JobKind, int] = dict.fromkeys(get_args(JobKind), 9)
    # The process that has claimed all dies.
    first = await world.database.run(partial(store.take, now, room, now + LEASE))
    assert {job.kind for job in first} == {"topup"}
    await world.database.write(partial(store.take_over, now))
    again = await world.database.run(partial(store.take, now, room, now + LEASE))
    assert sorted(job.kind for job in again) == ["provision", "topup"]
    assert not {followed.job_id, retried.job_id} & {job.job_id for job in again}


async def test_a_repeat_leaves_no_second_job(world: World) -> None:
    await world.order("r1", lease=LEASE)
    again = await world.order("r1", lease=LEASE)
    assert again.is_replay
    assert again.job is None


async def test_a_runner_without_room_keeps_nothing(world: World) -> None:
    crew = crew_of(world)
    crew.carrier.hangs = True
    assert crew.runner.has_room("provision")
    for number in range(PER_KIND):
        await world.order(f"r{number}")
    assert await crew.runner.fill() == PER_KIND
    assert not crew.runner.has_room("provision")
    assert crew.runner.has_room("topup")
    # Nothing else is due, but orders wait for room.
    assert crew.runner.may_be_more([])


async def test_a_runner_that_found_nothing_does_not_look_again_when_a_job_ends(
    world: World,
) -> None:
    crew = crew_of(world)
    answered = await world.order("r1", lease=LEASE)
    assert answered.job is not None
    assert not crew.runner.may_be_more(())
    assert crew.runner.may_be_more([answered.job])
    assert await crew.runner.fill() == 0
    crew.runner._woken.clear()
    crew.runner.begin(answered.job)
    await crew.runner.settle(10)
    await asyncio.sleep(0)
    assert not crew.runner._woken.is_set()


async def test_a_job_that_was_given_back_is_done_by_another(crew: Crew) -> None:
    crew.carrier.hangs = True
    answered = await crew.world.order("r1")
    task = asyncio.create_task(crew.runner.run())
    while not crew.carrier.calls:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    other = crew_of(crew.world)
    await other.drain()
    order = await crew.world.shown(json.loads(answered.body)["order_id"])
    assert order.status == "completed"


async def test_a_worker_that_dies_loses_nothing(crew: Crew) -> None:
    answered = await crew.world.order("r1")
    order_id = json.loads(answered.body)["order_id"]
    crew.carrier.hangs = True
    await crew.runner.fill()
    # Nothing is heard of that worker any more.
    other = crew_of(crew.world)
    await other.drain()
    assert (await crew.world.shown(order_id)).status == "processing"
    crew.world.clock.advance(LEASE)
    await other.drain()
    assert (await crew.world.shown(order_id)).status == "completed"
    crew.runner.stop()
    await crew.runner.run()


async def test_a_database_that_is_away_ends_nothing(
    crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(_: object) -> None:
        raise UnavailableError("the disk is full")

    answered = await crew.world.order("r1")
    run, crew.world.database.run = crew.world.database.run, away  # type: ignore[method-assign]
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert await crew.runner.fill() == 0
    assert caplog.text.count("the disk is full") == 1
    crew.world.database.run = run  # type: ignore[method-assign]
    await crew.drain()
    order = await crew.world.shown(json.loads(answered.body)["order_id"])
    assert order.status == "completed"


async def test_a_job_that_the_database_interrupts_goes_on_when_it_is_back(crew: Crew) -> None:
    world, provision = crew.world, crew.carrier.simulator.provision
    write = world.database.write

    async def away(_: object) -> None:
        raise UnavailableError("the disk is full")

    async def lose(order: Order) -> Sequence[Profile]:
        world.database.write = away  # type: ignore[assignment,method-assign]
        return await provision(order)

    crew.carrier.simulator.provision = lose  # type: ignore[method-assign]
    order = await crew.order("r1")
    assert order.status == "processing"
    assert crew.jobs("provision", "interrupted") == 1
    world.database.write = write  # type: ignore[method-assign]
    crew.carrier.simulator.provision = provision  # type: ignore[method-assign]
    # Without any time passing.
    await crew.drain()
    assert (await world.shown(order.order_id)).status == "completed"


async def test_it_runs_until_it_is_stopped(crew: Crew) -> None:
    async with running(crew), asyncio.timeout(DEADLINE):
        answered = await crew.world.order("r1")
        crew.runner.wake()
        while not await crew.types():
            await asyncio.sleep(0.01)
    order = await crew.world.shown(json.loads(answered.body)["order_id"])
    assert order.status == "completed"


async def test_a_top_up_is_completed_with_one_event(crew: Crew) -> None:
    order = await crew.order("r1")
    before = await crew.world.esim(order.iccids[0])
    body = json.loads((await crew.world.top_up("t1", order.iccids[0])).body)
    crew.carrier.topping = [UnreachableError("away")]
    await crew.drain()
    assert await crew.types() == ["order.completed"]
    await crew.pass_time(SECOND, SECOND)
    after = await crew.world.esim(order.iccids[0])
    assert (after.total_bytes or 0) - (before.total_bytes or 0) == body["data_bytes"]
    assert await crew.types() == ["order.completed", "topup.completed"]
    event = json.loads((await crew.world.events())[-1].body)
    assert event["data"]["status"] == "completed"
    assert event["data"]["balance_after_usd"] == body["balance_after_usd"]
    assert crew.carrier.calls[body["topup_id"]] == 2


async def test_a_refused_top_up_is_refunded(crew: Crew) -> None:
    order = await crew.order("r1")
    before = await crew.world.balance()
    await crew.world.top_up("t1", order.iccids[0])
    assert await crew.world.balance() < before
    crew.carrier.topping = [RefusedError("carrier_rejected", "No.")]
    await crew.drain()
    assert await crew.world.balance() == before
    assert await crew.types() == ["order.completed"]
    assert await crew.world.count("jobs") == 1


async def test_a_top_up_for_an_esim_that_has_ended_is_refunded(crew: Crew) -> None:
    order = await crew.order("r1")
    before = await crew.world.balance()
    body = json.loads((await crew.world.top_up("t1", order.iccids[0])).body)
    end = partial(execute, "UPDATE esims SET status = 'expired'")
    await crew.world.database.write(end)
    await crew.drain()
    assert await crew.world.balance() == before
    assert crew.carrier.calls[body["topup_id"]] == 0


async def test_a_life_has_each_event_once_and_in_order(crew: Crew) -> None:
    """In live mode, where a day takes a day."""
    world = crew.world
    await world.credit(10_000_000)
    (iccid,) = (await crew.order("r1", mode="live")).iccids
    started = world.clock.now()
    total = (await world.esim(iccid, "live")).total_bytes or 0
    for day, used in ((1, 0), (2, total // 2), (3, total - 1), (4, total), (5, total)):
        world.clock.advance(started + day * DAY - world.clock.now())
        seen = Observation(world.clock.now(), "enabled", used, started + DAY)
        crew.carrier.reports[iccid] = seen
        await crew.drain()
    assert await crew.types("live") == [
        "order.completed",
        "esim.activated",
        "esim.usage50",
        "esim.usage80",
        "esim.depleted",
    ]
    end = (await world.esim(iccid, "live")).expires_at
    assert end == started + DAY + 30 * DAY
    expiring, expired = await ends(crew, end, "live")
    assert 20 * HOUR <= end - expiring <= 24 * HOUR
    assert 0 <= expired - end <= 15 * MINUTE
    assert (await crew.types("live"))[5:] == ["esim.expiring", "esim.expired"]
    shown = json.loads((await world.events("live"))[-1].body)["data"]
    assert (shown["iccid"], shown["status"]) == (iccid, "expired")
    assert await world.count("jobs") == 0


async def ends(crew: Crew, end: int, mode: Mode = "test") -> list[int]:
    """Go on until after an end; return when something happened."""
    clock = crew.world.clock
    clock.advance(end - 25 * HOUR - clock.now())
    seen_at: list[int] = []
    known = len(await crew.types(mode))
    while clock.now() < end + HOUR:
        await crew.pass_time(10 * MINUTE, 10 * MINUTE)
        if len(await crew.types(mode)) > known:
            known = len(await crew.types(mode))
            seen_at.append(clock.now())
    return seen_at


async def test_an_esim_expires_in_time_although_the_carrier_is_away(crew: Crew) -> None:
    (iccid,) = (await crew.order("r1")).iccids
    crew.carrier.is_away = True
    end = (await crew.world.esim(iccid)).expires_at
    expiring, expired = await ends(crew, end)
    assert 20 * HOUR <= end - expiring <= 24 * HOUR
    assert 0 <= expired - end <= 15 * MINUTE
    assert await crew.types() == ["order.completed", "esim.expiring", "esim.expired"]


@pytest.mark.parametrize(
    ("hours", "is_announced"), [(24.01, True), (20, True), (0.5, True), (-1, False)]
)
async def test_an_end_is_announced_before_it_or_the_operator_is_warned(
    crew: Crew, hours: float, is_announced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A service that did not run until so many hours before the end."""
    (iccid,) = (await crew.order("r1")).iccids
    esim = await crew.world.esim(iccid)
    crew.world.clock.advance(esim.expires_at - round(hours * HOUR) - crew.world.clock.now())
    await crew.drain()
    while crew.world.clock.now() < esim.expires_at + HOUR:
        await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    announced = ["esim.expiring"] if is_announced else []
    assert await crew.types() == ["order.completed", *announced, "esim.expired"]
    warned = f"{esim.esim_id} has expired without esim.expiring"
    assert (warned in caplog.messages) is not is_announced


@pytest.mark.parametrize(("hours", "is_announced"), [(19, True), (-1, False)])
async def test_an_end_that_the_carrier_moves_is_announced_if_there_is_time(
    crew: Crew, hours: int, is_announced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    (iccid,) = (await crew.order("r1")).iccids
    now = crew.world.clock.now()
    end = now + hours * HOUR
    crew.carrier.reports[iccid] = Observation(now, "installed", 0, None, end)
    while crew.world.clock.now() < max(now, end) + HOUR:
        await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    announced = ["esim.expiring"] if is_announced else []
    assert await crew.types() == ["order.completed", *announced, "esim.expired"]
    warnings = [text for text in caplog.messages if "without esim.expiring" in text]
    assert len(warnings) == (0 if is_announced else 1)


@pytest.mark.parametrize("minute", [0, 1, 5, 9])
async def test_a_change_is_an_event_within_15_minutes(crew: Crew, minute: int) -> None:
    (iccid,) = (await crew.order("r1")).iccids
    await crew.pass_time((20 + minute) * MINUTE, MINUTE)
    assert await seen_after(crew, iccid) <= 15 * MINUTE


async def test_after_a_carrier_was_away_a_change_is_an_event_within_15_minutes(crew: Crew) -> None:
    (iccid,) = (await crew.order("r1")).iccids
    crew.carrier.is_away = True
    await crew.pass_time(2 * HOUR, MINUTE)
    crew.carrier.is_away = False
    assert await seen_after(crew, iccid) <= 15 * MINUTE


async def seen_after(crew: Crew, iccid: str) -> int:
    """Let an eSIM be used, and wait for the event; return how long that took."""
    changed = crew.world.clock.now()
    crew.carrier.reports[iccid] = Observation(changed, "enabled", 1, changed)
    while "esim.activated" not in await crew.types():
        assert crew.world.clock.now() < changed + HOUR
        await crew.pass_time(MINUTE, MINUTE)
    return crew.world.clock.now() - changed


async def test_a_carrier_that_does_not_report_is_asked_ever_more_seldom(crew: Crew) -> None:
    await crew.order("r1")
    crew.carrier.is_away = True
    await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    for attempt in (1, 2, 3):
        await crew.pass_time(retry_after(attempt) - 1, retry_after(attempt) - 1)
        assert crew.jobs("observe", "unanswered") == attempt
        await crew.pass_time(1, 1)
        assert crew.jobs("observe", "unanswered") == attempt + 1


async def test_a_clock_that_is_set_back_delays_nothing(crew: Crew, clock: ManualClock) -> None:
    await crew.order("r1")
    clock.adjust(-HOUR)
    assert (await crew.order("r2")).status == "completed"
    await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    assert crew.jobs("observe", "done") == 1, "of the second order"


async def test_a_top_up_announces_the_later_end_again(crew: Crew) -> None:
    (iccid,) = (await crew.order("r1")).iccids
    clock = crew.world.clock
    crew.carrier.reports[iccid] = Observation(clock.now(), "enabled", GB, clock.now())
    await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    end = (await crew.world.esim(iccid)).expires_at
    clock.advance(end - 23 * HOUR - clock.now())
    await crew.drain()
    await crew.world.top_up("t1", iccid)
    await crew.drain()
    later = (await crew.world.esim(iccid)).expires_at
    assert later == end + 30 * DAY
    await ends(crew, later)
    assert (await crew.types())[1:] == [
        "esim.activated",
        "esim.expiring",
        "topup.completed",
        "esim.expiring",
        "esim.expired",
    ]


async def test_a_reset_in_between_ends_the_jobs(crew: Crew) -> None:
    await crew.order("r1")
    await crew.world.order("r2")
    await crew.world.reset()
    await crew.pass_time(HOUR, 10 * MINUTE)
    assert await crew.world.events() == []
    # Before the removal: a claimed job of an epoch that has ended is dropped.
    assert await crew.world.count("jobs") == 0
    await crew.world.remove_ended()
    assert await crew.world.count("orders") == 0


async def test_a_reset_while_the_carrier_is_asked_leaves_nothing(crew: Crew) -> None:
    provision = crew.carrier.simulator.provision

    async def reset(order: Order) -> Sequence[Profile]:
        await crew.world.reset()
        return await provision(order)

    crew.carrier.simulator.provision = reset  # type: ignore[method-assign]
    await crew.world.order("r1")
    await crew.drain()
    assert await crew.world.events() == []
    await crew.world.remove_ended()
    assert await crew.world.count("esims") == await crew.world.count("jobs") == 0


async def test_a_reset_while_the_carrier_reports_leaves_nothing(crew: Crew) -> None:
    async def reset(esim: Esim, now: int) -> Observation:
        await crew.world.reset()
        return Observation(now, "enabled", 1, now)

    await crew.order("r1")
    crew.carrier.report = reset  # type: ignore[method-assign]
    await crew.pass_time(10 * MINUTE, 10 * MINUTE)
    assert crew.jobs("observe", "done") == 1
    assert await crew.world.events() == []
    await crew.world.remove_ended()
    assert await crew.world.count("esims") == await crew.world.count("jobs") == 0


async def test_workers_share_the_jobs_and_double_no_event(crew: Crew) -> None:
    crews = [crew, *(crew_of(crew.world, crew.carrier) for _ in range(3))]
    for number in range(30):
        await crew.world.order(f"r{number}", quantity=2)
    while sum(await asyncio.gather(*(each.runner.fill() for each in crews))):
        await asyncio.gather(*(each.runner.settle(10) for each in crews))
    assert set(crew.carrier.calls.values()) == {1}
    assert await crew.types() == ["order.completed"] * 30
    crew.world.clock.advance(10 * MINUTE)
    now = crew.world.clock.now()
    for event in await crew.world.events():
        for iccid in json.loads(event.body)["data"]["iccids"]:
            crew.carrier.reports[iccid] = Observation(now, "enabled", 1, now)
    while sum(await asyncio.gather(*(each.runner.fill() for each in crews))):
        await asyncio.gather(*(each.runner.settle(10) for each in crews))
    assert (await crew.types())[30:] == ["esim.activated"] * 60


SCENARIOS = {
    "activate_fast": ["order.completed", "esim.activated"],
    "deplete_fast": [
        "order.completed",
        "esim.activated",
        "esim.usage50",
        "esim.usage80",
        "esim.depleted",
    ],
    "expire_fast": ["order.completed", "esim.activated", "esim.expiring", "esim.expired"],
    "out_of_stock": [],
    "slow_order": ["order.completed"],
    "unknown": ["order.completed"],
}


@pytest.mark.parametrize("late", [250, 1900], ids=["in time", "late"])
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_a_scenario_shows_its_events_within_15_seconds(
    world: World, scenario: str, late: int
) -> None:
    simulator = Simulator()
    crew = crew_of(world)
    work = CarrierJobs(world.database, world.clock, world.ids, simulator, simulator)
    crew.runner = JobRunner(world.database, work, world.clock, WorkMetrics(CollectorRegistry()))
    before = await world.balance()
    answered = await world.order("r1", scenario=scenario, quantity=2)
    await crew.pass_time(15 * SECOND, late)
    shown = await world.shown(json.loads(answered.body)["order_id"])
    expected = SCENARIOS[scenario]
    assert Counter(await crew.types()) == Counter(expected[:1] + expected[1:] * 2)
    for iccid in shown.iccids:
        mine = [
            body["type"] + str(body.get("threshold_percent", ""))
            for event in await world.events()
            if (body := json.loads(event.body))["data"].get("iccid") == iccid
        ]
        assert mine == expected[1:]
    if scenario == "out_of_stock":
        assert (shown.status, await world.balance()) == ("failed", before)


async def test_scenarios_do_nothing_in_live_mode(world: World) -> None:
    simulator = Simulator()
    crew = crew_of(world)
    work = CarrierJobs(world.database, world.clock, world.ids, simulator, simulator)
    crew.runner = JobRunner(world.database, work, world.clock, WorkMetrics(CollectorRegistry()))
    await world.credit(10_000_000)
    for scenario in SCENARIOS:
        await world.order(scenario, mode="live", scenario=scenario)
    await crew.pass_time(15 * SECOND, SECOND)
    assert await crew.types("live") == ["order.completed"] * len(SCENARIOS)


async def test_a_claim_whose_lease_has_ended_changes_nothing_any_more(world: World) -> None:
    await world.order("r1")
    start = world.clock.now()

    async def claim() -> Job:
        now = world.clock.now()
        [job] = await world.database.run(partial(store.take, now, {"provision": 1}, now + LEASE))
        return job

    first = await claim()
    world.clock.advance(LEASE)
    second = await claim()
    assert second.job_id == first.job_id
    await world.database.write(partial(store.postpone, first, start, 7))
    await world.database.write(partial(store.release, first, start))
    assert await world.database.read(partial(store.count_due, world.clock.now())) == {}
    await world.database.write(partial(store.postpone, second, start, 1))
    assert (await claim()).attempts == 1


async def test_an_esim_that_the_carrier_revokes_is_shown_and_not_asked_about_again(
    crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    order = await crew.order("r1")
    (iccid,) = order.iccids
    crew.world.clock.advance(10 * MINUTE)
    now = crew.world.clock.now()
    crew.carrier.reports[iccid] = Observation(now, "deleted", 0, None, is_revoked=True)
    with caplog.at_level(logging.WARNING):
        await crew.drain()
    esim = await crew.world.esim(iccid)
    assert (esim.status, esim.profile_status) == ("revoked", "deleted")
    assert await crew.world.count("jobs") == 0
    assert await crew.types() == ["order.completed"]
    [record] = caplog.records
    assert (record.getMessage(), record.__dict__["esim_id"]) == (
        "the carrier has revoked an eSIM",
        esim.esim_id,
    )


async def test_an_error_of_a_profile_is_logged_once(
    crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    order = await crew.order("r1")
    (iccid,) = order.iccids
    with caplog.at_level(logging.WARNING):
        for status in ("error", "error", "enabled", "error"):
            crew.world.clock.advance(10 * MINUTE)
            now = crew.world.clock.now()
            crew.carrier.reports[iccid] = Observation(now, status, 0, None)
            await crew.drain()
            assert (await crew.world.esim(iccid)).profile_status == status
    assert [record.getMessage() for record in caplog.records] == [
        "the carrier reports an error of a profile"
    ] * 2
    assert (await crew.world.esim(iccid)).status == "ready"


async def test_what_expires_soon_is_reported_late_after_an_outage(crew: Crew) -> None:
    order = await crew.order("r1")
    esim = await crew.world.esim(order.iccids[0])
    crew.world.clock.advance(esim.expires_at - crew.world.clock.now() - 2 * HOUR)
    await crew.drain()
    assert await crew.types() == ["order.completed", "esim.expiring"]
    await crew.pass_time(3 * HOUR, HOUR)
    assert await crew.types() == ["order.completed", "esim.expiring", "esim.expired"]
