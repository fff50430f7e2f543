"""Test one server again and again beside other work: `python -m lab.tickets.loads`.

The same code and seed have one verdict, however busy the machine is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.measured import records
from lab.tickets.judge import NONE, Tested, tested
from lab.tickets.subjects import SUBJECTS
from lab.tickets.verdicts import PLAIN

KEPT = Path(__file__).with_suffix(".json")
LOADS = (0, 2, 8)
# Without a bug, and with one that only two requests at once show.
BUGS = (NONE, "double-booking")
_BUSY = (sys.executable, "-c", "while True: pass")

HEAD = """
## Beside other work

The same server and seed, {runs} times each, while none, two, or eight other processes keep two
cores busy ({measured}; `nox -s loads`). *Differing* are the findings that are not in all
runs of a server; *cut* are the runs that say that steps ended for lack of time.

| Server | Bug | Busy processes | Exit codes | Findings | Differing | Cut | Requests | Seconds |
|---|---|--:|---|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True, slots=True)
class Row:
    """All runs against one server at one load.

    Attributes:
        codes: how often each exit code occurred.
        least: the fewest findings of a run.
        most: the most findings of a run.
        cut: the runs in which steps ended for lack of time.
        differing: the findings that are not in all runs of the server, at any load.
        requests: the median of the runs.
        seconds: the median of the runs.
    """

    server: str
    bug: str
    load: int
    codes: dict[str, int]
    least: int
    most: int
    cut: int
    differing: tuple[str, ...]
    requests: int
    seconds: float


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the machine busy with a number of processes."""
    started = [subprocess.Popen(_BUSY) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def _findings(run: Tested) -> set[str]:
    return {f"{row.level} {row.rule} at {row.place}" for row in run.findings}


def measure(server: str, bug: str, document: Any, runs: int) -> Iterator[Row]:
    """Test a server at each load."""
    by_load: dict[int, list[Tested]] = {}
    for load in LOADS:
        with busy(load):
            by_load[load] = [tested(SUBJECTS[server], bug, document) for _ in range(runs)]
        print(server, bug, load, [run.exit_code for run in by_load[load]], flush=True)
    always = set.intersection(*(_findings(run) for done in by_load.values() for run in done))
    for load, done in by_load.items():
        counts = [len(_findings(run)) for run in done]
        yield Row(
            server,
            bug,
            load,
            dict(Counter(str(run.exit_code) for run in done)),
            min(counts),
            max(counts),
            sum(1 for run in done if run.cut),
            tuple(sorted(set.union(*map(_findings, done)) - always)),
            int(statistics.median(run.requests for run in done)),
            round(statistics.median(run.seconds for run in done), 1),
        )


def render() -> str:
    """Return the section of the page, or nothing if it was never measured."""
    if not KEPT.exists():
        return ""
    kept = json.loads(KEPT.read_text("utf-8"))
    rows = [Row(**{**row, "differing": tuple(row["differing"])}) for row in kept["rows"]]
    return section(rows, kept["runs"], records.words("loads"))


def section(rows: Sequence[Row], runs: int, measured: str) -> str:
    """Return the section of the page about a number of runs, with the words for their date."""
    lines = [HEAD.format(runs=runs, measured=measured)]
    for row in rows:
        counts = sorted(row.codes.items())
        codes = ", ".join(f"{code} ({count} of {runs})" for code, count in counts)
        spread = str(row.least) if row.least == row.most else f"{row.least} to {row.most}"
        cells = (SUBJECTS[row.server].title, f"`{row.bug}`", row.load, codes, spread)
        rest = (len(row.differing), row.cut, row.requests, row.seconds)
        lines.append(f"| {' | '.join(map(str, (*cells, *rest)))} |\n")
    if differing := sorted({finding for row in rows for finding in row.differing}):
        lines += ["\nIn some runs only:\n\n", *(f"- {finding}\n" for finding in differing)]
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.tickets.loads", description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    record = records.current("loads")
    rows: list[Row] = []
    for server, subject in SUBJECTS.items():
        document = subject.documents()[PLAIN]
        for bug in BUGS:
            if bug == NONE or bug in subject.bugs:
                rows += measure(server, bug, document, given.runs)
    kept = {"runs": given.runs, "rows": [asdict(row) for row in rows]}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    records.keep("loads", record)


if __name__ == "__main__":
    main()
