"""One process of several is stopped, or its network is lost: the others go on."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx2
import pytest

from tests.service.books import books
from tests.service.outages.causes import stopped_in_a_transaction
from tests.service.outages.crowd import Crowd, ordering
from tests.service.outages.network import network
from tests.service.running import Running, esim_service, serving, until

pytestmark = pytest.mark.anyio

ENOUGH = 20


@pytest.fixture
async def place(postgres_server: str, tmp_path: Path) -> AsyncIterator[str]:
    """A database with the schema, to which no connection is kept."""
    name = f"esim_{secrets.token_hex(8)}"
    await _execute(postgres_server, f"CREATE DATABASE {name}")
    url = urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    assert esim_service("migrate", "--database", url, cwd=tmp_path).returncode == 0
    yield url
    await _execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


async def _execute(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


async def placed(crowds: Sequence[Crowd], count: int = ENOUGH) -> None:
    """Wait until each crowd has that many more orders."""
    before = [len(crowd.acknowledged) for crowd in crowds]

    async def are_placed() -> bool:
        return all(
            len(crowd.acknowledged) >= known + count
            for crowd, known in zip(crowds, before, strict=True)
        )

    await until(are_placed)


def ready(running: Running) -> int:
    return httpx2.get(f"{running.operations}/readyz", timeout=10).status_code


async def test_others_go_on_while_one_is_stopped_in_the_middle_of_a_transaction(
    place: str, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        known = await stack.enter_async_context(books(place))
        fleet = [stack.enter_context(serving(place, tmp_path)) for _ in range(2)]
        async with ordering(fleet, known) as crowds:
            await placed(crowds)
            async with stopped_in_a_transaction(fleet[0], place):
                # All partners order at both.
                await placed(crowds[1:])
            await placed(crowds)
        await until(known.is_settled)
        await known.audit()
        for crowd in crowds:
            await crowd.require_all(fleet[1])


async def test_a_process_whose_network_was_lost_goes_on_and_stops_no_other(
    place: str, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        known = await stack.enter_async_context(books(place))
        between, url = stack.enter_context(network(place))
        fleet = [stack.enter_context(serving(each, tmp_path)) for each in (url, place)]
        async with ordering(fleet, known) as crowds:
            await placed(crowds)
            between.lose()
            await placed(crowds)
            for running in fleet:
                assert await asyncio.to_thread(ready, running) == 200
        await until(known.is_settled)
        await known.audit()
        for crowd in crowds:
            await crowd.require_all(fleet[1])
