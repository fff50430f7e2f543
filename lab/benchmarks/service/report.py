"""The results as a Markdown page: medians of the rounds, and the goals."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from statistics import median

from lab.benchmarks.service.deliveries import (
    BESIDE_DEAD,
    CALM_PER_SECOND,
    DEAD,
    ENDPOINTS,
    MANY_DEAD,
    PER_SECOND,
    Attempts,
)
from lab.benchmarks.service.growth import (
    BACKUP,
    CALLS,
    POSTGRES,
    RESTORE,
    SIZES,
    SQLITE,
    START,
    Times,
)
from lab.benchmarks.service.load import CLIENTS
from lab.benchmarks.service.requests import (
    BY_HAND,
    MANY,
    MANY_CLIENTS,
    ONE_ACCOUNT,
    ONE_PROCESS,
    SHARE,
    SMALL,
    THREE_PROCESSES,
    Round,
)
from lab.measured import records

OURS = "service, SQLite"
_SCALED = (ONE_PROCESS, THREE_PROCESSES)
_PARTS = ("order_cpu", "order_database_cpu", "orders.cpu")

_LOAD = os.getloadavg()[0]
_BUSY = (
    " That is more than its cores: what a subject got depends on the moment, and so do the ratios"
    " and the goals, met or missed. The CPU time per order and the counts depend on it less."
    if (os.cpu_count() or 1) < _LOAD
    else ""
)

HEAD = f"""\
# Benchmarks of the service

Written by `nox -s bench_service` {{measured}}; do not edit. \
Measured in one run on one machine, \
{os.cpu_count()} cores, Python {platform.python_version()}; the subjects took turns. \
Compare the ratios, not the figures, with another machine. \
Others worked on this one at the time: before the run, its load average was \
{_LOAD:.1f}.{_BUSY}

{CLIENTS} clients, or {MANY}, send one request after another over connections that stay open. \
They are a process of their own on a core of its own; a subject on SQLite has the other cores, \
PostgreSQL and what is on it has all. SQLite and PostgreSQL put every order on disk before it is \
answered (`synchronous = FULL`, `fsync = on`). The service runs as `esim-service serve`, with rate \
limits, logs, metrics, checks of its own responses and its background work, which completes each \
order with an eSIM and an event; the ratio is to it on SQLite. A row with a commit is the service \
of that commit.

