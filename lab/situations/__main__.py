"""Put libraries into situations, all or those named, and write docs/sdk-situations.md."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.imports import label
from lab.benchmarks.workshop import ROOT, Workshop
from lab.measured import records
from lab.situations import outcomes
from lab.situations.outcomes import Outcomes
from lab.situations.runs import SUBJECTS, measured
from lab.situations.table import SITUATIONS

PAGE = ROOT / "docs" / "sdk-situations.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.situations", description=__doc__)
    parser.add_argument("name", nargs="*", help="situations; saved outcomes of the others are kept")
    parser.add_argument(
        "--subject", nargs="*", default=SUBJECTS, choices=SUBJECTS, help="the others are kept"
    )
    options = parser.parse_args()
    if unknown := set(options.name) - set(SITUATIONS):
        parser.error(f"no such situation: {', '.join(sorted(unknown))}")
    record = records.current("situations")
    with TemporaryDirectory() as place:
        workshop = Workshop(Path(place), ROOT / ".nox" / "bench-peers", rounds=7)
        rows = measured(options.name or list(SITUATIONS), workshop, options.subject)
    for name, row in rows.items():
        print(name, *(f"  {subject}: {each}" for subject, each in row.items()), sep="\n")
    kept = outcomes.load().rows
    merged = {name: {**kept.get(name, {}), **row} for name, row in rows.items()}
    Outcomes({subject: label(subject) for subject in SUBJECTS}, {**kept, **merged}).save()
    if not options.name and options.subject == SUBJECTS:
        records.keep("situations", record)
    PAGE.write_text(outcomes.render(), "utf-8")


if __name__ == "__main__":
    main()
