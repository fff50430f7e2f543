"""The worker makes due deliveries, fairly, and releases those that it cannot finish."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from esim_service.delivery.runner import (
    IN_FLIGHT,
    LEASE,
    OPEN,
    PER_ENDPOINT,
    DeliveryRunner,
    DueDelivery,
)
from esim_service.delivery.sender import (
    Acknowledged,
    AttemptOutcome,
    Failed,
    FailureReason,
    WebhookMessage,
)
from esim_service.store.changes.database import OperatorError, UnavailableError
from esim_service.values.clock import SECOND

from .manual_clock import ManualClock
from .running import DEADLINE


@dataclass
class Row:
    claim: DueDelivery
    due_at: int


class MemoryOutbox:
    """An in-memory implementation of the outbox protocol."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.recorded: list[tuple[str, AttemptOutcome, int]] = []
        self.released: list[str] = []
        self.available = True

    def put(self, endpoint: str, count: int = 1, due_at: int = 0) -> None:
        for _ in range(count):
            name = f"dlv_{len(self.rows)}"
            message = WebhookMessage(f"https://{endpoint}/", "whsec_", "evt_1", "esim.usage", b"{}")
            self.rows[name] = Row(DueDelivery(name, endpoint, 0, 0, 0, message), due_at)

    async def claim(
        self, now: int, lease_until: int, limit: int, per_endpoint: int, busy: Mapping[str, int]
    ) -> Sequence[DueDelivery]:
        self._check()
        ranks = Counter(busy)
        found: list[tuple[int, int, Row]] = []
        for row in sorted(self.rows.values(), key=lambda row: row.due_at):
            if row.due_at <= now:
                ranks[row.claim.endpoint_id] += 1
                rank = ranks[row.claim.endpoint_id]
                if rank <= per_endpoint:
                    found.append((rank, row.due_at, row))
        found.sort(key=lambda each: each[:2])
        claims = []
        for _, _, row in found[:limit]:
            row.due_at = lease_until
            claims.append(replace(row.claim, lease_until=lease_until))
        return claims

    async def record(
        self, claim: DueDelivery, outcome: AttemptOutcome, at: int, milliseconds: int
    ) -> None:
        self._check()
        self.recorded.append((claim.endpoint_id, outcome, at))
        del self.rows[claim.delivery_id]

    async def release(self, claims: Sequence[DueDelivery]) -> None:
        self._check()
        self.released += [claim.delivery_id for claim in claims]

    def _check(self) -> None:
        if not self.available:
            raise UnavailableError("the disk is full")


class Network:
    """Endpoints that answer at once, but for those that hang."""

    def __init__(self) -> None:
        self.hanging: set[str] = set()
        self.answers = asyncio.Event()
        self.started: list[str] = []
        self.open: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    async def send(self, message: WebhookMessage) -> AttemptOutcome:
        endpoint = message.url.split("/")[2]
        self.started.append(endpoint)
        self.open[endpoint] += 1
        self.most[endpoint] = max(self.most[endpoint], self.open[endpoint])
        try:
            if endpoint in self.hanging:
                await self.answers.wait()
                return Failed(FailureReason.TIMEOUT)
            if endpoint == "locked":
                raise OperatorError("there is no key")
            if endpoint == "broken":
                raise RuntimeError("a mistake of ours")
            return Acknowledged(200)
        finally:
            self.open[endpoint] -= 1


@dataclass
class World:
    outbox: MemoryOutbox
    network: Network
    clock: ManualClock
    worker: DeliveryRunner

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


@pytest.fixture
async def world(clock: ManualClock, anyio_backend: str) -> World:
    outbox, network = MemoryOutbox(), Network()
    return World(
        outbox, network, clock, DeliveryRunner(outbox, network.send, clock, grace_seconds=0)
    )


pytestmark = pytest.mark.anyio


async def test_what_is_due_is_sent_and_recorded(world: World) -> None:
    world.outbox.put("a")
    world.outbox.put("later", due_at=world.clock.now() + 1)
    await world.worker.fill()
    await world.settle()
    assert world.outbox.recorded == [("a", Acknowledged(200), world.clock.now())]


async def test_a_claim_has_a_lease(world: World) -> None:
    world.network.hanging.add("a")
    world.outbox.put("a")
    await world.worker.fill()
    (row,) = world.outbox.rows.values()
    assert row.due_at == world.clock.now() + LEASE
    assert LEASE > 15 * SECOND


async def test_an_endpoint_gets_four_at_a_time(world: World) -> None:
    world.network.hanging.add("a")
    world.outbox.put("a", 10)
    for _ in range(3):
        await world.worker.fill()
        await world.settle()
        world.clock.advance(SECOND)
    assert world.network.most["a"] == PER_ENDPOINT


async def test_no_more_than_a_hundred_are_begun_at_once(world: World) -> None:
    for endpoint in range(150):
        world.network.hanging.add(f"e{endpoint}")
        world.outbox.put(f"e{endpoint}")
    await world.worker.fill()
    await world.worker.fill()
    await world.settle()
    assert len(world.network.started) == IN_FLIGHT


