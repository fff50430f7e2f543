"""The page docs/service-neighbours.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.measured import records
from lab.neighbours.operations import WINDOW, operations
from lab.neighbours.stage import Result

PAGE = Path(__file__).parents[2] / "docs" / "service-neighbours.md"
MOST = 2.0
_HEAD = (
    "| The large partner calls | its p50 ms | GET p99 ms | ratio | order p99 ms | ratio"
    " | longest ms |\n|---|---:|---:|---:|---:|---:|---:|\n"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A run.

    Attributes:
        size: rows of each table.
        seconds: of each round without and with an operation.
        load: the load average before the run.
        results: by database; some may have been measured again.
    """

    size: int
    seconds: float
    rounds: int
    load: float
    results: dict[str, list[Result]]


def render(run: Measured) -> str:
    """Make the page."""
    parts = [
        "# Waits beside a large partner\n\n"
        f"Written by `nox -s neighbours` {records.words('neighbours')}; do not edit. One process"
        f" serves a partner with {run.size * 9 // 10:,} orders, as many eSIMs, top-ups, events and"
        " waiting deliveries, and a small one that sends 60 GET and 30 orders per second. The large"
        " one calls one operation after another, as often as the limits of a key allow: 10 reads"
        " or 1 write per second, or all requests of a minute at once, each over a connection of its"
        f" own. The waits are those of the small one, for {run.seconds:.0f} s without and"
        f" {run.seconds:.0f} s with the calls of the large one, from the moment at which a request"
        f" was due. Each figure is the median of {run.rounds} rounds, as the disk alone can make an"
        " order wait for longer than any partner; the last two operations leave nothing for another"
        " round, and have one. Beside a burst, which may come once in"
        f" {WINDOW} s, it is one round of that length. Two cores do everything here, the partners"
        " included: a ratio near 1 may be above it by chance. Others worked on this machine at the"
        f" time: before the run, its load average was {run.load:.1f}. Goal: no ratio above"
        f" {MOST:.0f}.\n"
    ]
    for database, rows in run.results.items():
        parts += [f"\n## {database}\n\n", _HEAD, *map(line, rows), "\n", _judged(rows)]
        parts += [f"\nMeasured again, {row.again}: {row.words}.\n" for row in rows if row.again]
        if missing := len(operations(run.size)) - len(rows):
            parts.append(f"\n{missing} others were not measured.\n")
    return "".join(parts)


def line(result: Result) -> str:
    """Return a row of the table."""
    gets = " → ".join(f"{p99:.1f}" for p99 in result.get_p99)
    orders = " → ".join(f"{p99:.1f}" for p99 in result.order_p99)
    return (
        f"| {result.words} | {result.p50:.1f} | {gets} | {_ratio(result.get_p99):.1f} | {orders} |"
        f" {_ratio(result.order_p99):.1f} | {result.longest:.0f} |\n"
    )


def _judged(rows: Sequence[Result]) -> str:
    above = [row.words for row in rows if max(_ratio(row.get_p99), _ratio(row.order_p99)) > MOST]
    if not above:
        return f"No ratio is above {MOST:.0f}, **met**.\n"
    return f"Above {MOST:.0f}, **missed**: {'; '.join(above)}.\n"


def _ratio(pair: tuple[float, float]) -> float:
    before, beside = pair
    return beside / before
