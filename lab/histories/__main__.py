"""Review each version of the listed documents against the previous one; write the page."""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from lab.benchmarks.workshop import ROOT
from lab.histories.outcomes import Outcome, outcome
from lab.histories.page import page
from lab.histories.versions import History, histories, versions
from lab.measured import records

PAGE = ROOT / "docs" / "review-histories.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.histories", description=__doc__)
    parser.add_argument("--clones", type=Path, default=ROOT / ".nox" / "histories-clones")
    parser.add_argument("--most", type=int, default=30, help="Latest versions per document.")
    options = parser.parse_args()
    record = records.current("histories")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {
            history: [
                pool.submit(outcome, clone, history.path, *pair)
                for pair in pairwise(versions(clone, history, options.most))
            ]
            for history, clone in histories(options.clones)
        }
        results = {history: [pair.result() for pair in found[history]] for history in found}
    _dump(options.clones / "findings.jsonl", results)
    records.keep("histories", record)
    PAGE.write_text(page(results), "utf-8")


def _dump(file: Path, results: dict[History, list[Outcome]]) -> None:
    """Write the findings of each pair, one pair per line, for people to read."""
    lines = [
        json.dumps({"history": history._asdict(), **outcome._asdict()})
        for history, outcomes in results.items()
        for outcome in outcomes
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
