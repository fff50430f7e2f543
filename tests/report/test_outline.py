"""Changes are read by the operations that they concern, the worst of a report first."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from specwright.errors import Location
from specwright.findings import Affected, Finding, Level, Report, RuleDescription
from specwright.report.excerpt import SourceLines
from specwright.report.formats import FORMATS
from tests.browser import Browser
from tests.report.samples import SLOW, STATUS

RULES = tuple(
    RuleDescription(
        name, category, f"{name} breaks.", "", "", Level.ERROR, Level.ERROR, instead=way
    )
    for name, category, way in (
        ("gone", "Wire", "Keep it, `deprecated`."),
        ("renamed", "SourceLines", "Keep its name."),
    )
)


def change(rule: str, line: int, *operations: str, level: Level = Level.ERROR) -> Finding:
    """A change of one property in some operations."""
    place = Location("api.yaml", line, 3)
    affected = Affected(f"Order.p{line}", operations)
    return Finding(rule, level, place, f"/{line}", "is gone", place, (), "11", affected=affected)


FINDINGS = (
    STATUS,
    change("added", 1, "GET /a", level=Level.INFO),
    change("renamed", 2, "GET /a"),
    change("gone", 3, "GET /a"),
    change("gone", 4, "GET /a", "GET /b", "GET /c", "GET /d"),
    change("gone", 5),
    replace(SLOW, level=Level.ERROR),
)
WORST_FIRST = ["p4", "p3", "p5", "p2", "GET /esims", "GET /plans", "p1"]
REPORT = Report("api.yaml", FINDINGS, rules=RULES, headline="4 breaking changes")


@pytest.mark.parametrize("name", ["text", "github"])
def test_what_is_worst_stands_first(name: str) -> None:
    """Of changes the rules decide, then how far they reach; lint stands below."""
    text = click.unstyle(FORMATS[name](REPORT))
    lines = [
        line
        for line in text.splitlines()
        if "error" in line or "warning" in line or "notice" in line or "info " in line
    ]
    found = [
        each for line in lines for each in WORST_FIRST if f"{each}:" in line or f"{each} " in line
    ]
    assert found == ["p4", "p3", "p5", "p2", "GET /esims", "GET /plans", "p1"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_names_the_change_and_whom_it_concerns(name: str) -> None:
    rendered = FORMATS[name](REPORT)
    for finding in FINDINGS:
        if finding.affected and finding.level is Level.ERROR:
            assert finding.fingerprint in rendered
            assert finding.affected.subject in rendered
    assert "GET /d" in rendered or name in ("gitlab", "markdown")


def test_a_line_is_shown_below_the_keys_that_it_lies_in() -> None:
    text = """\
components:
  schemas:
    Other:
      type: object
    Order:
# a comment
      properties:
        size:
          enum: [a]

        parameters:
        - name: a
        - name: b
          in: query
"""
    lines = text.splitlines()
    source = SourceLines(lambda place: lines[place.line - 1])

    def shown(line: int, column: int) -> tuple[list[int], str]:
        piece = source.extract(Location("f", line, column))
        assert piece is not None
        return [number for number, _ in piece.parents], piece.line.before + piece.line.at

    assert shown(9, 11) == ([2, 5, 7, 8], "        e")
    assert shown(14, 11) == ([5, 7, 11, 13], "      i")
    assert shown(1, 1) == ([], "c")
    assert SourceLines(lambda place: None).extract(Location("f", 1, 1)) is None


def opened(browser: Browser, directory: Path, report: Report = REPORT) -> Any:
    path = directory / "report.html"
    path.write_text(FORMATS["html"](report), "utf-8")
    return browser.open(path)


SHOWN = (
    "[...document.querySelectorAll('article')].filter(each => each.checkVisibility())"
    ".map(each => each.querySelector('.message').innerText.trim())"
)


def test_the_page_says_what_breaks_how_to_avoid_it_and_whom(
    browser: Browser, tmp_path: Path
) -> None:
    page = opened(browser, tmp_path)
    rows = page.evaluate("[...document.querySelectorAll('.kinds tbody tr')].map(r => r.innerText)")
    assert [[cell.strip().split("\n\n") for cell in row.split("\t")] for row in rows] == [
        [
            ["Order.p4: is gone", "Order.p3: is gone", "and 1 more change", "gone gone breaks."],
            ["GET /a", "GET /b", "and 2 more operations"],
            ["Keep it, deprecated."],
        ],
        [["Order.p2: is gone", "renamed renamed breaks."], ["GET /a"], ["Keep its name."]],
    ]
    links = page.evaluate(
        "[...document.querySelectorAll('.operations li')].map(each => each.innerText)"
    )
    assert links[0].split() == ["GET", "/a", "Order.p4,", "Order.p3,", "Order.p2"]
    assert len(links) == 4
    titles = page.evaluate("[...document.querySelectorAll('.part h2')].map(e => e.innerText)")
    assert titles == ["Breaking changes 4", "Errors 1", "Compatible changes 1", "Warnings 1"]
    # Changes that break no client are folded.
    assert [each.split()[0] for each in page.evaluate(SHOWN)] == [
        *("Order.p4", "Order.p3", "Order.p2", "Order.p5"),
        "GET",
    ]


def test_a_link_leads_to_the_change(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.evaluate("document.querySelectorAll('.operations a')[1].click()")
    target = "document.querySelector('article:target .message').innerText"
    assert page.evaluate(target).startswith("Order.p3")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(set(ids)) == len(ids)


def test_the_search_leaves_what_has_all_of_its_words(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path)
    page.evaluate("document.getElementById('search').focus()")
    type_in = "search.value = '%s'; search.dispatchEvent(new Event('input'));" + SHOWN
    assert page.evaluate(type_in % "get /B GONE") == ["Order.p4 is gone"]
    assert page.evaluate(type_in % "p1") == ["Order.p1 is gone"]
    assert page.evaluate(type_in % "nothing has this") == []
    assert len(page.evaluate(type_in % "")) == 5


def test_findings_that_are_the_same_have_places_of_their_own(
    browser: Browser, tmp_path: Path
) -> None:
    twice = (FINDINGS[3], replace(FINDINGS[3], location=Location("api.yaml", 9, 1)))
    page = opened(browser, tmp_path, replace(REPORT, findings=twice))
    ids = page.evaluate("[...document.querySelectorAll('article')].map(each => each.id)")
    assert ids == [FINDINGS[3].fingerprint, f"{FINDINGS[3].fingerprint}-2"]


def test_a_long_value_is_cut_until_somebody_opens_it(browser: Browser, tmp_path: Path) -> None:
    long = f'"{"x" * 300}"'
    finding = replace(FINDINGS[3], counterexample=long)
    page = opened(browser, tmp_path, replace(REPORT, findings=(finding,)))
    shown = page.evaluate("document.querySelector('article .value').innerText")
    assert shown.strip() == f"for example {long[:150]}…"
    page.evaluate("document.querySelector('article .value').open = true")
    assert page.evaluate("document.querySelector('.value pre').innerText").strip() == long
