"""The first days of a team with existing findings: `python -m lab.foreign_servers.adoption`.

A first run becomes the baseline of later ones, in which nothing must be new.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.benchmarks.workshop import ENVIRONMENT
from lab.foreign_servers.outcomes import cell
from lab.foreign_servers.runs import PLACE, reports_of, started
from lab.foreign_servers.servers import SERVERS, Server
from lab.measured import records

KEPT = Path(__file__).with_suffix(".json")
# Installed in a minute, and with 32 to 44 operations each.
NAMES = ("Glances", "Jupyter Server", "Kinto")
# None is that of the baseline.
_SEEDS = (1, None, None, 2, 3, 4)
_SECONDS = 90

HEAD = """
## From the first run to a green one

The first run of a team on a server as it is, and later ones that take its `result.json` as \
`--baseline`: with the seed of the baseline, as CI runs it, and with others, each for at most \
{seconds} s and on a server in its state after installation ({measured}; \
`nox -s adoption`). What is new in a later run is what a team would have to \
look at although nothing has changed. Others worked on the machine, with a load of 17 on its two \
cores: the runs on Kinto ended at the limit, each after another part of its work, so that their \
findings differ with the same seed, too. Give a run the time that it needs.

| Server | Seed | Exit code | Seconds | Errors | Warnings | Notes | Accepted |
|---|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `specwright test`.

    Attributes:
        levels: how many findings that count there are of each level.
        accepted: how many are accepted.
        messages: errors and warnings that count.
    """

    seed: int
    exit_code: int
    seconds: float
    levels: Mapping[str, int]
    accepted: int
    messages: Sequence[str]


def run(server: Server, place: Path, number: int, seed: int | None, baseline: Path | None) -> Run:
    """Test a server, and keep its reports beside those of other runs."""
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", "corpus"))
    reports = _reports(server, place, number)
    shutil.rmtree(reports, ignore_errors=True)
    with started(server, place, corpus) as running:
        began = time.monotonic()
        done = subprocess.run(
            [
                *("specwright", "test", running.url, "--document", running.document),
                *("--max-time", str(_SECONDS), "--report-dir", str(reports)),
                *(() if seed is None else ("--seed", str(seed))),
                *(("--api-key-env", "FOREIGN_KEY") if server.key else ()),
                *(("--baseline", str(baseline)) if baseline else ()),
            ],
            env={**ENVIRONMENT, "FOREIGN_KEY": server.key},
            capture_output=True,
            check=False,
        )
        seconds = round(time.monotonic() - began, 1)
    report = json.loads((reports / "report.json").read_text("utf-8"))
    findings = report["findings"]
    return Run(
        json.loads((reports / "result.json").read_text("utf-8"))["seed"],
        done.returncode,
        seconds,
        dict(Counter(finding["level"] for finding in findings)),
        len(report["waived"]),
        [finding["message"] for finding in findings if finding["level"] != "info"],
    )


def _reports(server: Server, place: Path, number: int) -> Path:
    return reports_of(server, place, f"run-{number}")


def section(runs: Mapping[str, Sequence[Run]], measured: str) -> str:
    """Return the section of the page, with the words for the date of the runs."""
    lines = [HEAD.format(seconds=_SECONDS, measured=measured)]
    lines += [_row(server, entry) for server, done in runs.items() for entry in done]
    new = [
        f"- {server}, seed {entry.seed}: {cell(message)}\n"
        for server, (_, *others) in runs.items()
        for entry in others
        for message in entry.messages
    ]
    return "".join([*lines, *(["\nNew in later runs:\n\n", *new] if new else [])])


def _row(server: str, entry: Run) -> str:
    counts = (entry.levels.get(level, 0) for level in ("error", "warning", "info"))
    cells = (server, entry.seed, entry.exit_code, f"{entry.seconds:.0f}", *counts, entry.accepted)
    return f"| {' | '.join(map(str, cells))} |\n"


def render() -> str:
    """Return the section of the page."""
    kept = json.loads(KEPT.read_text("utf-8"))
    runs = {server: [Run(**entry) for entry in done] for server, done in kept.items()}
    return section(runs, records.words("adoption"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.foreign_servers.adoption")
    parser.add_argument("--place", type=Path, default=PLACE)
    options = parser.parse_args()
    options.place.mkdir(parents=True, exist_ok=True)
    record = records.current("adoption")
    runs: dict[str, list[Run]] = {}
    for server in SERVERS:
        if server.name not in NAMES:
            continue
        runs[server.name] = []
        for number, seed in enumerate(_SEEDS):
            first = _reports(server, options.place, 0) / "result.json"
            entry = run(server, options.place, number, seed, first if number else None)
            runs[server.name].append(entry)
            print(_row(server.name, entry).rstrip(), *entry.messages, sep="\n  ", flush=True)
    kept = {server: [asdict(entry) for entry in done] for server, done in runs.items()}
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    records.keep("adoption", record)


if __name__ == "__main__":
    main()
