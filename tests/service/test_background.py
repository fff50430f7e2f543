"""Orders, events and deliveries to real receivers, while the service works by itself."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address, ip_network

import pytest
from prometheus_client import CollectorRegistry

from esim_service.carrier.simulator import Simulator
from esim_service.delivery.addresses import Address, AddressRule
from esim_service.delivery.runner import LEASE, PER_ENDPOINT
from esim_service.delivery.sender import Sender, trust
from esim_service.process.background import Background
from esim_service.store.changes.database import UnavailableError
from esim_service.store.drivers.postgres import PostgresDatabase
from esim_service.store.statements.unit import Unit, execute, rows
from esim_service.store.tables import events as event_store
from esim_service.values.clock import MINUTE, SECOND
from esim_service.values.entities import Scope, WebhookEndpoint
from esim_service.values.ids import Prefix
from esim_service.work.metrics import WorkMetrics
from esim_service.work.runner import LEASE as JOB_LEASE
from partner_esim import models, webhooks

from .receiver import Authority, Behaviour, Receiver, answer, receiver
from .running import DEADLINE
from .world import SECRET, World

pytestmark = pytest.mark.anyio

HOST = "hooks.example"
ELSEWHERE = Scope("prt_other", "test")
LOOPBACK = AddressRule((ip_network("127.0.0.0/8"),))


async def resolve(_: str) -> tuple[Address, ...]:
    return (ip_address("127.0.0.1"),)


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(DEADLINE):
        while True:
            found = condition()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.01)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@dataclass
class Scenery:
    """A world, with everything that is needed to work and to receive in it."""

    world: World
    authority: Authority

    @asynccontextmanager
    async def receives(self, behave: Behaviour) -> AsyncIterator[Receiver]:
        async with receiver(self.authority.context(HOST), behave) as seen:
            yield seen

    @asynccontextmanager
    async def background(
        self, registry: CollectorRegistry | None = None
    ) -> AsyncIterator[tuple[Background, asyncio.Task[None]]]:
        """Let the background work run for the time of the context."""
        world, simulator = self.world, Simulator()
        context = trust(self.authority.file)
        async with Sender(world.clock, LOOPBACK, resolve, context) as sender:
            background = Background(
                world.database,
                world.clock,
                world.ids,
                simulator,
                simulator,
                sender.send,
                WorkMetrics(registry or CollectorRegistry()),
                spread=lambda: 0.0,
            )
            task = asyncio.create_task(background.run())
            try:
                yield background, task
            finally:
                background.stop()
                await asyncio.wait_for(asyncio.wait([task]), DEADLINE)

    async def endpoint(
        self, seen: Receiver, event_types: Sequence[str] | None = None
    ) -> WebhookEndpoint:
        return await self.world.endpoint(f"https://{HOST}:{seen.port}/in", event_types)

    def parsed(self, seen: Receiver) -> list[models.Event]:
        """Return the received events, as the generated SDK reads them."""
        now = self.world.clock.now() / SECOND
        return [
            webhooks.parse(request.body, request.headers, SECRET, now=now, tolerance=24 * 3600)
            for request in seen.requests
        ]

    async def nothing_waits(self) -> bool:
        return await self.world.count("deliveries") == 0


@pytest.fixture
def scenery(world: World, authority: Authority) -> Scenery:
    return Scenery(world, authority)


async def test_of_several_processes_each_keeps_its_own_jobs(scenery: Scenery) -> None:
    async with scenery.background() as (background, _):
        assert background.lease("provision") == JOB_LEASE
        answered = await scenery.world.order("r1", lease=JOB_LEASE)
        assert answered.job is not None
        background.begin(answered.job)

        async def ended() -> bool:
            # The event is there a moment before the job that wrote it ends.
            return len(await scenery.world.events()) == 1 and not background._jobs.in_progress

        await until(ended)
        background._jobs._per_kind = 0
        assert background.lease("provision") == 0

        async def is_at_rest() -> bool:
            return not background._jobs.in_progress

        # The event is there before the job has come to its end.
        await until(is_at_rest)
        background._jobs._per_kind = 1
        assert background.lease("provision") == JOB_LEASE
        background.stop()
        assert background.lease("provision") == 0


async def test_a_life_from_the_order_to_a_top_up_is_delivered(scenery: Scenery) -> None:
    world = scenery.world
    async with scenery.receives(answer("200 OK")) as seen, scenery.background():
        await scenery.endpoint(seen)
        await world.order("r1", scenario="deplete_fast")

        async def depleted() -> bool:
            world.clock.advance(100)
            return "esim.depleted" in {event.type for event in await world.events()}

        await until(depleted)
        (iccid,) = json.loads((await world.events())[0].body)["data"]["iccids"]
        await world.top_up("t1", iccid)

        async def topped_up() -> bool:
            return len(await world.events()) == 6

        await until(topped_up)
        await until(scenery.nothing_waits)
    events = await world.events()
    assert [event.type for event in events] == [
        "order.completed",
        "esim.activated",
        "esim.usage",
        "esim.usage",
        "esim.depleted",
        "topup.completed",
    ]
    assert [event.sequence for event in events] == [1, 2, 3, 4, 5, 6]
    received = {request.headers["Service-Event-Id"]: request for request in seen.requests}
    assert len(seen.requests) == len(received) == 6
    for event in events:
        request = received[event.event_id]
        assert request.body == event.body
        assert request.headers["Service-Event-Type"] == event.type
    parsed = {each.id: each for each in scenery.parsed(seen)}
    thresholds = [
        each.threshold_percent
        for event in events
        if isinstance(each := parsed[event.event_id], models.EsimUsageEvent)
    ]
    assert thresholds == [50, 80]
    assert (await world.esim(iccid)).status == "active"


async def test_a_failure_is_followed_by_the_same_bytes_under_a_new_signature(
    scenery: Scenery,
) -> None:
    world = scenery.world

    async def refuse_first(reader: object, writer: object, count: int) -> None:
        behave = answer("500 Internal Server Error") if count == 1 else answer("204 No Content")
        await behave(reader, writer, count)  # type: ignore[arg-type]

    async with scenery.receives(refuse_first) as seen, scenery.background():
        endpoint = await scenery.endpoint(seen)
        await world.completed("r1")

        async def failed() -> bool:
            shown = await world.endpoint_now(endpoint.endpoint_id)
            return shown.last_failure_at is not None

        await until(failed)
        assert len(seen.requests) == 1
        world.clock.advance(MINUTE)
        await until(scenery.nothing_waits)
    first, second = seen.requests
    assert second.body == first.body
    assert second.headers["Service-Event-Id"] == first.headers["Service-Event-Id"]
    assert second.headers["Service-Signature"] != first.headers["Service-Signature"]
    assert len(scenery.parsed(seen)) == 2


async def test_an_acknowledgement_that_is_not_recorded_leads_to_one_duplicate(
    scenery: Scenery, caplog: pytest.LogCaptureFixture
) -> None:
    world = scenery.world
    async with scenery.receives(answer("200 OK")) as seen, scenery.background():
        await scenery.endpoint(seen)
        write = world.database.write

        async def lose(make: Callable[[], Unit[None]]) -> None:
            # Writes after the response of the receiver get lost.
            if not seen.requests:
                return await write(make)
            raise UnavailableError("the disk is full")

        await world.completed("r1")
        world.database.write = lose  # type: ignore[assignment,method-assign]
        await until(lambda: "cannot be recorded" in caplog.text)
        world.database.write = write  # type: ignore[method-assign]
        world.clock.advance(LEASE)
        await until(scenery.nothing_waits)
    first, second = seen.requests
    assert second.body == first.body
    assert second.headers["Service-Event-Id"] == first.headers["Service-Event-Id"]


async def test_deliveries_survive_a_restart(scenery: Scenery) -> None:
    async with scenery.receives(answer("200 OK")) as seen:
        await scenery.endpoint(seen)
        for number in range(5):
            await scenery.world.completed(f"r{number}")
        async with scenery.background():
            await until(scenery.nothing_waits)
    sent = {request.headers["Service-Event-Id"] for request in seen.requests}
    assert sent == {event.event_id for event in await scenery.world.events()}


async def test_a_new_process_does_not_wait_for_the_leases_of_one_that_died(
    scenery: Scenery,
) -> None:
    world = scenery.world
    if isinstance(world.database, PostgresDatabase):
        pytest.skip("another process may have them")
    async with scenery.receives(answer("200 OK")) as seen:
        await scenery.endpoint(seen)
        await world.completed("r1")
        await world.order("r2")
        now = world.clock.now()
        for table in ("deliveries", "jobs"):
            claim = f"UPDATE {table} SET due_at = $1 WHERE due_at <= $2"
            await world.database.write(partial(execute, claim, now + LEASE, now))
        async with scenery.background():
            await until(lambda: len(seen.requests) == 2)


async def hang(_: object, __: object, ___: int) -> None:
    await asyncio.Event().wait()


async def test_what_is_cut_off_is_given_to_the_next_worker(scenery: Scenery) -> None:
    async with scenery.receives(hang) as seen:
        await scenery.endpoint(seen)
        await scenery.world.completed("r1")
        async with scenery.background() as (_, task):
            await until(lambda: len(seen.requests) == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        seen.behave = answer("200 OK")
        # No time passes: the lease was given back.
        async with scenery.background():
            await until(scenery.nothing_waits)
    assert len({request.body for request in seen.requests}) == 1


async def test_a_hundred_hanging_endpoints_do_not_delay_a_healthy_one(scenery: Scenery) -> None:
    world = scenery.world
    async with scenery.receives(hang) as dead, scenery.receives(answer("200 OK")) as healthy:
        known = await scenery.endpoint(dead, [])
        await world.test_event(known.endpoint_id)
        (event,) = await world.events()

        def neglect() -> Unit[None]:
            for _ in range(99):
                endpoint_id = world.ids.new(Prefix.ENDPOINT)
                yield from event_store.add_endpoint(
                    replace(known, endpoint_id=endpoint_id, scope=ELSEWHERE)
                )
                for _ in range(2 * PER_ENDPOINT):
                    delivery_id = world.ids.new(Prefix.DELIVERY)
                    yield from event_store.add_delivery(
                        delivery_id, event, endpoint_id, event.created_at
                    )

        await world.database.write(neglect)
        async with scenery.background() as (_, task):
            await until(lambda: len(dead.requests) == 100)
            await scenery.endpoint(healthy, ["order.completed"])
            await world.completed("r1")
            world.clock.advance(SECOND)
            await until(lambda: len(healthy.requests) == 1)
            task.cancel()


async def test_two_workers_on_one_database_never_send_the_same_delivery_twice(
    scenery: Scenery,
) -> None:
    async with scenery.receives(answer("200 OK")) as seen:
        known = [await scenery.endpoint(seen) for _ in range(3)]
        async with scenery.background(), scenery.background():
            for number in range(25):
                await scenery.world.order(f"r{number}")

            async def complete() -> bool:
                return len(await scenery.world.events()) == 25

            await until(complete)
            await until(scenery.nothing_waits)
    sent = Counter(request.headers["Service-Event-Id"] for request in seen.requests)
    assert sent == {event.event_id: len(known) for event in await scenery.world.events()}


async def test_it_survives_a_database_that_goes_away(
    scenery: Scenery, caplog: pytest.LogCaptureFixture
) -> None:
    world = scenery.world
    read, write = world.database.read, world.database.write

    async def away(_: object) -> None:
        raise UnavailableError("the disk is full")

    async with scenery.receives(answer("200 OK")) as seen, scenery.background() as (_, task):
        await scenery.endpoint(seen)
        await world.order("r1")
        world.database.read = world.database.write = away  # type: ignore[assignment,method-assign]
        await until(lambda: "jobs cannot be claimed" in caplog.text)
        await until(lambda: "deliveries cannot be claimed" in caplog.text)
        world.database.read, world.database.write = read, write  # type: ignore[method-assign]
        world.clock.advance(LEASE)
        await until(lambda: len(seen.requests) == 1)
        assert not task.done()


async def test_it_survives_a_postgresql_that_ends_all_connections(
    world: World, scenery: Scenery, request: pytest.FixtureRequest
) -> None:
    if not isinstance(world.database, PostgresDatabase):
        pytest.skip("SQLite has no connections")
    other = await PostgresDatabase.open(request.getfixturevalue("postgres_url"), connections=1)
    try:
        async with scenery.receives(answer("200 OK")) as seen, scenery.background() as (_, task):
            await scenery.endpoint(seen)
            await world.order("r1")
            end = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            for _ in range(3):
                await other.read(partial(rows, end))
            world.clock.advance(LEASE)
            await until(lambda: len(seen.requests) >= 1)
            assert not task.done()
    finally:
        await other.close()
    assert [event.type for event in await world.events()] == ["order.completed"]


async def test_a_mistake_of_ours_does_not_end_it(
    scenery: Scenery, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with scenery.receives(answer("200 OK")) as seen, scenery.background() as (work, _):
        await scenery.endpoint(seen)

        async def broken() -> int:
            monkeypatch.undo()
            raise RuntimeError("a mistake of ours")

        monkeypatch.setattr(work._jobs, "fill", broken)
        monkeypatch.setattr(work._deliveries, "fill", broken)
        with caplog.at_level(logging.ERROR):
            await until(lambda: "a mistake of ours" in caplog.text)
            await scenery.world.order("r1")
            await until(lambda: len(seen.requests) == 1)


async def test_operators_see_what_it_does(scenery: Scenery) -> None:
    registry = CollectorRegistry()
    for number in range(3):
        await scenery.world.order(f"r{number}")
    async with scenery.receives(answer("200 OK")) as seen, scenery.background(registry):
        await scenery.endpoint(seen)
        delivered = partial(
            registry.get_sample_value,
            "esim_delivery_attempts_total",
            {"outcome": "acknowledged"},
        )
        done = partial(
            registry.get_sample_value,
            "esim_jobs_total",
            {"kind": "provision", "outcome": "done"},
        )
        await until(lambda: done() == 3)
        await scenery.world.order("later")
        await until(lambda: (delivered() or 0) >= 1)
    for state in ("new", "retrying"):
        assert registry.get_sample_value("esim_deliveries_waiting", {"state": state}) is not None
    assert registry.get_sample_value("esim_jobs_due", {"kind": "observe"}) is not None


async def test_a_stop_leaves_no_task_behind(scenery: Scenery) -> None:
    before = asyncio.all_tasks()
    async with scenery.background() as (work, task):
        work.wake()
        await asyncio.sleep(0)
        work.stop()
        await asyncio.wait_for(task, DEADLINE)
    # The database comes to the end of what it was asked.
    await until(lambda: asyncio.all_tasks() == before)
