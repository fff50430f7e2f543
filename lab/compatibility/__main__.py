"""Generate from third-party documents, and write the sections of docs/compatibility.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.benchmarks.workshop import ROOT, Workshop
from lab.compatibility import counts, page, times
from lab.compatibility.documents import Sample, listed, published
from lab.compatibility.outcomes import Outcome, outcome
from lab.compatibility.peers import Peers
from lab.measured import records

PAGE = ROOT / "docs" / "compatibility.md"
PEERS_OF = {
    "published": ["openapi-python-client", "openapi-generator", "datamodel-code-generator"],
    "ordinary": ["openapi-python-client", "openapi-generator"],
    "swagger": [],
}
TITLES = {**page.TITLES, "times": times.TITLE}
# Only the counts of the published documents, in a minute.
COUNTS = "counts"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.compatibility", description=__doc__)
    parser.add_argument(
        "section", nargs="*", choices=[*TITLES, COUNTS, []], help="the others are kept"
    )
    parser.add_argument("--documents", type=Path, default=ROOT / ".nox" / "documents")
    parser.add_argument(
        "--typed", type=int, default=40, help="the number of smallest documents to check with mypy"
    )
    options = parser.parse_args()
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus"))
    samples = {
        "published": lambda: published(corpus),
        "ordinary": lambda: listed("ordinary", options.documents),
        "swagger": lambda: listed("swagger", options.documents),
    }
    if COUNTS in options.section:
        counted = counts.counted_again(counts.load(corpus))
        counts.save(counted)
        replace(TITLES["published"], page.section("published", counted))
        return
    with TemporaryDirectory() as place:
        workshop = Workshop(Path(place), ROOT / ".nox" / "bench-peers", rounds=2)
        for name in options.section or TITLES:
            record = records.current(f"compatibility {name}")
            if name == "times":
                documents = times.measured(workshop, samples["published"]())
                records.keep(f"compatibility {name}", record)
                replace(TITLES[name], times.section(documents, workshop.rounds))
                continue
            results = outcomes(workshop, name, samples[name](), options.typed)
            if name == "published":
                counts.save(results)
            records.keep(f"compatibility {name}", record)
            replace(TITLES[name], page.section(name, results))


def outcomes(workshop: Workshop, name: str, samples: Iterable[Sample], typed: int) -> list[Outcome]:
    peers, names = Peers(workshop), workshop.invite(PEERS_OF[name])
    documents = list(samples)
    smallest = sorted(documents, key=lambda sample: sample.file.stat().st_size)[:typed]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = [
            pool.submit(outcome, workshop, sample, peers, names, typed=sample in smallest)
            for sample in documents
        ]
        return [future.result() for future in pending]


def replace(title: str, section: str) -> None:
    """Replace the section of the page that has the same title."""
    before = PAGE.read_text("utf-8") if PAGE.exists() else page.HEAD
    sections = {section.partition("\n")[0]: section for section in before.split("\n## ")[1:]}
    sections[title] = section.removeprefix("## ")
    kept = [sections[title].rstrip("\n") + "\n" for title in TITLES.values() if title in sections]
    PAGE.write_text("\n## ".join([page.HEAD, *kept]), "utf-8")


if __name__ == "__main__":
    main()
