"""The page docs/service-faults.md: the table of the tests, and the counts of a long run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.kills.duplicates import AT_ONCE, Flood
from lab.kills.memory import PARTNERS, Growth
from lab.kills.rounds import CLIENTS, LATEST_KILL, Tally
from lab.measured import records
from tests.service.faults.rows import table

PAGE = Path(__file__).parents[2] / "docs" / "service-faults.md"

HEAD = (
    "# What the service stands\n\n"
    "Each fault is a test with the real thing: processes of `esim-service` that are killed, SQLite"
    " files, a PostgreSQL that crashes, receivers with TLS. The list is"
    " `tests/service/faults/rows.py`.\n\n"
)

OUTAGES = "\n## Outages\n\n"
RESTARTS = "\n## Restarts\n\n"
LONG_RUN = "\n## The long run\n\n"

EXPLANATION = (
    "It does what takes too long for every run of the tests. It ends"
    " at the first thing that is wrong: the zeros below are what it found, not what it allowed. One"
    " process serves SQLite, two at the same time serve PostgreSQL.\n\n"
    f"In each round {CLIENTS} clients order one thing after another, and one more polls the feed."
    f" At a random moment, at most {LATEST_KILL} s after the first response, a process gets"
    " `kill -9` and a new one is started. Then every order is sent again: what was acknowledged"
    " must be replayed byte for byte, what was not must be done once. In the end the balance must"
    " be the sum of the ledger, the feed as it was polled must have every event once and in order,"
    " and each event must have arrived at its receiver with the bytes of the feed.\n\n"
    "| | rounds | acknowledged | of these lost | cut off | of these committed | double debits"
    " | events | delivered twice | seconds |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
)

DUPLICATES = (
    f"\nOf the duplicates {AT_ONCE} arrive at the same time, on connections of their own, and then"
    " all once more.\n\n"
    "| | requests | orders | replays | 409 | double debits | seconds |\n"
    "|---|---:|---:|---:|---:|---:|---:|\n"
)


MEMORY = (
    f"\nThe resident memory of one process, while {2 * PARTNERS} clients order and read as fast as"
    " they can, on both databases at the same time, and nothing fails.\n\n"
    "| | requests | MB after each minute |\n"
    "|---|---:|---|\n"
)


def render(
    tallies: Mapping[str, Tally], floods: Mapping[str, Flood], growths: Mapping[str, Growth]
) -> str:
    """Make the part of a run in which nothing was wrong."""
    kills = "".join(
        f"| {name} | {each.rounds} | {each.acknowledged:,} | 0 | {each.cut_off:,} |"
        f" {each.committed:,} | 0 | {each.events:,} | {each.deliveries - each.events:,} |"
        f" {each.seconds:.0f} |\n"
        for name, each in tallies.items()
    )
    duplicates = "".join(
        f"| {name} | {each.requests:,} | {each.orders:,} | {each.replays:,} |"
        f" {each.in_progress:,} | 0 | {each.seconds:.0f} |\n"
        for name, each in floods.items()
    )
    memory = "".join(
        f"| {name} | {each.requests:,} | {', '.join(f'{size:.0f}' for size in each.megabytes)} |\n"
        for name, each in growths.items()
    )
    head = f"Written by `nox -s kills` {records.words('kills')}. "
    return head + EXPLANATION + kills + DUPLICATES + duplicates + MEMORY + memory


def write(
    outages: str | None = None, restarts: str | None = None, long_run: str | None = None
) -> None:
    """Make the page, with those parts that are not given as they were."""
    rest = PAGE.read_text("utf-8")
    page = HEAD + table()
    parts = {OUTAGES: outages, RESTARTS: restarts, LONG_RUN: long_run}
    for heading, following in zip(parts, [*[*parts][1:], None], strict=True):
        _, _, rest = rest.partition(heading)
        old = rest.partition(following)[0] if following else rest
        new = parts[heading]
        page += heading + (old if new is None else new)
    PAGE.write_text(page, "utf-8")
