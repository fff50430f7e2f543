"""Deliveries in the database are claimed fairly, and recorded as the contract's schedule says."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from esim_service.delivery.outbox import DatabaseOutbox
from esim_service.delivery.runner import LEASE, PER_ENDPOINT, DueDelivery
from esim_service.delivery.schedule import JITTER
from esim_service.delivery.sender import Acknowledged, Failed, FailureReason
from esim_service.domain import endpoints, redelivery
from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import attempts
from esim_service.store.tables import events as event_store
from esim_service.store.tables import outbox as outbox_store
from esim_service.values.clock import DAY, HOUR, MINUTE, SECOND
from esim_service.values.entities import Event
from esim_service.values.ids import Prefix
from esim_service.work.metrics import WorkMetrics
from esim_service.work.retention import purge

from .manual_clock import ManualClock
from .world import SECRET, World

pytestmark = pytest.mark.anyio

FAILED = Failed(FailureReason.STATUS, 500)
TOOK = 120


@dataclass
class Queue:
    """The outbox of a world, with its clock and metrics."""

    world: World
    outbox: DatabaseOutbox
    registry: CollectorRegistry

    @property
    def clock(self) -> ManualClock:
        return self.world.clock

    async def claim(
        self, limit: int = 100, busy: Mapping[str, int] | None = None
    ) -> Sequence[DueDelivery]:
        now = self.clock.now()
        return await self.outbox.claim(now, now + LEASE, limit, PER_ENDPOINT, busy or {})

    async def fail(self, claim: DueDelivery) -> None:
        await self.outbox.record(claim, FAILED, self.clock.now(), TOOK)

    async def acknowledge(self, claim: DueDelivery) -> None:
        await self.outbox.record(claim, Acknowledged(200), self.clock.now(), TOOK)

    async def waiting(self) -> int:
        return await self.world.count("deliveries")

    async def fill(self, endpoint_id: str, count: int) -> None:
        """Queue an event many times."""
        (event, *_) = await self.world.events()
        await self.world.database.write(partial(self._fill, event, endpoint_id, count))

    def _fill(self, event: Event, endpoint_id: str, count: int) -> Unit[None]:
        for _ in range(count):
            delivery_id = self.world.ids.new(Prefix.DELIVERY)
            yield from event_store.add_delivery(delivery_id, event, endpoint_id, event.created_at)

    def counted(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


@pytest.fixture
def queue(world: World) -> Queue:
    registry = CollectorRegistry()
    outbox = DatabaseOutbox(world.database, WorkMetrics(registry), spread=lambda: 0.0)
    return Queue(world, outbox, registry)


async def exhaust(queue: Queue) -> None:
    """Let everything that is due fail until nothing is left."""
    while await queue.waiting():
        for claim in await queue.claim():
            await queue.fail(claim)
        queue.clock.advance(MINUTE)


async def test_a_claim_has_the_frozen_bytes_and_what_to_do_with_them(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/in")
    await queue.world.completed("r1")
    (event,) = await queue.world.events()
    (claim,) = await queue.claim()
    assert (claim.endpoint_id, claim.attempts) == (endpoint.endpoint_id, 0)
    assert claim.lease_until == queue.clock.now() + LEASE
    message = claim.message
    assert (message.url, message.secret) == ("https://a.example/in", SECRET)
    assert (message.event_id, message.event_type) == (event.event_id, "order.completed")
    assert message.body == event.body
    assert SECRET not in repr(claim)


async def test_attempts_that_end_together_are_recorded_together(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by itself, three hundred that time out would stand before every order."""
    database = queue.world.database
    recorded: list[int] = []
    making = 0

    async def write_all(makes: Sequence[Any]) -> Sequence[Any]:
        nonlocal making
        making += 1
        assert making == 1
        recorded.append(len(makes))
        try:
            return await write(makes)
        finally:
            making -= 1

    count = 40
    monkeypatch.setattr(endpoints, "CAPACITY", count)
    for number in range(count):
        await queue.world.endpoint(f"https://{number}.example/")
    await queue.world.completed("r1")
    claims = await queue.claim()
    write = database.write_all
    monkeypatch.setattr(database, "write_all", write_all)
    await asyncio.gather(
        *(queue.fail(claim) for claim in claims[: count // 2]),
        *(queue.acknowledge(claim) for claim in claims[count // 2 :]),
    )
    assert sum(recorded) == count and len(recorded) <= 2
    assert await queue.waiting() == count // 2
    assert await queue.world.count("delivery_attempts") == count


async def test_attempts_of_one_endpoint_are_recorded_one_after_the_other(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    await queue.fill(endpoint.endpoint_id, 2)
    first, *others = await queue.claim()
    await queue.fail(first)
    queue.clock.advance(SECOND)
    await asyncio.gather(queue.acknowledge(others[0]), queue.fail(others[1]))
    (after,) = await queue.world.database.read(partial(event_store.endpoints, queue.world.scope()))
    # It fails since the acknowledgement, and not since the failure before that.
    assert after.last_success_at == after.failing_since == queue.clock.now()


async def test_a_claim_is_nobody_elses_until_its_lease_ends(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (first,) = await queue.claim()
    queue.clock.advance(LEASE - 1)
    assert await queue.claim() == []
    queue.clock.advance(1)
    (second,) = await queue.claim()
    assert second.message == first.message
    assert second.delivery_id == first.delivery_id
    assert second.attempts == 0


async def test_nothing_is_due_before_its_time(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    queue.clock.adjust(-1)
    assert await queue.claim() == []


async def test_a_clock_that_is_set_back_delays_no_event(queue: Queue, clock: ManualClock) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    clock.adjust(-HOUR)
    await queue.world.completed("r2")
    (_, event) = await queue.world.events()
    (claim,) = await queue.claim()
    assert claim.message.event_id == event.event_id


async def test_an_endpoint_gets_what_it_has_room_for(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    await queue.fill(endpoint.endpoint_id, 9)
    busy = {endpoint.endpoint_id: 3}
    assert len(await queue.claim(busy=busy)) == 1
    assert len(await queue.claim()) == PER_ENDPOINT
    assert await queue.claim(busy={endpoint.endpoint_id: PER_ENDPOINT}) == []


async def test_the_first_of_every_endpoint_comes_before_the_second_of_any(queue: Queue) -> None:
    known = [await queue.world.endpoint(f"https://{name}.example/") for name in "abc"]
    await queue.world.completed("r1")
    for endpoint in known[:2]:
        await queue.fill(endpoint.endpoint_id, 20)
    claims = await queue.claim(limit=3)
    assert sorted(claim.endpoint_id for claim in claims) == sorted(
        endpoint.endpoint_id for endpoint in known
    )
    busy = Counter(claim.endpoint_id for claim in claims)
    again = await queue.claim(limit=3, busy=busy)
    assert {claim.endpoint_id for claim in again} == {
        webhook_endpoint.endpoint_id for webhook_endpoint in known[:2]
    }


async def test_within_a_rank_the_oldest_comes_first(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    for number in range(6):
        await queue.world.completed(f"r{number}")
        queue.clock.advance(SECOND)
    events = [event.event_id for event in await queue.world.events()]
    for expected in (events[:2], events[2:4]):
        claims = await queue.claim(limit=2)
        assert sorted(claim.message.event_id for claim in claims) == sorted(expected)
    assert {claim.endpoint_id for claim in claims} == {endpoint.endpoint_id}


async def test_the_oldest_of_an_endpoint_comes_first_whichever_was_queued_first(
    queue: Queue,
) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (retried,) = await queue.claim()
    await queue.fail(retried)
    queue.clock.advance(MINUTE - 1)
    await queue.fill(endpoint.endpoint_id, 1)
    queue.clock.advance(SECOND)
    (first,) = await queue.world.database.read(partial(outbox_store.due, queue.clock.now(), 1))
    assert first.delivery_id != retried.delivery_id


async def test_a_long_queue_hides_nobody(queue: Queue) -> None:
    dead = await queue.world.endpoint("https://dead.example/")
    healthy = await queue.world.endpoint("https://healthy.example/", ["topup.completed"])
    await queue.world.completed("r1")
    await queue.fill(dead.endpoint_id, 3000)
    queue.clock.advance(HOUR)
    (event,) = await queue.world.events()
    await queue.world.database.write(partial(queue._fill, event, healthy.endpoint_id, 1))
    claims = await queue.claim(limit=2)
    assert {claim.endpoint_id for claim in claims} == {dead.endpoint_id, healthy.endpoint_id}


async def test_an_acknowledgement_ends_a_delivery_and_shows_on_the_endpoint(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (claim,) = await queue.claim()
    queue.clock.advance(SECOND)
    await queue.acknowledge(claim)
    assert await queue.waiting() == 0
    after = await queue.world.endpoint_now(endpoint.endpoint_id)
    assert after.last_success_at == queue.clock.now()
    assert queue.counted("esim_delivery_attempts_total", outcome="acknowledged") == 1


async def test_the_log_tells_of_each_attempt(
    queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (event,) = await queue.world.events()
    with caplog.at_level(logging.INFO):
        (claim,) = await queue.claim()
        await queue.fail(claim)
        queue.clock.advance(MINUTE)
        (claim,) = await queue.claim()
        await queue.acknowledge(claim)
    told = [vars(record) for record in caplog.records if record.message == "delivery attempt"]
    assert [each["outcome"] for each in told] == ["status", "acknowledged"]
    assert [each["status"] for each in told] == [500, 200]
    assert [each["attempt"] for each in told] == [1, 2]
    assert {each["event_id"] for each in told} == {event.event_id}
    assert {each["endpoint_id"] for each in told} == {endpoint.endpoint_id}


async def test_six_attempts_on_the_contracts_schedule_then_it_is_exhausted(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    bodies = set()
    for minutes in (0, 1, 5, 30, 120, 720):
        if minutes:
            queue.clock.advance(minutes * MINUTE - 1)
            assert await queue.claim() == []
            queue.clock.advance(1)
        (claim,) = await queue.claim()
        bodies.add(claim.message.body)
        queue.clock.advance(15 * SECOND)
        await queue.fail(claim)
    assert len(bodies) == 1
    assert await queue.waiting() == 0
    after = await queue.world.endpoint_now(endpoint.endpoint_id)
    assert (after.status, after.exhausted) == ("enabled", True)
    assert after.last_failure_at == queue.clock.now()
    assert queue.counted("esim_deliveries_ended_total", state="exhausted") == 1
    assert queue.counted("esim_delivery_attempts_total", outcome="status") == 6


async def disable(queue: Queue) -> str:
    endpoint = await queue.world.endpoint("https://a.example/")
    for _ in range(2):
        await queue.world.completed(f"r{queue.clock.now()}")
        await exhaust(queue)
        queue.clock.advance(120 * HOUR)
    await queue.world.completed("last")
    await queue.fill(endpoint.endpoint_id, 700)
    test = await queue.world.test_event(endpoint.endpoint_id)
    claims = [each for each in await queue.claim() if each.message.event_id != test]
    await queue.fail(claims[0])
    return endpoint.endpoint_id


async def test_an_endpoint_without_a_success_in_120_hours_is_disabled(queue: Queue) -> None:
    endpoint_id = await disable(queue)
    after = await queue.world.endpoint_now(endpoint_id)
    assert (after.status, after.disabled_reason) == ("disabled", "deliveries_failing")
    assert queue.counted("esim_endpoints_disabled_total") == 1
    # What was queued is left to the feed, but for the test.
    assert await queue.waiting() == 1
    await queue.world.completed("afterwards")
    assert await queue.waiting() == 1
    assert [event.type for event in await queue.world.events()][-1] == "order.completed"


async def test_an_acknowledged_test_enables_it_again(queue: Queue) -> None:
    endpoint_id = await disable(queue)
    queue.clock.advance(LEASE)
    (claim,) = await queue.claim()
    assert claim.message.event_type == "webhook.test"
    await queue.acknowledge(claim)
    after = await queue.world.endpoint_now(endpoint_id)
    assert (after.status, after.disabled_reason) == ("enabled", None)
    await queue.world.completed("afterwards")
    assert await queue.waiting() == 1


async def test_a_test_that_fails_leaves_it_disabled_and_is_tried_again(queue: Queue) -> None:
    endpoint_id = await disable(queue)
    queue.clock.advance(LEASE)
    (claim,) = await queue.claim()
    await queue.fail(claim)
    assert (await queue.world.endpoint_now(endpoint_id)).status == "disabled"
    queue.clock.advance(MINUTE)
    (claim,) = await queue.claim()
    assert claim.attempts == 1
    assert queue.counted("esim_endpoints_disabled_total") == 1


async def test_a_failure_after_a_lost_lease_does_not_count(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (lost,) = await queue.claim()
    queue.clock.advance(LEASE)
    (held,) = await queue.claim()
    await queue.fail(lost)
    assert (await queue.world.endpoint_now(endpoint.endpoint_id)).last_failure_at is None
    await queue.fail(held)
    queue.clock.advance(MINUTE)
    (next_,) = await queue.claim()
    assert next_.attempts == 1


async def test_an_acknowledgement_after_a_lost_lease_counts(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (lost,) = await queue.claim()
    queue.clock.advance(LEASE)
    (held,) = await queue.claim()
    await queue.acknowledge(lost)
    assert await queue.waiting() == 0
    await queue.fail(held)
    assert await queue.waiting() == 0


async def test_what_is_given_back_is_due_at_once_and_counts_no_attempt(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    claims = await queue.claim()
    await queue.outbox.release(claims)
    (again,) = await queue.claim()
    assert again.attempts == 0
    # Too late: another claim holds it now.
    queue.clock.advance(LEASE)
    (held,) = await queue.claim()
    await queue.outbox.release([again])
    assert await queue.claim() == []
    await queue.acknowledge(held)


async def test_an_endpoint_can_go_while_it_is_sent_to(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (claim,) = await queue.claim()
    world = queue.world
    await world.database.write(partial(endpoints.remove, world.scope(), endpoint.endpoint_id))
    await queue.fail(claim)
    await queue.acknowledge(claim)
    assert await queue.waiting() == 0


async def test_a_delivery_without_its_event_is_removed(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    await queue.world.database.write(partial(execute, "DELETE FROM events"))
    assert await queue.claim() == []
    assert await queue.waiting() == 0


async def test_workers_at_once_share_what_is_due(queue: Queue) -> None:
    for name in "abc":
        await queue.world.endpoint(f"https://{name}.example/")
    for number in range(8):
        await queue.world.completed(f"r{number}")
    claims: list[DueDelivery] = []
    while len(claims) < 24:
        found = await asyncio.gather(*(queue.claim(limit=5) for _ in range(4)))
        claims += [claim for each in found for claim in each]
    assert len({claim.delivery_id for claim in claims}) == len(claims) == 24


async def test_a_new_process_takes_over_first_attempts_and_leaves_retries_their_time(
    queue: Queue,
) -> None:
    endpoint = await queue.world.endpoint("https://hooks.example/a")
    await queue.world.completed("r1")
    [retried] = await queue.claim()
    await queue.fail(retried)
    await queue.fill(endpoint.endpoint_id, 1)
    [first] = await queue.claim()
    # The process dies with its claim, and another one begins.
    await queue.world.database.write(partial(outbox_store.take_over, queue.clock.now()))
    [taken] = await queue.claim()
    assert taken.delivery_id == first.delivery_id != retried.delivery_id
    queue.clock.advance(MINUTE + LEASE)
    assert retried.delivery_id in {due_delivery.delivery_id for due_delivery in await queue.claim()}


async def shown(queue: Queue, **wanted: str) -> list[attempts.DeliveryRecord]:
    """The deliveries that an operator would see."""
    choice = attempts.DeliveryFilter(**wanted)  # type: ignore[arg-type]
    return list(await queue.world.database.read(partial(attempts.newest, choice, 100)))


async def replay(queue: Queue, delivery_id: str) -> str:
    return await queue.world.database.write(
        lambda: redelivery.replay(delivery_id, queue.world.stamp())
    )


async def test_operators_see_a_delivery_from_its_first_attempt_to_its_acknowledgement(
    queue: Queue,
) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (event,) = await queue.world.events()
    (seen,) = await shown(queue)
    assert (seen.state, seen.attempts, seen.last) == ("waiting", 0, None)
    assert (seen.partner, seen.scope) == ("acme", queue.world.scope())
    assert (seen.event_id, seen.event_type) == (event.event_id, "order.completed")
    (claim,) = await queue.claim()
    await queue.fail(claim)
    failed_at = queue.clock.now()
    (seen,) = await shown(queue)
    assert (seen.state, seen.attempts, seen.due_at) == ("waiting", 1, failed_at + MINUTE)
    queue.clock.advance(MINUTE)
    (claim,) = await queue.claim()
    queue.clock.advance(SECOND)
    await queue.acknowledge(claim)
    (seen,) = await shown(queue)
    assert (seen.state, seen.attempts, seen.due_at) == ("acknowledged", 2, None)
    assert seen.endpoint_id == endpoint.endpoint_id
    first, second = await queue.world.database.read(partial(attempts.of, seen.delivery_id))
    assert (first.number, first.outcome, first.status) == (1, "status", 500)
    assert (first.made_at, first.milliseconds) == (failed_at - TOOK, TOOK)
    assert (first.next_at, second.next_at) == (failed_at + MINUTE, None)
    assert (second.number, second.outcome, second.status) == (2, "acknowledged", 200)
    assert queue.counted("esim_deliveries_ended_total", state="acknowledged") == 1
    duration = "esim_delivery_attempt_duration_seconds_sum"
    assert queue.counted(duration, outcome="status") == TOOK / SECOND
    assert queue.counted("esim_delivery_delay_seconds_sum") == 61


async def test_a_delivery_that_goes_on_is_shown_once_with_its_last_attempt(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    for number in (1, 2, 3):
        (claim,) = await queue.claim()
        await queue.fail(claim)
        (seen,) = await shown(queue)
        assert seen.last is not None
        assert (seen.state, seen.last.number) == ("waiting", number)
        assert seen.due_at is not None
        queue.clock.advance(seen.due_at - queue.clock.now())


async def test_a_secret_that_was_replaced_meanwhile_stays(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    for before, after in (("another", "lost"), (SECRET, "kept"), (SECRET, "late")):
        replace = partial(event_store.replace_secret, endpoint.endpoint_id, before, after)
        await queue.world.database.write(replace)
    assert await queue.world.database.read(event_store.secrets) == {endpoint.endpoint_id: "kept"}


async def test_deliveries_are_found_by_what_they_are(queue: Queue) -> None:
    first = await queue.world.endpoint("https://a.example/")
    second = await queue.world.endpoint("https://b.example/")
    await queue.world.completed("r1")
    one, two = await queue.claim()
    await queue.acknowledge(one)
    for _ in range(6):
        await queue.fail(two)
        queue.clock.advance(13 * HOUR)
        two = next(iter(await queue.claim()), two)
    await queue.world.completed("r2")
    _, event = await queue.world.events()
    everything = await shown(queue)
    assert [delivery.delivery_id for delivery in everything] == sorted(
        (delivery.delivery_id for delivery in everything), reverse=True
    )
    states = Counter(delivery.state for delivery in everything)
    assert states == {"acknowledged": 1, "exhausted": 1, "waiting": 2}
    for state, count in states.items():
        assert [delivery.state for delivery in await shown(queue, state=state)] == [state] * count
    assert await shown(queue, state="dropped") == []
    for endpoint in (first, second):
        found = await shown(queue, endpoint_id=endpoint.endpoint_id)
        assert [delivery.endpoint_id for delivery in found] == [endpoint.endpoint_id] * 2
    assert {delivery.event_id for delivery in await shown(queue, event_id=event.event_id)} == {
        event.event_id
    }
    assert await shown(queue, partner="other") == []
    assert len(await shown(queue, partner="acme", event_id=event.event_id)) == 2
    read = partial(attempts.newest, attempts.DeliveryFilter(), 1)
    assert await queue.world.database.read(read) == everything[:1]


async def test_what_waited_for_an_endpoint_that_is_removed_was_dropped(queue: Queue) -> None:
    endpoint = await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (claim,) = await queue.claim()
    await queue.fail(claim)
    world = queue.world
    await world.database.write(partial(endpoints.remove, world.scope(), endpoint.endpoint_id))
    (seen,) = await shown(queue, state="dropped")
    assert (seen.state, seen.attempts, seen.due_at) == ("dropped", 1, None)
    with pytest.raises(redelivery.RedeliveryError, match="was removed"):
        await replay(queue, seen.delivery_id)


async def test_a_replay_sends_the_same_bytes_on_a_schedule_of_its_own(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (claim,) = await queue.claim()
    await queue.acknowledge(claim)
    queue.clock.advance(HOUR)
    made = await replay(queue, claim.delivery_id)
    assert made != claim.delivery_id
    (again,) = await queue.claim()
    assert (again.delivery_id, again.attempts, again.message) == (made, 0, claim.message)
    await queue.fail(again)
    new, old = await shown(queue)
    assert (new.delivery_id, new.state, new.attempts) == (made, "waiting", 1)
    assert (old.delivery_id, old.state, old.attempts) == (claim.delivery_id, "acknowledged", 1)
    assert len(await queue.world.events()) == 1
    with pytest.raises(redelivery.RedeliveryError, match="has not ended"):
        await replay(queue, made)
    queue.clock.advance(MINUTE)
    (again,) = await queue.claim()
    await queue.acknowledge(again)
    # The time since the replay, not since the event.
    assert queue.counted("esim_delivery_delay_seconds_sum") == 60


async def test_a_replay_that_could_reach_nobody_is_refused(queue: Queue) -> None:
    endpoint_id = await disable(queue)
    (exhausted, *_) = await shown(queue, state="exhausted")
    with pytest.raises(redelivery.RedeliveryError, match=f"{endpoint_id} is disabled"):
        await replay(queue, exhausted.delivery_id)
    with pytest.raises(redelivery.RedeliveryError, match="no delivery dlv_none"):
        await replay(queue, "dlv_none")
    queue.clock.advance(LEASE)
    (claim,) = await queue.claim()
    await queue.acknowledge(claim)
    await replay(queue, exhausted.delivery_id)
    await queue.world.database.write(partial(execute, "DELETE FROM events"))
    with pytest.raises(redelivery.RedeliveryError, match="has been removed"):
        await replay(queue, claim.delivery_id)


async def test_what_a_disabled_endpoint_does_not_get_is_counted_and_logged(
    queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint_id = await disable(queue)
    assert (queue.counted("esim_deliveries_ended_total", state="dropped") or 0) >= 700
    [told] = [vars(record) for record in caplog.records if record.message.endswith("is disabled")]
    scope = queue.world.scope()
    assert (told["endpoint_id"], told["partner_id"], told["mode"]) == (
        endpoint_id,
        scope.partner_id,
        scope.mode,
    )


async def test_an_acknowledgement_counts_more_than_a_failure_of_the_same_attempt(
    queue: Queue,
) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (lost,) = await queue.claim()
    queue.clock.advance(LEASE)
    (held,) = await queue.claim()
    await queue.fail(held)
    await queue.acknowledge(lost)
    (seen,) = await shown(queue)
    assert (seen.state, seen.attempts) == ("acknowledged", 1)


async def test_attempts_are_kept_as_long_as_their_events(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    for reference in ("r1", "r2"):
        await queue.world.completed(reference)
        (claim,) = await queue.claim()
        await queue.fail(claim)
        queue.clock.advance(MINUTE)
        (claim,) = await queue.claim()
        await queue.acknowledge(claim)
        queue.clock.advance(DAY)
    queue.clock.advance(28 * DAY + 23 * HOUR)
    await purge(queue.world.database, queue.clock.now())
    assert await queue.world.count("delivery_attempts") == 2
    assert len(await shown(queue)) == await queue.world.count("events") == 1


async def test_a_reset_forgets_attempts(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    await queue.world.completed("r1")
    (claim,) = await queue.claim()
    await queue.acknowledge(claim)
    await queue.world.reset()
    assert await shown(queue) == []
    await queue.world.remove_ended()
    assert await queue.world.count("delivery_attempts") == 0


async def test_after_a_reset_nothing_of_before_is_sent(queue: Queue) -> None:
    await queue.world.endpoint("https://a.example/")
    for number in range(2 * PER_ENDPOINT):
        await queue.world.completed(f"r{number}")
    await queue.world.reset()
    await queue.world.completed("r0")
    claims: list[DueDelivery] = []
    while not claims:
        claims += await queue.claim()
    (event,) = await queue.world.events()
    assert [claim.message.event_id for claim in claims] == [event.event_id]
    assert await queue.waiting() == 1


async def test_pauses_are_longer_by_what_chance_says(world: World) -> None:
    spread = {MINUTE: 0.5, 5 * MINUTE: 1.0, 30 * MINUTE: 0.0, 2 * HOUR: 1.0, 12 * HOUR: 0.25}
    chances = iter(spread.values())
    metrics = WorkMetrics(CollectorRegistry())
    outbox = DatabaseOutbox(world.database, metrics, spread=lambda: next(chances))
    queue = Queue(world, outbox, CollectorRegistry())
    await world.endpoint("https://a.example/")
    await world.completed("r1")
    for pause, chance in spread.items():
        (claim,) = await queue.claim()
        await queue.fail(claim)
        jittered = round(pause * (1 + JITTER * chance))
        queue.clock.advance(jittered - 1)
        assert await queue.claim() == []
        queue.clock.advance(1)
