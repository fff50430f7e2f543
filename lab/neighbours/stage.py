"""A service with a large partner and a small one, and the waits of the small one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.values.clock import DAY, SystemClock
from esim_service.values.ids import Ids
from lab.neighbours.operations import Operation
from tests.service.books import books
from tests.service.caller import Caller
from tests.service.large import fill
from tests.service.running import Running, serving
from tests.service.world import World

_CONNECTIONS = 20
_GETS_PER_SECOND, _ORDERS_PER_SECOND = 60.0, 30.0
LARGE, _SMALL = "acme", "neighbour"


@dataclass
class Caliper:
    """Sends requests at fixed moments, and measures until when each is answered.

    A request that waits does not delay the next one, or the wait of one would hide those of others.
    """

    running: Running
    key: str
    waits: list[float] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)

    async def run(
        self,
        request: Callable[[int], tuple[str, str, bytes]],
        due: Sequence[float],
        connections: int = _CONNECTIONS,
    ) -> None:
        """Send requests, each so many seconds from now, over some connections."""
        async with AsyncExitStack() as stack:
            # In turns, as the service ends a connection that is idle for long.
            idle: asyncio.Queue[Caller] = asyncio.Queue()
            for _ in range(connections):
                idle.put_nowait(
                    await stack.enter_async_context(Caller(self.running.base_url, self.key))
                )
            begun = time.monotonic()
            async with asyncio.TaskGroup() as group:
                for number, seconds in enumerate(due):
                    at = begun + seconds
                    await asyncio.sleep(max(0.0, at - time.monotonic()))
                    group.create_task(self._send(idle, request(number), at))

    async def _send(
        self, idle: asyncio.Queue[Caller], request: tuple[str, str, bytes], due: float
    ) -> None:
        caller = await idle.get()
        answer = await caller.send(*request)
        self.waits.append(time.monotonic() - due)
        self.statuses.add(answer.status)
        idle.put_nowait(caller)

    def percentile(self, share: float) -> float:
        """Return a percentile of the waits, in seconds."""
        return sorted(self.waits)[int(len(self.waits) * share)]


@dataclass(frozen=True, slots=True)
class Waits:
    """The waits of the small partner, in milliseconds."""

    get_p99: float
    order_p99: float
    longest: float


@dataclass(frozen=True, slots=True)
class Result:
    """An operation of the large partner, and the waits of the small one, in milliseconds.

    Attributes:
        get_p99, order_p99: without the calls of the large partner, and with them.
        longest: with them.
        p50: of the large partner itself.
        again: the rounds, date and commit, if it was measured alone after the others.
    """

    words: str
    get_p99: tuple[float, float]
    order_p99: tuple[float, float]
    longest: float
    p50: float
    statuses: tuple[int, ...]
    again: str = ""


@dataclass
class Stage:
    """A service with both partners, and a key of the small one."""

    running: Running
    small: str
    orders: int = 0

    async def waits(self, seconds: float) -> Waits:
        """Measure the small partner for some seconds."""
        gets, orders = Caliper(self.running, self.small), Caliper(self.running, self.small)
        async with asyncio.TaskGroup() as group:
            group.create_task(gets.run(_get, _evenly(_GETS_PER_SECOND, seconds)))
            group.create_task(orders.run(self._order, _evenly(_ORDERS_PER_SECOND, seconds)))
        assert gets.statuses == {200} and orders.statuses == {201}
        return Waits(
            gets.percentile(0.99) * 1000,
            orders.percentile(0.99) * 1000,
            max(*gets.waits, *orders.waits) * 1000,
        )

    async def beside(self, operation: Operation, seconds: float, rounds: int) -> Result:
        """Measure without and then with an operation of the large partner, at its limit."""
        before, beside, greedy = list[Waits](), list[Waits](), list[Caliper]()
        for number, length in enumerate(operation.rounds(rounds, seconds)):
            # No request of an earlier operation counts for this one.
            key = await asyncio.to_thread(self.running.key, "test", LARGE)
            greedy.append(Caliper(self.running, key))
            before.append(await self.waits(length))
            async with asyncio.TaskGroup() as group:
                due = operation.due(length)
                request = partial(_later, operation, number * len(due))
                connections = operation.at_once or _CONNECTIONS
                group.create_task(greedy[-1].run(request, due, connections))
                measured = group.create_task(self.waits(length))
            beside.append(measured.result())
        return Result(
            operation.words,
            (median(wait.get_p99 for wait in before), median(wait.get_p99 for wait in beside)),
            (median(wait.order_p99 for wait in before), median(wait.order_p99 for wait in beside)),
            max(wait.longest for wait in beside),
            median(caliper.percentile(0.5) for caliper in greedy) * 1000,
            tuple(sorted(set[int]().union(*(caliper.statuses for caliper in greedy)))),
        )

    def _order(self, _: int) -> tuple[str, str, bytes]:
        self.orders += 1
        body = f'{{"plan_id": "pln_ee-1gb-7d", "reference": "n{self.orders}"}}'
        return "POST", "/orders", body.encode()


def _later(operation: Operation, first: int, number: int) -> tuple[str, str, bytes]:
    return operation.request(first + number)


def _get(_: int) -> tuple[str, str, bytes]:
    return "GET", "/orders?limit=5", b""


def _evenly(per_second: float, seconds: float) -> Sequence[float]:
    return [number / per_second for number in range(round(per_second * seconds))]


@asynccontextmanager
async def stage(place: str, directory: Path, size: int) -> AsyncIterator[Stage]:
    """Serve a database with a large partner for the duration of the context."""
    clock = SystemClock()
    async with open_database(place) as database:
        await migrate(database)
        world = World(database, clock, Ids(clock))
        await world.prepare()
        # Nothing of it is due, and nothing is old.
        await fill(world, size, clock.now() + DAY)
    with serving(place, directory, ESIM_LOG_LEVEL="error") as running:
        async with books(place) as known:
            small = await known.key(_SMALL)
        credit = ("partners", "credit", "--mode", "test", _SMALL, "1000000")
        await asyncio.to_thread(running.run, *credit)
        made = Stage(running, small)
        # The first requests of a process are slower.
        await made.waits(2)
        yield made
