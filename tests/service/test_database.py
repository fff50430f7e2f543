"""Guarantees of both drivers: atomic, on disk when acknowledged, one holder of a name."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from itertools import count

import pytest

from esim_service.store.changes.change import AccountChange
from esim_service.store.changes.database import Database, HeldError, OperatorError
from esim_service.store.drivers.migrate import migrate, migrations, require_current
from esim_service.store.drivers.open import open_database
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.store.statements.unit import Unit, execute, row, rows
from esim_service.values.entities import Account

from .running import DEADLINE
from .world import World

pytestmark = pytest.mark.anyio

INSERT = "INSERT INTO partners (partner_id, name, status, created_at) VALUES ($1, $2, 'active', 1)"


def add(name: str) -> Unit[str]:
    yield from execute(INSERT, f"prt_{name}", name)
    return name


def names() -> Unit[list[str]]:
    found = yield from rows("SELECT name FROM partners ORDER BY name")
    return [each["name"] for each in found]


def raising(unit: Callable[[], Unit[str]]) -> Unit[str]:
    yield from unit()
    raise RuntimeError("after the insert")


async def test_what_was_written_can_be_read(database: Database) -> None:
    assert await database.write(partial(add, "acme")) == "acme"
    assert await database.read(names) == ["acme"]


async def test_a_unit_that_raises_leaves_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError, match="after the insert"):
        await database.write(partial(raising, partial(add, "acme")))
    assert await database.read(names) == []


async def test_a_failure_does_not_touch_what_is_written_beside_it(database: Database) -> None:
    units: list[Callable[[], Unit[str]]] = [
        partial(raising, partial(add, f"bad{number}"))
        if number % 3 == 0
        else partial(add, f"good{number}")
        for number in range(30)
    ]
    answers = await asyncio.gather(*map(database.write, units), return_exceptions=True)
    failed = [answer for answer in answers if isinstance(answer, RuntimeError)]
    assert len(failed) == 10
    stored = await database.read(names)
    assert sorted(stored) == sorted(answer for answer in answers if isinstance(answer, str))


async def test_bytes_integers_and_null_come_back_as_they_were(database: Database) -> None:
    def keep() -> Unit[None]:
        yield from execute(
            "INSERT INTO api_keys (key_id, digest, hint, partner_id, mode, read_limit, created_at)"
            " VALUES ($1, $2, $3, $4, 'test', $5, $6)",
            *("key_1", b"\x00\xff'", "abcd", "prt_1", None, 2**62),
        )

    def find() -> Unit[tuple[bytes, int | None, int]]:
        found = yield from row("SELECT digest, read_limit, created_at FROM api_keys")
        assert found is not None
        return found["digest"], found["read_limit"], found["created_at"]

    await database.write(keep)
    assert await database.read(find) == (b"\x00\xff'", None, 2**62)


async def test_a_search_for_text_with_nul_finds_nothing(database: Database) -> None:
    def find(name: str) -> Unit[bool]:
        return (yield from row("SELECT name FROM partners WHERE name = $1", name)) is not None

    await database.write(partial(add, "ab"))
    assert not await database.read(partial(find, "a\0b"))
    # Those that are asked at the same time may be one question.
    names = ["a\0b", "ab", "ab\0"]
    found = await asyncio.gather(*(database.read(partial(find, name)) for name in names))
    assert found == [False, True, False]


@pytest.fixture
def place(request: pytest.FixtureRequest, database: Database) -> str:
    """Where the database is."""
    if isinstance(database, SqliteDatabase):
        return str(database.path)
    url: str = request.getfixturevalue("postgres_url")
    return url


async def test_all_queries_of_a_unit_see_one_moment(database: Database, place: str) -> None:
    numbers = count()

    async def commit() -> None:
        async with open_database(place, exclusive=False) as other:
            await other.write(partial(add, f"partner {next(numbers)}"))

    def look() -> Unit[tuple[list[str], list[str]]]:
        before = yield from names()
        # Between two queries of a unit there is time for others only.
        thread = threading.Thread(target=asyncio.run, args=[commit()])
        thread.start()
        thread.join()
        return before, (yield from names())

    before, after = await database.read(look)
    assert after == before
    assert len(await database.read(names)) > len(before)


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(Exception, match=r"read.?only|cannot be written"):
        await database.read(partial(add, "acme"))


async def test_a_name_has_one_holder_at_a_time(database: Database) -> None:
    async with database.hold("a") as first, database.hold("a") as second:
        assert first is not None
        assert second is None
        async with database.hold("b") as other:
            assert other is not None
    async with database.hold("a") as again:
        assert again is not None
        await again.write(partial(add, "acme"))
    assert await database.read(names) == ["acme"]


async def test_an_error_inside_a_hold_comes_out_as_it_is(database: Database) -> None:
    with pytest.raises(ConnectionResetError):
        async with database.hold("a"):
            raise ConnectionResetError
    async with database.hold("a") as again:
        assert again is not None


async def test_a_change_is_refused_for_a_held_subject_only_if_it_gives_way(world: World) -> None:
    def same(account: Account) -> Unit[tuple[Account, str]]:
        yield from row("SELECT 1 AS one")
        return account, "made"

    change = AccountChange(world.scope(), "subject", same)
    async with world.database.hold("subject", is_long=True):
        assert await world.database.change(change) == "made"
        with pytest.raises(HeldError):
            await world.database.change(replace(change, gives_way=True))
    assert await world.database.change(replace(change, gives_way=True)) == "made"


async def test_migrations_are_taken_once(database: Database) -> None:
    assert await migrate(database) == []
    await require_current(database)


async def test_a_database_of_a_newer_service_is_refused(database: Database) -> None:
    newer = migrations()[-1].version + 1
    await database.write(
        partial(execute, "INSERT INTO schema_version (version) VALUES ($1)", newer)
    )
    for step in (migrate, require_current):
        with pytest.raises(OperatorError, match="install a newer esim-service"):
            await step(database)


async def test_an_older_database_asks_for_migration(database: Database) -> None:
    await database.write(partial(execute, "DELETE FROM schema_version"))
    with pytest.raises(OperatorError, match="esim-service migrate"):
        await require_current(database)


async def test_names_that_are_held_for_long_leave_room_for_others(database: Database) -> None:
    async with AsyncExitStack() as stack, asyncio.timeout(DEADLINE):
        for number in range(15):
            held = database.hold(f"slow {number}", is_long=True)
            assert await stack.enter_async_context(held) is not None
        assert await database.read(lambda: rows("SELECT 1 AS one"))
        async with database.hold("slow 3") as writer:
            assert writer is None
