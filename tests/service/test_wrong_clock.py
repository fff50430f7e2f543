"""Dates from a clock that was years ahead are detected, and corrected by a command."""

from __future__ import annotations

from functools import partial

import pytest

from esim_service.store.drivers.migrate import migrate
from esim_service.store.statements.unit import rows
from esim_service.store.tables import dates
from esim_service.store.tables import partners as accounts
from esim_service.values.clock import DAY
from esim_service.work.retention import purge

from .manual_clock import ManualClock
from .world import World

pytestmark = pytest.mark.anyio

AHEAD = 1000 * DAY


async def test_what_a_wrong_clock_has_dated_is_corrected(world: World, clock: ManualClock) -> None:
    (right,) = await world.completed("right")
    clock.adjust(AHEAD)
    (wrong,) = await world.completed("wrong")
    await world.endpoint("https://a.example/")
    clock.adjust(-AHEAD)
    now = clock.now()
    await world.completed("later")
    # Nothing is dated before what it follows; that is what makes the mistake stay.
    account = await world.database.read(partial(accounts.account, world.scope()))
    assert account.dated_at > now + DAY
    assert await world.database.read(partial(dates.count_ahead, now + DAY)) == 1
    before = await world.esim(right)
    corrected = await world.database.write(partial(dates.correct, now, now + DAY))
    assert corrected["orders"] == 2 and corrected["events"] == 2 and corrected["accounts"] == 1
    assert await world.database.write(partial(dates.correct, now, now + DAY)) == {}
    assert await world.esim(right) == before
    esim = await world.esim(wrong)
    assert (esim.created_at, esim.expires_at) == (now, now + 365 * DAY)
    due = await world.database.read(partial(rows, "SELECT due_at FROM jobs"))
    assert max(row["due_at"] for row in due) <= now + DAY
    clock.advance(1)
    await world.completed("after")
    account = await world.database.read(partial(accounts.account, world.scope()))
    assert account.dated_at <= clock.now() + 10
    clock.advance(31 * DAY)
    assert await purge(world.database, clock.now()) == 4


async def test_every_date_of_the_schema_is_corrected_or_lies_ahead(world: World) -> None:
    """A table that is new is not forgotten."""
    if world.database.dialect != "sqlite":
        pytest.skip("the schema is the same")
    await migrate(world.database)
    found = await world.database.read(
        partial(
            rows,
            "SELECT m.name || '.' || c.name AS name FROM sqlite_master m,"
            " pragma_table_info(m.name) c"
            " WHERE m.type = 'table' AND (c.name LIKE '%_at' OR c.name LIKE '%_since')",
        )
    )
    known = {f"{table}.{column}" for table, columns in dates._COLUMNS.items() for column in columns}
    assert {row["name"] for row in found} - known == {
        "api_keys.expires_at",
        "api_keys.revoked_at",
        "esims.expires_at",
    }
