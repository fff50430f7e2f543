"""Placing and getting orders, by 32 clients that each wait for their responses."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import asyncpg

from esim_service.store.drivers.open import is_file
from lab.benchmarks.service.counting import counted
from lab.benchmarks.service.load import CLIENTS, Load, Plan
from lab.benchmarks.service.servers import (
    PARTNERS,
    Postgres,
    Serving,
    baseline,
    family_cpu_seconds,
    service,
)
from lab.benchmarks.service.share import can_limit, limited
from lab.benchmarks.workshop import ROOT, Workshop

LIMIT_SECONDS = 120
COUNTED_SECONDS = 2.0
ONE_PROCESS = "service, PostgreSQL, 1 process"
THREE_PROCESSES = "service, PostgreSQL, 3 processes"
BY_HAND = "FastAPI and SQLAlchemy, PostgreSQL"
ONE_ACCOUNT = ", one account"
MANY = 96
MANY_CLIENTS = f", {MANY} clients"
# PostgreSQL and the clients have the rest of two cores.
SHARE = 0.25
SMALL = ", a fourth of a core each"
_PENDING = "SELECT COUNT(*) FROM orders WHERE status = 'processing'"
_COMPLETED = "SELECT COUNT(*) FROM orders WHERE completed_at > {began} AND completed_at <= {ended}"
_WAITING = (
    "SELECT COUNT(*) FROM orders WHERE created_at <= {ended}"
    " AND (completed_at IS NULL OR completed_at > {ended})"
)
_TRANSACTIONS = (
    "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
)


@dataclass(frozen=True, slots=True)
class Round:
    """One subject in one round; CPU in microseconds.

    Attributes:
        completed: orders per second that were completed while others were placed, which only the
            service does.
        backlog: orders that were not completed when the last one was placed.
        round_trips: per order including its completion, like statements and transactions; only on
            PostgreSQL, and from a separate run.
    """

    orders: Load
    gets: Load
    order_cpu: float
    order_database_cpu: float
    get_cpu: float
    completed: float | None
    backlog: int | None
    round_trips: float | None
    statements: float | None
    transactions: float | None
    start: float
    idle_megabytes: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A server to measure, and its load."""

    name: str
    serve: Callable[..., AbstractContextManager[Serving]]
    on_postgres: bool
    completes: bool
    partners: int = PARTNERS
    clients: int = CLIENTS
    share: float | None = None


def subjects(workshop: Workshop, before: str) -> Iterator[Subject]:
    everywhere = os.sched_getaffinity(0)
    yield Subject("service, SQLite", service, False, True)
    if before:
        former = partial(service, variables=checked_out(workshop, before))
        yield Subject(f"service, SQLite, commit {before}", former, False, True)
        former = partial(former, cores=everywhere)
        yield Subject(f"{ONE_PROCESS}, commit {before}", former, True, True)
    yield Subject("FastAPI and SQLAlchemy, SQLite", partial(baseline, workshop), False, False)
    by_hand = partial(baseline, workshop, cores=everywhere)
    for count, name in ((1, ONE_PROCESS), (3, THREE_PROCESSES)):
        ours = partial(service, processes=count, cores=everywhere)
        yield Subject(name, ours, True, True)
        yield Subject(name + MANY_CLIENTS, ours, True, True, clients=MANY)
        if can_limit():
            yield Subject(name + SMALL, ours, True, True, clients=MANY, share=SHARE)
    yield Subject(BY_HAND, by_hand, True, False)
    ours = partial(service, cores=everywhere)
    yield Subject(ONE_PROCESS + ONE_ACCOUNT, ours, True, True, partners=1)
    yield Subject(BY_HAND + ONE_ACCOUNT, by_hand, True, False, partners=1)


def checked_out(workshop: Workshop, commit: str) -> Mapping[str, str]:
    """Return the variables with which the service is that of a commit, with our dependencies."""
    place = workshop.fresh("before")
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", commit, "generated", "service", "spec"],
        capture_output=True,
        check=True,
    )
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(place, filter="tar")
    # It comes before what is installed.
    return {"PYTHONPATH": f"{place / 'service'}{os.pathsep}{place / 'generated'}"}


