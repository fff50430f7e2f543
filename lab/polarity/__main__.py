"""Mutate published documents with known effects, count the missed breaks, and write the page."""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from pathlib import Path

from lab.measured import records
from lab.polarity.judge import Judged, judged, schema_mutants, wire_judged
from lab.polarity.places import places
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade

DOCUMENTS = (
    "adyen-capital.json",
    "box-2025.json",
    "camara-sim-swap-subscriptions.yaml",
    "ollama.yaml",
    "qdrant.json",
    "resend.yaml",
    "svix-server.json",
    "twilio-insights.json",
)


PAGE = Path(__file__).parents[2] / "docs" / "review-polarity.md"
HEAD = """\
# The review on changes of known effect

Written by `nox -s polarity` {measured}; do not edit. \
{places} schemas of bodies in each of {documents} are \
changed in every way of `lab/polarity/structures.py`, and what is beside schemas \
(security, servers, tags of alternatives, encodings) as in `wire.py`. Of each change it is known \
whether it breaks anybody. A change that does not, such as another order or another way to write \
the same, must not be an error. `jsonschema` tries each value that the review shows for a break, \
at the place that it names.

| | |
|---|---:|
"""
ROWS = {
    "breaking": "breaking changes",
    "missed": "of these, without an error",
    "safe": "safe changes",
    "false alarms": "of these, with an error",
    "counterexamples": "values that show a break",
    "refuted": "of these, refuted by `jsonschema`",
}


def verdicts(name: str, document: Document, count: int) -> list[Judged]:
    """Judge the changes of so many schemas of a document, and those beside schemas."""
    chosen = list(places(document))
    random.Random(name).shuffle(chosen)
    mutants = list(schema_mutants(name, document, chosen[:count]))
    return [*judged(document, mutants), *wire_judged(name, document)]


def main() -> int:
    """Print each wrong verdict; return 1 if there is one.

    The page is written if all documents are tried.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*", default=DOCUMENTS)
    parser.add_argument("--places", type=int, default=25, help="How many schemas of each.")
    options = parser.parse_args()
    corpus = Path(os.environ["SPECWRIGHT_CORPUS"]) / "specs"
    record = records.current("polarity")
    numbers: Counter[str] = Counter()
    for name in options.documents:
        document = upgrade(load(corpus / name, remote=Remote.KEEP))
        for verdict in verdicts(name, document, options.places):
            count(verdict, numbers)
        print(name, dict(numbers), flush=True)
    if tuple(options.documents) == DOCUMENTS:
        records.keep("polarity", record)
        PAGE.write_text(page(numbers, options.places), "utf-8")
    return 1 if numbers["missed"] or numbers["false alarms"] or numbers["refuted"] else 0


def page(numbers: Counter[str], chosen: int) -> str:
    """The numbers of all documents as Markdown."""
    rows = "".join(f"| {words} | {numbers[name]:,} |\n" for name, words in ROWS.items())
    documents = ", ".join(DOCUMENTS)
    return (
        HEAD.format(measured=records.words("polarity"), documents=documents, places=chosen) + rows
    )


def count(each: Judged, numbers: Counter[str]) -> None:
    """Add a verdict to the numbers, and print it if it is wrong."""
    mutant = each.mutant
    numbers["breaking" if mutant.breaks else "safe"] += 1
    numbers["counterexamples"] += each.shown
    numbers["refuted"] += each.shown - each.confirmed
    if not each.is_right:
        numbers["missed" if mutant.breaks else "false alarms"] += 1
    if not each.is_right or each.shown > each.confirmed:
        words = "refuted" if each.is_right else "missed" if mutant.breaks else "false alarm"
        print(f"{words}: {mutant.document} {mutant.place}: {mutant.name}")
        for finding in each.findings[:3]:
            print(
                f"    {finding.rule} {finding.pointer} {finding.message} {finding.counterexample}"
            )


if __name__ == "__main__":
    sys.exit(main())
