"""Connections to receivers are kept by origin, and not for long."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpcore2
import pytest

from esim_service.delivery import pools as module
from esim_service.delivery.pools import Pools


@dataclass(eq=False)
class Connections:
    """Stands for the connections of an origin."""

    is_closed: bool = False

    async def aclose(self) -> None:
        self.is_closed = True


@dataclass
class Made:
    """The pools that were made, in their order."""

    found: list[Connections] = field(default_factory=list)

    def __call__(self) -> Any:
        self.found.append(Connections())
        return self.found[-1]

    @property
    def open_count(self) -> int:
        return sum(not connections.is_closed for connections in self.found)


async def use(pools: Pools, *origins: str) -> list[httpcore2.AsyncConnectionPool]:
    found = []
    for origin in origins:
        async with pools.of(origin) as pool:
            found.append(pool)
    return found


def test_requests_to_one_origin_share_a_pool_also_at_the_same_time() -> None:
    async def run() -> None:
        pools = Pools(made)
        [first] = await use(pools, "a")
        async with pools.of("a") as second, pools.of("a") as third, pools.of("b") as other:
            assert first is second is third
            assert other is not first
        assert await use(pools, "a", "b") == [first, other]

    made = Made()
    asyncio.run(run())
    assert len(made.found) == 2


def test_the_origin_that_was_idle_for_longest_goes_first() -> None:
    async def run() -> None:
        pools = Pools(made)
        await use(pools, *(str(number) for number in range(32)))
        # The first is used again, so that the second one is the oldest.
        await use(pools, "0", "32")

    made = Made()
    asyncio.run(run())
    assert [connections.is_closed for connections in made.found] == [False, True, *[False] * 31]


def test_what_is_in_use_is_not_idle() -> None:
    async def run() -> None:
        pools = Pools(made)
        async with pools.of("busy"):
            await use(pools, *(str(number) for number in range(40)))
            assert not made.found[0].is_closed
            assert made.open_count == 33

    made = Made()
    asyncio.run(run())


def test_an_idle_origin_is_closed_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        pools = Pools(made)
        await use(pools, "a")
        monkeypatch.setattr(module, "IDLE_SECONDS", -1.0)
        async with pools.of("b"):
            pass
        assert made.open_count == 0

    made = Made()
    asyncio.run(run())


def test_a_failed_request_gives_its_pool_back() -> None:
    async def fail(pools: Pools) -> None:
        with pytest.raises(ConnectionError):
            async with pools.of("a"):
                raise ConnectionError

    async def run() -> None:
        pools = Pools(made)
        await fail(pools)
        await use(pools, *(str(number) for number in range(32)))

    made = Made()
    asyncio.run(run())
    assert made.found[0].is_closed


def test_at_the_end_everything_is_closed() -> None:
    async def run() -> None:
        pools = Pools(made)
        await use(pools, "idle")
        async with pools.of("busy"):
            await pools.aclose()

    made = Made()
    asyncio.run(run())
    assert made.open_count == 0