def measure(
    workshop: Workshop, seconds: float, only: str, server: Postgres, before: str = ""
) -> dict[str, list[Round]]:
    """Measure all subjects in turns, in as many rounds as the workshop sets.

    Args:
        before: a commit whose service is measured, too; empty for none.
    """
    wanted = [subject for subject in subjects(workshop, before) if only in subject.name]
    rounds: dict[str, list[Round]] = {subject.name: [] for subject in wanted}
    for number in range(workshop.rounds):
        for subject in wanted:
            if subject.on_postgres:
                place = server.database()
            else:
                place = str(workshop.fresh(f"sqlite-{number}") / "service.db")
            found = _measure(subject, place, seconds, server, workshop)
            rounds[subject.name].append(found)
            print(subject.name, found, file=sys.stderr, flush=True)
    return rounds


def _measure(
    subject: Subject, place: str, seconds: float, server: Postgres, workshop: Workshop
) -> Round:
    with (
        subject.serve(place, partners=subject.partners) as serving,
        limited(serving.processes, subject.share),
    ):
        idle = serving.resident_megabytes() / len(serving.processes)
        gets, get_cpu, _ = _load(serving, subject, "gets", seconds, server)
        completed = backlog = None
        if subject.completes:
            _settled(place)
        orders, order_cpu, database_cpu = _load(serving, subject, "orders", seconds, server)
        if subject.completes:
            _settled(place)
            # In the same time as the orders that were placed, by the service's own clock.
            began, ended = (int(second * 1000) for second in (orders.began, orders.ended))
            completed = _count(place, _COMPLETED.format(began=began, ended=ended))
            completed /= orders.ended - orders.began
            backlog = int(_count(place, _WAITING.format(ended=ended)))
    is_counted = subject.on_postgres and subject.share is None
    counts = _counts(subject, server, workshop) if is_counted else (None, None, None)
    return Round(
        orders=orders,
        gets=gets,
        order_cpu=order_cpu,
        order_database_cpu=database_cpu if subject.on_postgres else 0.0,
        get_cpu=get_cpu,
        completed=completed,
        backlog=backlog,
        round_trips=counts[0],
        statements=counts[1],
        transactions=counts[2],
        start=serving.start,
        idle_megabytes=idle,
    )


def _load(
    serving: Serving, subject: Subject, kind: str, seconds: float, server: Postgres
) -> tuple[Load, float, float]:
    plan = Plan(
        kind,
        serving.ports,
        serving.prefix,
        serving.keys,
        seconds,
        f"{kind}-{id(serving)}",
        subject.clients,
    )
    before, database_before = serving.cpu_seconds(), family_cpu_seconds(server.process)
    done = subprocess.run(
        [sys.executable, "-m", "lab.benchmarks.service.load"],
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


def _counts(subject: Subject, server: Postgres, workshop: Workshop) -> tuple[float, float, float]:
    """Return round trips, statements and transactions per order, its completion included."""
    place = server.database()
    with (
        counted(place, workshop.fresh("proxy")) as (address, tally),
        subject.serve(address, partners=subject.partners) as serving,
    ):
        before = _count(place, _TRANSACTIONS)
        trips, statements = tally.round_trips, tally.statements
        load, _, _ = _load(serving, subject, "orders", COUNTED_SECONDS, server)
        if subject.completes:
            _settled(place)
        counts = tally.round_trips - trips, tally.statements - statements
    # Our own queries are among the transactions, but they are few.
    made = _count(place, _TRANSACTIONS) - before
    return counts[0] / load.answers, counts[1] / load.answers, made / load.answers


def _settled(place: str) -> None:
    """Wait until no order is pending."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < deadline:
        if not _count(place, _PENDING):
            return
        time.sleep(0.1)
    raise RuntimeError("orders are not completed")


def _count(place: str, sql: str) -> float:
    """Return the only value of a query."""
    if is_file(place):
        with closing(sqlite3.connect(f"{Path(place).as_uri()}?mode=ro", uri=True)) as connection:
            [[count]] = connection.execute(sql).fetchall()
    else:
        [[count]] = asyncio.run(_fetch(place, sql))
    return float(count)


async def _fetch(place: str, sql: str) -> Sequence[tuple[Any, ...]]:
    connection = await asyncpg.connect(place)
    try:
        return [tuple(row) for row in await connection.fetch(sql)]
    finally:
        await connection.close()
