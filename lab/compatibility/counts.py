"""The outcomes of published documents in published.json, whose counts cost little to make again.

The counts of operations in full need the checks only, and the tests compare them with every change.
Other columns of the page need packages, mypy and other generators.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lab.compatibility.documents import Sample
from lab.compatibility.outcomes import PACKAGE, Outcome
from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.emit.manifest import PackageContents
from specwright.errors import SpecwrightError
from specwright.pipeline import package_contents

FILE = Path(__file__).with_name("published.json")


@dataclass(frozen=True, slots=True)
class Difference:
    """A document of which another part is generated than the page says."""

    document: str
    page: PackageContents
    now: PackageContents


def save(outcomes: Sequence[Outcome]) -> None:
    """Keep the outcomes of the published documents."""
    rows = {outcome.sample.name: outcome.row() for outcome in outcomes}
    FILE.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def load(corpus: Path) -> list[Outcome]:
    """Return the outcomes that are kept, with the documents of a corpus."""
    rows = json.loads(FILE.read_text("utf-8"))
    return [
        Outcome.of_row(Sample(name, corpus / "specs" / name), row) for name, row in rows.items()
    ]


def counted(outcome: Outcome) -> PackageContents:
    """Return the contents that a package of a document has now."""
    try:
        return package_contents(load_in_part(outcome.sample.file), PackageOptions(package=PACKAGE))
    except SpecwrightError:
        return PackageContents()


def counted_again(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes with the counts of now."""
    return [replace(outcome, contents=counted(outcome)) for outcome in outcomes]


def differences(corpus: Path) -> Iterator[Difference]:
    """Yield the documents whose counts differ from those that are kept."""
    for outcome in load(corpus):
        now = counted(outcome)
        if now != outcome.contents:
            yield Difference(outcome.sample.name, outcome.contents, now)