async def test_a_hundred_hanging_endpoints_do_not_delay_a_healthy_one(world: World) -> None:
    for endpoint in range(100):
        world.network.hanging.add(f"dead{endpoint}")
        world.outbox.put(f"dead{endpoint}", 20)
    await world.worker.fill()
    await world.settle()
    world.outbox.put("healthy", due_at=world.clock.now())
    world.clock.advance(SECOND)
    await world.worker.fill()
    await world.settle()
    assert [endpoint for endpoint, _, _ in world.outbox.recorded] == ["healthy"]


async def test_there_is_an_end_to_what_is_open(world: World) -> None:
    for endpoint in range(OPEN + 50):
        world.network.hanging.add(f"dead{endpoint}")
        world.outbox.put(f"dead{endpoint}")
    for _ in range(15):
        await world.worker.fill()
        await world.settle()
        world.clock.advance(SECOND)
    assert world.network.open.total() == OPEN


async def test_a_mistake_of_ours_counts_as_a_failure(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.outbox.put("broken")
    with caplog.at_level(logging.ERROR):
        await world.worker.fill()
        await world.settle()
    assert [outcome for _, outcome, _ in world.outbox.recorded] == [Failed(FailureReason.INTERNAL)]
    assert "dlv_0" in caplog.text


async def test_an_attempt_that_is_never_made_does_not_count(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.outbox.put("locked")
    with caplog.at_level(logging.ERROR):
        await world.worker.fill()
        await world.settle()
    assert world.outbox.recorded == []
    # It comes again when its lease has ended.
    assert world.outbox.rows["dlv_0"].due_at == world.clock.now() + LEASE
    assert "there is no key" in caplog.text


async def test_a_database_that_is_away_ends_nothing(world: World) -> None:
    world.outbox.put("a")
    world.outbox.available = False
    await world.worker.fill()
    world.outbox.available = True
    await world.worker.fill()
    world.outbox.available = False
    await world.settle()
    assert world.network.started == ["a"]
    # It could not be recorded, so it is sent once more when the lease has ended.
    world.outbox.available = True
    world.clock.advance(LEASE)
    await world.worker.fill()
    await world.settle()
    assert world.network.started == ["a", "a"]
    assert world.outbox.rows == {}


async def test_it_runs_until_it_is_stopped(world: World) -> None:
    running = asyncio.create_task(world.worker.run())
    await world.settle()
    world.outbox.put("a")
    world.worker.wake()
    await world.settle()
    assert len(world.outbox.recorded) == 1
    world.worker.stop()
    await asyncio.wait_for(running, DEADLINE)
    world.outbox.put("b")
    await world.settle()
    assert len(world.outbox.recorded) == 1


async def test_an_attempt_that_ends_makes_room_at_once(world: World) -> None:
    world.outbox.put("a", 3 * PER_ENDPOINT)
    running = asyncio.create_task(world.worker.run())
    await asyncio.sleep(0)
    for _ in range(5):
        await world.settle()
    assert len(world.outbox.recorded) == 3 * PER_ENDPOINT
    world.worker.stop()
    await running


async def test_a_stop_gives_back_what_hangs(world: World) -> None:
    world.network.hanging.add("dead")
    world.outbox.put("dead", 2)
    world.outbox.put("a")
    running = asyncio.create_task(world.worker.run())
    await world.settle()
    world.worker.stop()
    await asyncio.wait_for(running, DEADLINE)
    assert world.outbox.released == ["dlv_0", "dlv_1"]
    assert [endpoint for endpoint, _, _ in world.outbox.recorded] == ["a"]


async def test_a_stop_waits_a_little_for_what_is_in_flight(
    world: World, clock: ManualClock
) -> None:
    worker = DeliveryRunner(world.outbox, world.network.send, clock, grace_seconds=5)
    world.network.hanging.add("slow")
    world.outbox.put("slow")
    running = asyncio.create_task(worker.run())
    await world.settle()
    worker.stop()
    await world.settle()
    world.network.answers.set()
    await asyncio.wait_for(running, DEADLINE)
    assert world.outbox.released == []
    assert [endpoint for endpoint, _, _ in world.outbox.recorded] == ["slow"]


async def test_a_cancellation_gives_back_what_hangs(world: World) -> None:
    world.network.hanging.add("dead")
    world.outbox.put("dead")
    running = asyncio.create_task(world.worker.run())
    await world.settle()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert world.outbox.released == ["dlv_0"]


async def test_an_attempt_that_ends_in_spite_of_the_stop_is_not_given_back(
    world: World, clock: ManualClock
) -> None:
    async def insist(_: WebhookMessage) -> AttemptOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Acknowledged(200)
        raise AssertionError

    worker = DeliveryRunner(world.outbox, insist, clock, grace_seconds=0)
    world.outbox.put("a")
    running = asyncio.create_task(worker.run())
    await world.settle()
    worker.stop()
    await asyncio.wait_for(running, DEADLINE)
    assert world.outbox.released == []
    assert [outcome for _, outcome, _ in world.outbox.recorded] == [Acknowledged(200)]
