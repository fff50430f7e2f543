"""The feed keeps its events for 30 days, and says so to a cursor that is older."""

from __future__ import annotations

from functools import partial

import pytest

from esim_service.domain import events as feed
from esim_service.store.statements.unit import Unit, execute
from esim_service.store.tables import events as store
from esim_service.store.tables import partners as accounts
from esim_service.values.clock import DAY, HOUR
from esim_service.values.entities import Event
from esim_service.work import retention
from esim_service.work.retention import BATCH, RETENTION, purge
from partner_esim.server import Problem

from .world import World

pytestmark = pytest.mark.anyio


async def sequences(world: World, after: int | None = None) -> list[int]:
    place = None if after is None else feed.FeedPosition(after, None)
    read = partial(feed.feed, world.scope(), place, None, 200)
    found, _, _ = await world.database.read(read)
    return [event.sequence for event in found]


async def purged(world: World) -> int:
    return await purge(world.database, world.clock.now())


async def test_an_event_is_kept_for_30_days_and_no_longer(world: World) -> None:
    assert RETENTION == 30 * DAY
    for number in range(3):
        await world.completed(f"r{number}")
        world.clock.advance(DAY)
    world.clock.advance(27 * DAY)
    # The first is 30 days old now, to the millisecond.
    assert await purged(world) == 0
    world.clock.advance(1)
    assert await purged(world) == 1
    assert await sequences(world) == [2, 3]
    assert await purged(world) == 0
    world.clock.advance(DAY)
    assert await purged(world) == 1
    assert await sequences(world) == [3]


async def test_a_cursor_that_misses_removed_events_is_refused(world: World) -> None:
    for number in range(4):
        await world.completed(f"r{number}")
        world.clock.advance(HOUR)
    world.clock.advance(30 * DAY - 2 * HOUR)
    assert await purged(world) == 2
    for missing in (0, 1):
        with pytest.raises(Problem) as raised:
            await sequences(world, after=missing)
        assert raised.value.code == "cursor_expired"
    # It has seen everything that was removed.
    assert await sequences(world, after=2) == [3, 4]
    assert await sequences(world, after=3) == [4]
    assert await sequences(world) == [3, 4]


async def test_a_cursor_at_the_last_removed_event_is_good_and_the_one_before_is_not(
    world: World,
) -> None:
    read = partial(feed.feed, world.scope())
    places: list[feed.FeedPosition | None] = [None]
    for number in range(4):
        await world.completed(f"r{number}")
        _, _, place = await world.database.read(partial(read, places[-1], None, 1))
        places.append(place)
        world.clock.advance(HOUR)
    world.clock.advance(30 * DAY - 2 * HOUR)
    assert await purged(world) == 2
    with pytest.raises(Problem) as raised:
        await world.database.read(partial(read, places[1], None, 9))
    assert raised.value.code == "cursor_expired"
    for at in (2, 3, 4):
        found, _, _ = await world.database.read(partial(read, places[at], None, 9))
        assert [event.sequence for event in found] == [*range(at + 1, 5)]


async def test_an_event_that_is_dated_later_than_its_successor_stays(world: World) -> None:
    await world.completed("r1")
    (event,) = await world.events()
    young, old = event.created_at + 2 * DAY, event.created_at + DAY

    def add() -> Unit[None]:
        for number, created_at in ((2, young), (3, old)):
            made = Event(f"evt_{number}", event.scope, number, event.type, b"{}", created_at)
            yield from store.add_event(made)

    await world.database.write(add)
    world.clock.advance(31 * DAY + HOUR)
    assert await purged(world) == 2
    assert await sequences(world) == [2]


async def test_a_purge_that_knows_less_takes_nothing_back(world: World) -> None:
    for number in range(3):
        await world.completed(f"r{number}")
    for last in (3, 1):
        old = store.OldEvents(world.scope(), "test", last)
        forget = partial(feed.forget, old, world.clock.now() + 1)
        await world.database.write(forget)
    for missing in (1, 2):
        with pytest.raises(Problem) as raised:
            await sequences(world, after=missing)
        assert raised.value.code == "cursor_expired"
    assert await sequences(world, after=3) == []


