"""Run the measurements, or only those named, and write the tables into docs/benchmarks.md."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.catalogue import ITEMS, POST
from lab.benchmarks.changes import CHANGES_FINDINGS, CHANGES_MEMORY, CHANGES_TIME, CONTRACT_CHANGE
from lab.benchmarks.events import EVENTS_PAGE
from lab.benchmarks.generation import GENERATED_LINES, GENERATION_TIME
from lab.benchmarks.imports import FIRST_REQUEST, IMPORT, WEBHOOKS_ONLY
from lab.benchmarks.large import LARGE_CALL, LARGE_IMPORT, LARGE_MEMORY
from lab.benchmarks.measurement import take
from lab.benchmarks.overhead import BULK, CALLS
from lab.benchmarks.report import page, section
from lab.benchmarks.size import INSTALLED, MEMORY
from lab.benchmarks.stub import THROUGHPUT
from lab.benchmarks.validation import VALIDATION
from lab.benchmarks.workshop import ROOT, Workshop
from lab.measured import records

PAGE = ROOT / "docs" / "benchmarks.md"
MEASUREMENTS = (
    VALIDATION,
    GENERATION_TIME,
    GENERATED_LINES,
    CALLS,
    BULK,
    EVENTS_PAGE,
    ITEMS,
    POST,
    IMPORT,
    WEBHOOKS_ONLY,
    FIRST_REQUEST,
    MEMORY,
    LARGE_IMPORT,
    LARGE_CALL,
    LARGE_MEMORY,
    INSTALLED,
    *THROUGHPUT,
    CHANGES_TIME,
    CHANGES_MEMORY,
    CHANGES_FINDINGS,
    CONTRACT_CHANGE,
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks", description=__doc__)
    names = [measurement.name for measurement in MEASUREMENTS]
    parser.add_argument("name", nargs="*", help=f"any of {', '.join(names)}; the others are kept")
    parser.add_argument("--rounds", type=int, default=7, help="the number of rounds")
    parser.add_argument(
        "--beside-other-work", action="store_true", help="the page says that the machine was busy"
    )
    options = parser.parse_args()
    if unknown := set(options.name) - set(names):
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")

    note = ", beside other work" if options.beside_other_work else ""
    results = []
    # Not inside the repository: formatters skip files that git ignores.
    with TemporaryDirectory() as place:
        workshop = Workshop(Path(place), ROOT / ".nox" / "bench-peers", options.rounds)
        for measurement in MEASUREMENTS:
            if not options.name or measurement.name in options.name:
                key = f"bench {measurement.name}"
                record = records.current(key)
                results.append(take(measurement, workshop, note))
                records.keep(key, record)
                print("\n".join(section(results[-1])), flush=True)
    titles = [measurement.title for measurement in MEASUREMENTS]
    PAGE.write_text(page(results, titles, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
