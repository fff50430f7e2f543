"""Test one server again and again beside other work: `python -m lab.tickets.loads`."""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.measured import records
from lab.tickets.judge import findings_of, tested
from lab.tickets.subjects import SUBJECTS
from lab.tickets.verdicts import PLAIN

KEPT = Path(__file__).with_suffix(".json")
LOADS = (0, 2, 8)
# Only requests at the same time show it.
BUG = "double-booking"
INCLUDED = ("* /bookings*", "* /labels*")
_BUSY = (sys.executable, "-c", "while True: pass")

HEAD = """
## Beside other work

The bookings and labels of the ticket system with the bug `double-booking`, which only requests at
the same time show: tested {runs} times with one seed while none, two, or eight other processes
keep two cores busy ({measured}; `nox -s loads`). *Differing* are findings that not all runs have,
and *cut* runs that say that a step had too little time.

| Busy processes | Exit code | Findings | Differing | Cut | Seconds |
|--:|---|--:|--:|--:|--:|
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `specwright test`.

    Attributes:
        findings: level, rule and place of each.
        cut: the steps that had too little time, in words.
    """

    exit_code: int
    findings: Sequence[str]
    cut: str
    seconds: float


# The runs by the number of busy processes.
Runs = Mapping[str, Sequence[Run]]


@contextlib.contextmanager
def busy(processes: int) -> Iterator[Sequence[subprocess.Popen[bytes]]]:
    """Keep the machine busy with a number of processes."""
    started = [subprocess.Popen(_BUSY) for _ in range(processes)]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def run(document: Any) -> Run:
    """Test the server."""
    included = [part for pattern in INCLUDED for part in ("--include", pattern)]
    began = time.monotonic()
    exit_code, report = tested(SUBJECTS["tickets"], BUG, document, *included)
    seconds = round(time.monotonic() - began, 1)
    findings = {f"{row.level} {row.rule} at {row.place}" for row in findings_of(report)}
    facts = {fact["label"]: fact["value"] for fact in report["facts"]}
    return Run(exit_code, sorted(findings), facts.get("Out of time", ""), seconds)


def section(runs: Runs, measured: str) -> str:
    """Return the section of the page, with the words for the date of the runs."""
    sets = [set(run.findings) for done in runs.values() for run in done]
    always = set.intersection(*sets)
    lines = [_row(load, done, always) for load, done in runs.items()]
    if differing := sorted(set.union(*sets) - always):
        lines += ["\nIn some runs only:\n\n", *(f"- {finding}\n" for finding in differing)]
    [count] = {len(done) for done in runs.values()}
    return HEAD.format(runs=count, measured=measured) + "".join(lines)


def _row(load: str, done: Sequence[Run], always: set[str]) -> str:
    codes = sorted(Counter(run.exit_code for run in done).items())
    counts = {len(run.findings) for run in done}
    cells = (
        load,
        ", ".join(f"{code} ({count} of {len(done)})" for code, count in codes),
        " to ".join(map(str, sorted({min(counts), max(counts)}))),
        len({finding for run in done for finding in run.findings} - always),
        sum(bool(run.cut) for run in done),
        statistics.median(run.seconds for run in done),
    )
    return f"| {' | '.join(map(str, cells))} |\n"


def render() -> str:
    """Return the section of the page."""
    kept = json.loads(KEPT.read_text("utf-8"))
    runs = {load: [Run(**row) for row in done] for load, done in kept.items()}
    return section(runs, records.words("loads"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.tickets.loads", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="at each load")
    options = parser.parse_args()
    record = records.current("loads")
    document = SUBJECTS["tickets"].documents()[PLAIN]
    runs: dict[str, list[Run]] = {}
    for load in LOADS:
        with busy(load):
            runs[str(load)] = [run(document) for _ in range(options.runs)]
        print(load, *(f"{row.exit_code}: {row.seconds} s" for row in runs[str(load)]), flush=True)
    kept = {load: list(map(asdict, done)) for load, done in runs.items()}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    records.keep("loads", record)


if __name__ == "__main__":
    main()
