"""The figures of the pages: saved as JSON, rendered as docs/docs-pages.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.docs_pages.documents import DOCUMENTS
from lab.docs_pages.measure import RUNS, VIEWS, WIDTHS, Figures, Violations
from lab.docs_pages.points import POINTS
from lab.docs_pages.tools import OURS, PACKAGES, TOOLS, Tool
from lab.measured import records
from tests import axe

KEPT = Path(__file__).with_suffix(".json")

HEAD = """\
# Pages of documentation

The page that `specwright docs` makes, next to those of {peers}, each made as the documentation of \
its tool says and measured {measured}, in headless Chromium on two cores. All are served on \
loopback, and the browser finds no other host. `nox -s docs_pages` measures all of them again, \
`nox -s docs_pages -- specwright` one, and `nox -s derive` makes this page from \
`lab/docs_pages/figures.json`.

{documents}

![The first screens of the four pages on a desktop](images/docs-pages-desktop.webp)

## Time and size

- **Ready** is the time from the request to the end of the last work before a quiet second: of \
loading, of the largest paint, of responses, and of tasks of more than 50 ms. The page must show \
the title of the API. It is the middle one of {runs} runs, as is **CPU**, the time that the main \
thread of the page used until then.
- **Memory** is that of JavaScript objects after a garbage collection, and **nodes** are those of \
the document. A page that shows one operation at a time has few.
- **Loaded** is the size of all files of the page, **compressed** as most servers send them. They \
lie on the same server; **elsewhere** are other hosts that the page asked for something.
"""
_SIZED = """\
The nodes and the sizes of our page were counted again {sized}, when it became smaller \
([0299](decisions/0299-a-page-says-nothing-twice.md)); its times and its memory are older.
"""
_AXE = """\
## Accessibility

Elements that break rules of axe-core {version}, by their impact (critical, serious, moderate, \
minor), on the page as it opens, at {sizes}. Rules are those that are on without settings, and \
`target-size` of WCAG 2.2.
"""
_POINTS = """\
## What readers find

Checked by a script on the page of `lab/docs_pages/points.yaml`, a small document with one of \
each. {labels} have more settings than these pages use, and each has features that no row asks for.
"""
_PICTURES = """\
## Pictures

![The first screens of the four pages on a phone](images/docs-pages-phone.webp)

![The first screens of the four pages in a dark colour scheme](images/docs-pages-dark.webp)

![The first screens of the four pages of the largest document](images/docs-pages-large.webp)
"""
_FIRST = """\
## Our page, first and now

