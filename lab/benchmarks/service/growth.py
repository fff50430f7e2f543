"""The times of operations, starts, backups and restores with few orders and with many."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TypeAlias

from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import is_file, open_database
from esim_service.values.clock import DAY, SystemClock
from esim_service.values.ids import Ids
from lab.benchmarks.service.servers import Postgres
from lab.benchmarks.workshop import Workshop
from lab.neighbours.operations import Operation, operations
from tests.service.caller import Caller
from tests.service.large import fill
from tests.service.running import Running, esim_service, serving
from tests.service.world import World

NAME = "growth"
SIZES = (1_000, 300_000)
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
START, BACKUP, RESTORE = "start", "backup", "restore"
# Calls of each operation; those that remove something are called once.
CALLS = 20
_ONCE = ("DELETE /webhook-endpoints/{id}", "POST /sandbox/reset")
_PARTNER = "acme"
_NO_LIMIT = ("--read-limit", "1000000", "--write-limit", "1000000")

# Milliseconds, by the name of an operation or of a command.
Times: TypeAlias = Mapping[str, float]


def measure(
    workshop: Workshop, server: Postgres, sizes: Sequence[int] = SIZES
) -> Mapping[tuple[str, int], Times]:
    """Measure both databases with each number of orders."""
    times: dict[tuple[str, int], Times] = {}
    for size in sizes:
        directory = workshop.fresh(NAME)
        for name, place in (
            (SQLITE, str(directory / "service.db")),
            (POSTGRES, server.database()),
        ):
            times[name, size] = _measure(place, directory, size, server)
            print(name, size, times[name, size], file=sys.stderr, flush=True)
    return times


def _measure(place: str, directory: Path, size: int, server: Postgres) -> Times:
    asyncio.run(_fill(place, size))
    begun = time.perf_counter()
    with serving(place, directory, ESIM_LOG_LEVEL="error") as running:
        times = {START: _since(begun)}
        key = running.key("test", _PARTNER, *_NO_LIMIT)
        begun = time.perf_counter()
        backup = _backup(running, directory, server)
        times[BACKUP] = _since(begun)
        for operation in operations(size):
            if not operation.at_once:
                times[operation.words] = asyncio.run(_call(running, key, operation))
        running.stop()
    begun = time.perf_counter()
    _restore(backup, place, directory, server)
    return {**times, RESTORE: _since(begun)}


async def _fill(place: str, size: int) -> None:
    clock = SystemClock()
    async with open_database(place) as database:
        await migrate(database)
        world = World(database, clock, Ids(clock))
        await world.prepare()
        # Nothing of it is due, and nothing is old.
        await fill(world, size, clock.now() + DAY)


async def _call(running: Running, key: str, operation: Operation) -> float:
    taken = []
    async with Caller(running.base_url, key) as caller:
        # The key is known from now on.
        await caller.send("GET", "/balance")
        for number in range(1 if operation.of in _ONCE else CALLS):
            begun = time.perf_counter()
            answer = await caller.send(*operation.request(number))
            taken.append(_since(begun))
            if answer.status >= 500:
                raise RuntimeError(f"{operation.words}: {answer.status}")
    return median(taken)


def _backup(running: Running, directory: Path, server: Postgres) -> Path:
    file = directory / "backup"
    if is_file(running.place):
        running.run("backup", str(file))
    else:
        _run(server, "pg_dump", "--format", "custom", "--file", str(file), running.place)
    return file


def _restore(backup: Path, place: str, directory: Path, server: Postgres) -> None:
    if is_file(place):
        done = esim_service("restore", str(backup), cwd=directory, ESIM_DATABASE=place)
        if done.returncode:
            raise RuntimeError(done.stderr)
    else:
        _run(server, "pg_restore", "--dbname", server.database(), str(backup))


def _run(server: Postgres, tool: str, *arguments: str) -> None:
    subprocess.run([server.tools / tool, *arguments], check=True)


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000
