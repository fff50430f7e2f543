"""Measure the pages of all tools, or of those named, and write docs/docs-pages.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.docs_pages import figures, measure, pictures, tools
from lab.docs_pages.documents import DOCUMENTS, LARGEST, PARTNER, POINTS, Document
from lab.docs_pages.figures import Outcome
from lab.docs_pages.measure import VIEWS
from lab.docs_pages.points import Subject, points
from lab.docs_pages.tools import OURS, ROOT, TOOLS
from lab.measured import records
from tests import axe

PAGE = ROOT / "docs" / "docs-pages.md"
IMAGES = ROOT / "docs" / "images"
# The document and the view of each picture.
PICTURES = {
    "desktop": (PARTNER, "desktop"),
    "phone": (PARTNER, "phone"),
    "dark": (PARTNER, "dark"),
    "large": (LARGEST, "desktop"),
}


def build(names: Iterable[str], documents: Iterable[Document], corpus: Path, place: Path) -> None:
    """Write the pages of some tools for some documents, each to a directory of its own."""
    for name, document in product(names, documents):
        directory = place / name / document.name
        directory.mkdir(parents=True)
        TOOLS[name].build(document.file(corpus), directory)


def outcome(name: str, place: Path, code: str) -> Outcome:
    """Measure the pages of a tool."""
    of_documents, of_axe = {}, {}
    for document in DOCUMENTS:
        directory = place / name / document.name
        with measure.served(directory) as address:
            found = measure.figures(f"{address}/{tools.PAGE}", directory, document.title)
            of_documents[document.name] = found
            of_axe[document.name] = dict(_violations(f"{address}/{tools.PAGE}", document, code))
        print(name, document.name, found, of_axe[document.name], flush=True)
    directory = place / name / POINTS.name
    with measure.served(directory) as address, measure.browsing() as browser:
        subject = Subject(browser, f"{address}/{tools.PAGE}", directory, TOOLS[name])
        of_points = points(subject)
    print(name, of_points, flush=True)
    return Outcome(of_documents, of_axe, of_points)


def _violations(
    address: str, document: Document, code: str
) -> Iterator[tuple[str, measure.Violations]]:
    for view in VIEWS:
        with measure.browsing() as browser:
            page, _ = measure.show(browser, address, document.title, view)
            yield view, measure.violations(page, code)


def take_pictures(place: Path) -> None:
    """Write the pictures of the pages of all tools."""
    for picture, (document, view) in PICTURES.items():
        size, _ = VIEWS[view]
        with measure.browsing() as browser:
            screens = {}
            for name, tool in TOOLS.items():
                with measure.served(place / name / document.name) as address:
                    page, _ = measure.show(browser, f"{address}/{tools.PAGE}", document.title, view)
                    screens[tool.label] = pictures.first_screen(page, size)
            file = IMAGES / f"docs-pages-{picture}.webp"
            pictures.side_by_side(browser, screens, size, file)


def build_docs_loads() -> tuple[str, ...]:
    """Return the hosts that the page of Redocly CLI asks for something."""
    with TemporaryDirectory() as place, measure.browsing() as browser:
        tools.build_docs(ROOT / POINTS.path, Path(place, tools.PAGE))
        return measure.requested(browser.open(Path(place, tools.PAGE)))[1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.docs_pages", description=__doc__)
    parser.add_argument("name", nargs="*", help="tools; the measurements of the others are kept")
    names = parser.parse_args().name or list(TOOLS)
    if unknown := set(names) - set(TOOLS):
        parser.error(f"no such tool: {', '.join(sorted(unknown))}")
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ""))
    if not (corpus / "specs").is_dir():
        print("set SPECWRIGHT_CORPUS to the directory of the corpus")
        return 2
    code = axe.source()
    if code is None:
        print(f"install {axe.PACKAGE}")
        return 2
    record = records.current("docs_pages")
    tools.install()
    kept = figures.load()
    with TemporaryDirectory() as directory:
        place = Path(directory)
        build(names, (*DOCUMENTS, POINTS), corpus, place)
        measured = {name: outcome(name, place, code) for name in names}
        if len(names) == len(TOOLS):
            take_pictures(place)
            records.keep("docs_pages", record)
    outcomes = replace(
        kept, tools={**kept.tools, **measured}, build_docs=build_docs_loads(), axe=axe.version(code)
    )
    if not outcomes.first.figures:
        outcomes = replace(outcomes, first=measured[OURS], first_measured=record.words)
    figures.save(outcomes)
    PAGE.write_text(figures.render(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