async def test_the_feed_goes_on_where_it_was(world: World) -> None:
    await world.completed("r1")
    _, _, resume = await world.database.read(partial(feed.feed, world.scope(), None, None, 200))
    world.clock.advance(31 * DAY)
    assert await purged(world) == 1
    read = partial(feed.feed, world.scope(), resume, None, 200)
    assert (await world.database.read(read))[0] == []
    await world.completed("r2")
    found, _, _ = await world.database.read(read)
    assert [event.sequence for event in found] == [2]


async def test_a_reader_who_is_ahead_of_a_restored_feed_is_told(world: World) -> None:
    for number in range(4):
        await world.completed(f"r{number}")
    read = partial(feed.feed, world.scope())
    found, more, seen = await world.database.read(partial(read, None, None, 3))
    assert (more, seen) == (True, feed.FeedPosition(3, found[-1].event_id))
    _, _, end = await world.database.read(partial(read, seen, None, 3))

    def restore() -> Unit[None]:
        """Bring back a state of which the reader has seen more."""
        yield from execute("DELETE FROM events WHERE sequence > 2")
        yield from execute("UPDATE accounts SET last_event = 2")

    await world.database.write(restore)
    for number in range(4, 8):
        # Also when the feed has come to its number again, with another event.
        for place in (seen, end):
            with pytest.raises(Problem) as raised:
                await world.database.read(partial(read, place, None, 3))
            assert raised.value.code == "cursor_expired"
        await world.completed(f"r{number}")
    found, _, _ = await world.database.read(partial(read, None, None, 200))
    assert [event.sequence for event in found] == [*range(1, 7)]


async def test_a_restore_lets_every_cursor_of_the_feed_expire(world: World) -> None:
    """Also those of removed events, which have no id that could differ."""
    read = partial(feed.feed, world.scope())
    for number in range(2):
        await world.completed(f"r{number}")
    _, _, seen = await world.database.read(partial(read, None, None, 200))
    assert (await world.database.read(partial(read, seen, None, 200)))[0] == []
    await world.database.write(partial(accounts.begin_feed_epoch, world.clock.now()))
    for place in (seen, feed.FeedPosition(1, None), feed.FeedPosition(seen.sequence, None)):
        with pytest.raises(Problem) as raised:
            await world.database.read(partial(read, place, None, 200))
        assert raised.value.code == "cursor_expired"
    found, _, seen = await world.database.read(partial(read, None, None, 200))
    assert [event.sequence for event in found] == [1, 2]
    await world.completed("r2")
    found, _, _ = await world.database.read(partial(read, seen, None, 200))
    assert [event.sequence for event in found] == [3]


async def test_a_reader_of_one_type_misses_nothing_when_the_others_are_purged(world: World) -> None:
    await world.completed("r1")
    read = partial(feed.feed, world.scope())
    found, _, resume = await world.database.read(partial(read, None, "esim.usage", 200))
    assert found == []
    world.clock.advance(31 * DAY)
    assert await purged(world) == 1
    found, _, _ = await world.database.read(partial(read, resume, "esim.usage", 200))
    assert found == []


async def test_many_events_go_in_batches(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_PAUSE", 0)
    count = 2 * BATCH + 7
    await world.completed("r1")
    (event,) = await world.events()

    def repeat() -> Unit[None]:
        for number in range(2, count + 1):
            made = Event(f"evt_{number}", event.scope, number, event.type, b"{}", event.created_at)
            yield from store.add_event(made)

    await world.database.write(repeat)
    world.clock.advance(31 * DAY)
    assert await purged(world) == count
    assert await world.count("events") == 0
    with pytest.raises(Problem):
        await sequences(world, after=count - 1)


async def test_one_process_at_a_time_does_it(world: World) -> None:
    await world.completed("r1")
    world.clock.advance(31 * DAY)
    async with world.database.hold("retention") as writer:
        assert writer is not None
        assert await purged(world) == 0
    assert await purged(world) == 1


async def test_answers_are_kept_for_ever(world: World) -> None:
    first = await world.order("r1")
    world.clock.advance(400 * DAY)
    await purged(world)
    again = await world.order("r1")
    assert (again.is_replay, again.body) == (True, first.body)
