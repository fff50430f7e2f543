"""List the measurements whose code has changed since, and compute again what is cheap.

It prints a warning for each page, which GitHub shows beside the changes of a pull request. Only
figures that were computed again and differ from their page make the run fail.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from lab.compatibility.counts import Difference, differences
from lab.measured.records import Record, load
from lab.measured.table import MEASUREMENTS, Measurement

# As many of the changed paths as a line can show.
_SHOWN = 4


def stale(records: dict[str, Record]) -> Iterator[tuple[Measurement, str]]:
    """Yield each measurement that is not current, with the reason."""
    for measurement in MEASUREMENTS:
        record = records.get(measurement.key)
        if record is None:
            yield measurement, "never measured"
        elif changed := record.changed(measurement.paths):
            yield measurement, f"measured {record.words}; changed since: {_some(changed)}"


def _some(paths: list[str]) -> str:
    shown = ", ".join(paths[:_SHOWN])
    return shown if len(paths) <= _SHOWN else f"{shown} and {len(paths) - _SHOWN} more"


def lines(stale: Iterator[tuple[Measurement, str]]) -> Iterator[str]:
    """Yield the lines about each page with stale figures: why, and the commands that measure."""
    for page, rows in groupby(stale, key=lambda row: row[0].page):
        yield f"docs/{page}"
        for (session, why), parts in groupby(rows, key=lambda row: (row[0].session, row[1])):
            arguments = [measurement.part for measurement, _ in parts if measurement.part]
            yield f"  nox -s {' '.join([session, *(['--', *arguments] if arguments else [])])}"
            yield f"    {why}"


def warnings(stale: Iterator[tuple[Measurement, str]]) -> Iterator[str]:
    """Yield a warning in the format of GitHub for each page with stale figures."""
    for page, rows in groupby(stale, key=lambda row: row[0].page):
        whys = "%0A".join(f"{measurement.command}: {why}" for measurement, why in rows)
        yield f"::warning file=docs/{page},title=Measured before this code::{whys}"


def main() -> int:
    is_github = os.environ.get("GITHUB_ACTIONS") == "true"
    for line in (warnings if is_github else lines)(stale(load())):
        print(line)
    corpus = os.environ.get("SPECWRIGHT_CORPUS")
    if not corpus:
        print("operations in full: not counted again without SPECWRIGHT_CORPUS")
        return 0
    wrong = list(differences(Path(corpus)))
    for difference in wrong:
        print(_line(difference))
    print(f"operations in full: {len(wrong)} documents differ from docs/compatibility.md")
    return int(bool(wrong))


def _line(difference: Difference) -> str:
    return (
        f"docs/compatibility.md: {difference.document}: {difference.page} on the page,"
        f" {difference.now} now: nox -s compatibility -- counts"
    )


if __name__ == "__main__":
    sys.exit(main())