*FastAPI and SQLAlchemy* is what a team would write: \
`lab/benchmarks/servers/fastapi_sqlalchemy.py`, the same two handlers with the ORM in one file, \
with the same durability and the same idempotency by a UNIQUE constraint, and without everything \
else that the service does.
"""


@dataclass(frozen=True, slots=True)
class Goal:
    """A sentence, the measured value, and whether it meets the goal."""

    sentence: str
    found: str
    holds: bool


def page(
    rounds: Mapping[str, Sequence[Round]],
    attempts: Sequence[Attempts],
    dead: Mapping[tuple[str, int], Sequence[Attempts]],
    grown: Mapping[tuple[str, int], Times],
) -> str:
    count = len(rounds[OURS])
    repeated = (
        f"Each figure is the median of {count} rounds." if count > 1 else "There was one round."
    )
    parts = (_orders(rounds), _processes(rounds), _gets(rounds), _growth(grown), _dead(dead))
    head = HEAD.format(measured=records.words("bench_service"))
    return "\n".join([head, f"{repeated}\n", *chain(*parts), *_rest(rounds, attempts, dead)])


def _orders(rounds: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    yield "## Placing orders\n"
    yield (
        f"Each of {CLIENTS} clients is a partner with an account of its own, but for *one "
        f"account*; {MANY} clients share these accounts. `completed/s` counts the orders that got "
        "their eSIMs while others were placed, `backlog` those that still waited for them at the "
        "end; both begin with a backlog of none. CPU is that of the "
        "processes that serve, per order placed. Processes beyond the number of cores compete with "
        "each other and with PostgreSQL, and share the clients: the fewer each has, the fewer "
        "orders share its transactions."
    )
    yield (
        "\n| | orders/s | ratio | p50 ms | p99 ms | completed/s | backlog | CPU µs"
        " | CPU µs of PostgreSQL |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, found in rounds.items():
        rate = _of(found, "orders.per_second")
        database = _of(found, "order_database_cpu")
        yield _row(
            name,
            rate,
            _ratio(rounds, found, "orders.per_second"),
            _of(found, "orders.p50"),
            _of(found, "orders.p99"),
            *(_if_any(found, name) for name in ("completed", "backlog")),
            _of(found, "order_cpu"),
            database or None,
        )
    yield "\n## What an order asks of PostgreSQL\n"
    yield (
        "Per order placed, with its completion, under the same load in a run of its own. A proxy "
        "between the two counts the messages that the other side waits for and the statements; the "
        "server itself counts the transactions (`pg_stat_database`). The server that PyPI has does "
        "not bring `pg_stat_statements`."
    )
    yield "\n| | round trips | statements | transactions |\n|---|---:|---:|---:|"
    for name, found in rounds.items():
        if found[0].round_trips is not None:
            counts = ("round_trips", "statements", "transactions")
            yield f"| {name} | {' | '.join(f'{_of(found, count):.2f}' for count in counts)} |"
    yield ""


def _processes(rounds: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    cores = os.cpu_count() or 1
    yield "## What more processes bring\n"
    yield (
        "An order costs CPU time in three places: the processes of the service, PostgreSQL, and "
        f"the clients, which share the {cores} cores here. The *bound* is the number of orders "
        f"per second at which {cores} cores have no time left. Where it is reached, one process "
        "more brings nothing: it takes time from the others and from PostgreSQL, and its orders "
        "share fewer transactions. Of a service with cores of its own beside PostgreSQL the "
        f"processes with {SHARE:.2f} of a core each are an image, by control groups: they have "
        "three times the time that one has, and PostgreSQL as much as it wants."
    )
    yield "\n| CPU µs per order | service | PostgreSQL | clients | bound/s | orders/s |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name in (scaled + load for load in ("", MANY_CLIENTS) for scaled in _SCALED):
        parts = [_of(rounds[name], part) for part in _PARTS]
        rate = _of(rounds[name], "orders.per_second")
        yield _row(name, *parts, cores * 1e6 / sum(parts), rate)
    for name in (scaled + SMALL for scaled in _SCALED if scaled + SMALL in rounds):
        parts = [_of(rounds[name], part) for part in _PARTS]
        count = 1 if name.startswith(ONE_PROCESS) else 3
        rate = _of(rounds[name], "orders.per_second")
        yield _row(name, *parts, count * SHARE * 1e6 / parts[0], rate)
    yield ""


def _dead(dead: Mapping[tuple[str, int], Sequence[Attempts]]) -> Iterator[str]:
    yield "## Orders beside dead receivers\n"
    yield (
        f"{CALM_PER_SECOND} orders per second of {BESIDE_DEAD} partners with an endpoint each, of "
        f"which none or {MANY_DEAD} accept connections and never answer; one process.\n"
    )
    yield "| | dead | p50 ms | p99 ms |\n|---|---:|---:|---:|"
    for (name, count), found in sorted(dead.items()):
        p50, p99 = _of(found, "order_p50"), _of(found, "order_p99")
        yield f"| {name} | {count} | {_figure(p50)} | {_figure(p99)} |"
    yield ""


def _goals_on_dead(dead: Mapping[tuple[str, int], Sequence[Attempts]]) -> Iterator[Goal]:
    for name in dict.fromkeys(name for name, _ in dead):
        with_dead, without = (_of(dead[name, count], "order_p99") for count in (MANY_DEAD, 0))
        ratio = with_dead / without
        sentence = f"{name}: p99 of orders beside {MANY_DEAD} dead receivers, times that without"
        yield Goal(f"{sentence}: at most 1.2", f"{ratio:.2f}", ratio <= 1.2)


def _gets(rounds: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    yield "## Getting an order by its id\n"
    yield "| | requests/s | ratio | p50 ms | p99 ms | CPU µs |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, found in rounds.items():
        yield _row(
            name,
            _of(found, "gets.per_second"),
            _ratio(rounds, found, "gets.per_second"),
            _of(found, "gets.p50"),
            _of(found, "gets.p99"),
            _of(found, "get_cpu"),
        )
    yield ""


def _growth(grown: Mapping[tuple[str, int], Times]) -> Iterator[str]:
    few, many = SIZES
    yield "## Growth\n"
    yield (
        f"Milliseconds with {few:,} rows and with {many:,} in each table that grows: orders, "
        "eSIMs, top-ups, stored responses, entries of the ledger, jobs, events, deliveries and "
        "attempts. "
        "Nine of ten are those of the one partner that calls; an operation has the median of "
        f"{CALLS} calls one after another, those that remove something are called once. The rows "
        "that a reset leaves are removed afterwards. The backup and the restore are those of "
        "`esim-service` on SQLite, and `pg_dump` and `pg_restore` on PostgreSQL.\n"
    )
    yield from growth_rows(grown)
    yield ""


def growth_rows(grown: Mapping[tuple[str, int], Times]) -> Iterator[str]:
    """Return the lines of the table of growth."""
    few, many = SIZES
    databases = (SQLITE, POSTGRES)
    sizes = " | ".join(f"{name}, {few:,} | {many:,} | ratio" for name in databases)
    yield f"| | {sizes} |\n|---|{'---:|' * 3 * len(databases)}"
    names = grown[SQLITE, few]
    for name in (START, BACKUP, RESTORE, *(name for name in names if " " in name)):
        cells: list[float | str] = []
        for database in databases:
            before, after = grown[database, few][name], grown[database, many][name]
            cells += [before, after, f"{after / before:.1f}"]
        yield _row(name, *cells)


def _rest(
    rounds: Mapping[str, Sequence[Round]],
    attempts: Sequence[Attempts],
    dead: Mapping[tuple[str, int], Sequence[Attempts]],
) -> Iterator[str]:
    ours = rounds[OURS]
    p99 = median(attempt.p99 for attempt in attempts)
    yield "## First attempts of deliveries\n"
    yield (
        f"{PER_SECOND} orders per second, each with one event for one of {ENDPOINTS} endpoints "
        f"with TLS and addresses of their own; {DEAD} of them accepts connections and never "
        "answers. From the time in the event to its arrival, one process on SQLite: p50 "
        f"{_figure(median(run.p50 for run in attempts))} ms, p99 {_figure(p99)} ms, longest "
        f"{_figure(median(attempt.longest for attempt in attempts))} ms; "
        f"{sum(attempt.missing for attempt in attempts)} did not arrive.\n"
    )
    yield "## Start and memory\n"
    yield "| | s to the first response | MB idle |\n|---|---:|---:|"
    for name, found in rounds.items():
        yield f"| {name} | {_of(found, 'start'):.2f} | {_figure(_of(found, 'idle_megabytes'))} |"
    yield "\n## Goals\n"
    rate, tail = _of(ours, "orders.per_second"), _of(ours, "orders.p99")
    gets, start = _of(ours, "gets.per_second"), _of(ours, "start")
    memory, done = _of(ours, "idle_megabytes"), _of(ours, "completed") / rate
    for goal in (
        *_goals_on_postgres(rounds),
        *_goals_on_dead(dead),
        Goal("at least 1,000 orders/s on SQLite", f"{rate:,.0f}", rate >= 1000),
        Goal("at least 0.95 of them completed as they are placed", f"{done:.2f}", done >= 0.95),
        Goal("p99 of them under 50 ms", f"{tail:.0f} ms", tail < 50),
        Goal("GET by id at least 3,000/s", f"{gets:,.0f}", gets >= 3000),
        Goal("first attempts: p99 under 1 s", f"{p99:,.0f} ms", p99 < 1000),
        Goal("start under 1 s", f"{start:.2f} s", start < 1),
        Goal("under 150 MB idle", f"{memory:.0f} MB", memory < 150),
    ):
        verdict = "met" if goal.holds else "missed"
        yield f"- Goal: {goal.sentence}: {goal.found}, **{verdict}**"
    yield ""


def _goals_on_postgres(rounds: Mapping[str, Sequence[Round]]) -> Iterator[Goal]:
    by_hand, one = rounds[BY_HAND], rounds[ONE_PROCESS]
    hot, hot_by_hand = rounds[ONE_PROCESS + ONE_ACCOUNT], rounds[BY_HAND + ONE_ACCOUNT]
    placed, completed = "orders.per_second", "completed"
    for sentence, ratio, least in (
        ("placed, times the baseline", _of(one, placed) / _of(by_hand, placed), 2.5),
        ("completed, times the baseline", _of(one, completed) / _of(by_hand, placed), 1.5),
        *(
            (f"3 processes {verb}, times 1 process{load}", _more(rounds, load, what), least)
            for load, least in (("", 1.2), (MANY_CLIENTS, 1.2), (SMALL, 2.2))
            for verb, what in (("placed", placed), ("completed", completed))
            if ONE_PROCESS + load in rounds
        ),
        (
            "one account completed, times the baseline",
            _of(hot, completed) / _of(hot_by_hand, placed),
            1.2,
        ),
    ):
        yield Goal(f"PostgreSQL: {sentence}: at least {least}", f"{ratio:.2f}", ratio >= least)
    trips, transactions = _of(one, "round_trips"), _of(one, "transactions")
    yield Goal("at most 8 round trips per order", f"{trips:.1f}", trips <= 8)
    yield Goal("at most 2 transactions per order", f"{transactions:.2f}", transactions <= 2)


def _more(rounds: Mapping[str, Sequence[Round]], load: str, what: str) -> float:
    """Return the ratio of three processes to one under the same load."""
    return _of(rounds[THREE_PROCESSES + load], what) / _of(rounds[ONE_PROCESS + load], what)


def _if_any(found: Sequence[Round], name: str) -> float | None:
    return None if getattr(found[0], name) is None else _of(found, name)


def _of(found: Sequence[Round | Attempts], name: str) -> float:
    return float(median(map(attrgetter(name), found)))


def _ratio(rounds: Mapping[str, Sequence[Round]], found: Sequence[Round], name: str) -> str:
    return f"{_of(found, name) / _of(rounds[OURS], name):.2f}"


def _row(name: str, *cells: float | str | None) -> str:
    shown = [name, *(cell if isinstance(cell, str) else _figure(cell) for cell in cells)]
    return f"| {' | '.join(shown)} |"


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