First measured {first}, before the page was improved for this comparison.
"""
_COLUMNS = ("ready", "CPU", "memory", "nodes", "loaded", "compressed", "elsewhere")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The measurements of one tool.

    Attributes:
        figures: the figures by the name of the document.
        violations: those of axe-core by the names of the document and the view.
        points: whether the page has each point.
    """

    figures: Mapping[str, Figures]
    violations: Mapping[str, Mapping[str, Violations]]
    points: Mapping[str, bool]

    @classmethod
    def of(cls, kept: Any) -> Outcome:
        """Read an outcome from JSON."""
        return cls(
            {name: Figures(**row) for name, row in kept["figures"].items()},
            {
                name: {view: Violations(**row) for view, row in views.items()}
                for name, views in kept["violations"].items()
            },
            kept["points"],
        )


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The measurements of all tools.

    Attributes:
        tools: those of each tool.
        first: the first ones of our page.
        first_measured: their day and commit, in words.
        build_docs: the hosts that the page of Redocly CLI asks for something.
        axe: the version of axe-core.
        sized: the time of a later count of the nodes and bytes of our page, in words; empty if
            there was none.
    """

    tools: Mapping[str, Outcome]
    first: Outcome
    first_measured: str
    build_docs: Sequence[str]
    axe: str
    sized: str = ""


def load() -> Outcomes:
    """Return the saved measurements."""
    if not KEPT.exists():
        return Outcomes({}, Outcome({}, {}, {}), "", (), "")
    kept = json.loads(KEPT.read_text("utf-8"))
    return Outcomes(
        {name: Outcome.of(row) for name, row in kept["tools"].items()},
        Outcome.of(kept["first"]),
        kept["first_measured"],
        kept["build_docs"],
        kept["axe"],
        kept["sized"],
    )


def save(outcomes: Outcomes) -> None:
    """Save measurements."""
    text = json.dumps(asdict(outcomes), indent=1, ensure_ascii=False)
    KEPT.write_text(f"{text}\n", "utf-8")


def render() -> str:
    """Return the page."""
    outcomes = load()
    of = outcomes.tools
    _, *others, last = TOOLS.values()
    peers = f"{', '.join(map(_named, others))} and {_named(last)}"
    labels = [tool.label for tool in TOOLS.values()]
    listed = "\n".join(f"- **{document.name}**: {document.about}." for document in DOCUMENTS)
    measured = records.words("docs_pages")
    parts = [HEAD.format(peers=peers, measured=measured, runs=RUNS, documents=listed)]
    if outcomes.sized:
        parts.append(_SIZED.format(sized=outcomes.sized))
    for document in DOCUMENTS:
        rows = {tool.label: of[name].figures[document.name] for name, tool in TOOLS.items()}
        parts.append(f"### {document.name}\n")
        parts.append("\n".join(_figures(rows)) + "\n")
    parts.append(_build_docs(outcomes.build_docs))
    sizes = ", ".join(f"{width}x{height}" for width, height in WIDTHS.values())
    parts.append(_AXE.format(version=outcomes.axe, sizes=f"{sizes} and in the dark"))
    parts.append("\n".join(_accessibility(of)) + "\n")
    parts.append(_POINTS.format(labels=f"{', '.join(labels[1:-1])} and {labels[-1]}"))
    parts.append("\n".join(_table("point", labels, _points(of))) + "\n")
    parts.append(_PICTURES)
    parts.append(_FIRST.format(first=outcomes.first_measured))
    parts.append("\n".join(_first_and_now(outcomes)) + "\n")
    return "\n".join(parts)


def _named(tool: Tool) -> str:
    return f"{tool.label} {tool.version}"


def _table(first: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    columns = [first, *columns]
    yield f"| {' | '.join(columns)} |"
    yield f"|---|{'---:|' * (len(columns) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _figures(rows: Mapping[str, Figures]) -> Iterator[str]:
    return _table("page", _COLUMNS, ([label, *_cells(row)] for label, row in rows.items()))


def _cells(row: Figures) -> Iterator[str]:
    yield f"{row.ready:.2f} s"
    yield f"{row.busy:.2f} s"
    yield f"{row.heap:.1f} MB"
    yield f"{row.nodes:,}"
    yield f"{row.size:.2f} MB"
    yield f"{row.compressed:.2f} MB"
    yield ", ".join(f"`{host}`" for host in row.elsewhere) or "none"


def _build_docs(hosts: Sequence[str]) -> str:
    if not hosts:
        return f"The file that Redocly CLI {PACKAGES['@redocly/cli']} builds asks no other host.\n"
    names = ", ".join(f"`{host}`" for host in hosts)
    version = PACKAGES["@redocly/cli"]
    return (
        f"The file that `build-docs` of Redocly CLI {version} writes loads Redoc from {names}, so "
        "it shows nothing here; the rows of Redoc are those of its element in a page.\n"
    )


def _accessibility(tools: Mapping[str, Outcome]) -> Iterator[str]:
    places = [(document.name, view) for document in DOCUMENTS for view in VIEWS]
    rows = (
        [
            tool.label,
            *(_impacts(tools[name].violations[document][view]) for document, view in places),
        ]
        for name, tool in TOOLS.items()
    )
    return _table("page", [", ".join(place) for place in places], rows)


def _impacts(found: Violations) -> str:
    if not any(found.elements.values()):
        return "0"
    return " / ".join(str(found.elements[impact]) for impact in axe.IMPACTS)


def _points(tools: Mapping[str, Outcome]) -> Iterator[Sequence[str]]:
    for point in POINTS:
        yield [point, *("yes" if tools[name].points[point] else "no" for name in TOOLS)]


def _first_and_now(outcomes: Outcomes) -> Iterator[str]:
    rows = {}
    for document, first in outcomes.first.figures.items():
        rows[f"{document}, first"] = first
        rows[f"{document}, now"] = outcomes.tools[OURS].figures[document]
    yield from _figures(rows)
    yield ""
    elements = [_elements(of.violations) for of in (outcomes.first, outcomes.tools[OURS])]
    yield (
        "Elements with violations, on all of these screens together: "
        f"{elements[0]} at first, {elements[1]} now."
    )
    now = outcomes.tools[OURS].points
    new = [point for point in POINTS if now[point] and not outcomes.first.points[point]]
    if new:
        yield f"New since then: {', '.join(new)}."


def _elements(violations: Mapping[str, Mapping[str, Violations]]) -> int:
    return sum(
        sum(found.elements.values()) for views in violations.values() for found in views.values()
    )
