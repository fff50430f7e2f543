"""Orders placed and orders read, by 32 clients that each wait for their answers."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import asyncpg

from benchmarks.service.load import Load, Plan
from benchmarks.service.servers import (
    Postgres,
    Serving,
    baseline,
    family_cpu_seconds,
    postgres,
    service,
)
from benchmarks.workshop import ROOT, Workshop
from esim_service.store.open import is_file

LIMIT_SECONDS = 120
_WAITING = "SELECT COUNT(*) FROM orders WHERE status = 'processing'"


@dataclass(frozen=True, slots=True)
class Round:
    """One subject in one round; CPU in microseconds.

    Attributes:
        settled: orders per second until the last one was completed, which only the service does.
    """

    orders: Load
    gets: Load
    order_cpu: float
    order_database_cpu: float
    get_cpu: float
    settled: float | None
    start: float
    idle_megabytes: float


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured."""

    name: str
    serve: Callable[[str], AbstractContextManager[Serving]]
    on_postgres: bool
    completes: bool


def subjects(workshop: Workshop) -> Iterator[Subject]:
    everywhere = os.sched_getaffinity(0)
    yield Subject("service, SQLite", service, False, True)
    yield Subject("FastAPI and SQLAlchemy, SQLite", partial(baseline, workshop), False, False)
    for count in (1, 4):
        yield Subject(
            f"service, PostgreSQL, {count} process{'es' if count > 1 else ''}",
            partial(service, processes=count, cores=everywhere),
            True,
            True,
        )
    yield Subject(
        "FastAPI and SQLAlchemy, PostgreSQL",
        partial(baseline, workshop, cores=everywhere),
        True,
        False,
    )


def measure(workshop: Workshop, seconds: float, only: str) -> dict[str, list[Round]]:
    """Take turns with all subjects, in as many rounds as the workshop says."""
    wanted = [each for each in subjects(workshop) if only in each.name]
    rounds: dict[str, list[Round]] = {subject.name: [] for subject in wanted}
    with postgres(workshop) as server:
        for number in range(workshop.rounds):
            for subject in wanted:
                if subject.on_postgres:
                    place = server.database()
                else:
                    place = str(workshop.fresh(f"sqlite-{number}") / "service.db")
                found = _measure(subject, place, seconds, server)
                rounds[subject.name].append(found)
                print(subject.name, found, file=sys.stderr, flush=True)
    return rounds


def _measure(subject: Subject, place: str, seconds: float, server: Postgres) -> Round:
    with subject.serve(place) as serving:
        idle = serving.resident_megabytes() / len(serving.processes)
        gets, get_cpu, _ = _load(serving, "gets", seconds, server)
        begun = time.perf_counter()
        orders, order_cpu, database_cpu = _load(serving, "orders", seconds, server)
        settled = None
        if subject.completes:
            _wait_until_none_waits(place)
            settled = orders.answers / (time.perf_counter() - begun)
    return Round(
        orders=orders,
        gets=gets,
        order_cpu=order_cpu,
        order_database_cpu=database_cpu if subject.on_postgres else 0.0,
        get_cpu=get_cpu,
        settled=settled,
        start=serving.start,
        idle_megabytes=idle,
    )


def _load(
    serving: Serving, kind: str, seconds: float, server: Postgres
) -> tuple[Load, float, float]:
    plan = Plan(kind, serving.ports, serving.prefix, serving.keys, seconds, f"{kind}-{id(serving)}")
    before, database_before = serving.cpu_seconds(), family_cpu_seconds(server.process)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.service.load"],
        input=json.dumps(asdict(plan)),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        check=True,
    )
    load = Load(**json.loads(done.stdout))
    each = 1e6 / load.answers
    cpu = (serving.cpu_seconds() - before) * each
    return load, cpu, (family_cpu_seconds(server.process) - database_before) * each


def _wait_until_none_waits(place: str) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < deadline:
        if _waiting(place) == 0:
            return
        time.sleep(0.1)
    raise RuntimeError("orders are not completed")


def _waiting(place: str) -> int:
    if is_file(place):
        with closing(sqlite3.connect(f"{Path(place).as_uri()}?mode=ro", uri=True)) as connection:
            [[count]] = connection.execute(_WAITING)
            return int(count)

    async def ask() -> int:
        connection = await asyncpg.connect(place)
        try:
            return int(await connection.fetchval(_WAITING))
        finally:
            await connection.close()

    return asyncio.run(ask())
