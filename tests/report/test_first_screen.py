"""The first screen of a report answers four questions: what breaks, for whom, what to do about it,
and what was not checked.

The page is read from its beginning; so is Markdown; a terminal shows the end.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import click
import pytest

from specwright.errors import Location
from specwright.findings import (
    Affected,
    Finding,
    Level,
    Occurrence,
    OperationSummary,
    Report,
    RuleDescription,
    RuleRun,
    Table,
)
from specwright.report import text
from specwright.report.formats import FORMATS
from tests.browser import Browser
from tests.report import published

PLACE = Location("openapi.json", 12, 3)
OPERATIONS = tuple(f"GET /organizations/{{organization_id}}/members/{n}" for n in range(30))


def rule(id: str, *, instead: str = "", advice: str = "") -> RuleDescription:
    why = "Clients continue to send values that are valid today, and these are now rejected."
    return RuleDescription(
        id, "Changes", why, "", "", Level.ERROR, Level.ERROR, instead=instead, advice=advice
    )


def change(id: str, subject: str, *operations: str, level: Level = Level.ERROR) -> Finding:
    affected = Affected(subject, operations)
    return Finding(id, level, PLACE, f"/{subject}", "type string -> integer", affected=affected)


def cause(number: int, *operations: str) -> Finding:
    occurrences = tuple(
        Occurrence("F1", name, PLACE, "/paths", "answered 500") for name in operations
    )
    message = f"answered 500 to {number} kinds of requests"
    return Finding("server-error", Level.ERROR, PLACE, "/paths", message, occurrences=occurrences)


COMPARISON = Report(
    "openapi.json",
    (
        change("operation-removed", "member", OPERATIONS[3]),
        *(change("type-narrowed", f"Member.p{n}", *OPERATIONS) for n in range(12)),
        *(change("added", f"Member.new{n}", *OPERATIONS, level=Level.INFO) for n in range(12)),
    ),
    rules=(
        rule("operation-removed", instead="Mark it `deprecated` first."),
        rule("type-narrowed", instead="Continue to accept the old values."),
    ),
    facts=(("Base", "main (0123456789ab)"), ("Version", "at least 2.0.0, not 1.4.0")),
    command="review",
    headline="13 breaking changes in 30 of 41 operations",
    breaking=13,
    unchecked=("2 changes that no proof decides",),
)
TEST = Report(
    "openapi.json",
    (cause(1, *OPERATIONS), *(cause(n, OPERATIONS[n]) for n in range(2, 12))),
    rules=(rule("server-error", advice="Look for the traceback in the log."),),
    facts=(("Target", "http://127.0.0.1:8000"), ("Seed", "1"), ("Requests", "1,204")),
    tables=(Table("Steps", ("", "requests"), tuple((f"step {n}", "1") for n in range(30))),),
    command="test",
    rule_runs=(RuleRun("", "server-error"),),
    operation_summaries=tuple(OperationSummary(name, 1) for name in OPERATIONS),
    unchecked=("4 operations excluded", "7 of 90 statuses"),
)
# What breaks, for whom, what to do, and what was not checked; `{}` is any remedy of a terminal.
COMPARED = (
    *("Member.p0: type string -> integer", "type-narrowed", OPERATIONS[3], OPERATIONS[0]),
    *("Mark it deprecated first.", "Continue to accept the old values.", "at least 2.0.0"),
    *("2 changes that no proof decides", "whether the server does what the document says"),
)
TESTED = (
    *("answered 500 to 1 kinds of requests", "server-error", OPERATIONS[0], "and 28 more"),
    *("Look for the traceback in the log.", "4 operations excluded; 7 of 90 statuses"),
)
BOTH = pytest.mark.parametrize(
    ("report", "answers"), [(COMPARISON, COMPARED), (TEST, TESTED)], ids=["comparison", "test"]
)
SEEN = (
    "[...document.querySelectorAll('h1, p, td, li, dd')].filter(each => each.checkVisibility()"
    " && each.getBoundingClientRect().bottom <= innerHeight).map(each => each.innerText).join(' ')"
)


def words(shown: str) -> str:
    return " ".join(shown.split())


@BOTH
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_page_answers_at_once(
    browser: Browser,
    tmp_path: Path,
    report: Report,
    answers: tuple[str, ...],
    width: int,
    height: int,
) -> None:
    path = tmp_path / "report.html"
    path.write_text(FORMATS["html"](report), "utf-8")
    page = browser.open(path)
    page.resize(width, height)
    shown = words(page.evaluate(SEEN))
    # A narrow page has one kind of change on its first screen.
    others = ("Member.p0", "type-narrowed", OPERATIONS[0], "Continue") if width < 400 else ()
    missing = [answer for answer in answers if answer not in shown]
    assert [answer for answer in missing if report is TEST or not answer.startswith(others)] == []


def test_the_columns_of_a_narrow_page_have_their_titles(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(FORMATS["html"](COMPARISON), "utf-8")
    page = browser.open(path)
    page.resize(390, 844)
    titles = page.evaluate(
        "[...document.querySelectorAll('.kinds tr')[1].cells]"
        ".map(each => getComputedStyle(each, '::before').content)"
    )
    assert titles[1:] == ['"For whom"', '"What to do instead"']
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@BOTH
def test_a_comment_answers_at_once(report: Report, answers: tuple[str, ...]) -> None:
    lines = FORMATS["markdown"](report).splitlines()[:24]
    shown = words(unescape(re.sub("<[^>]+>", "", " ".join(lines))))
    # A comment names three operations of a cause, and the kinds of changes.
    others = ("Member.p0", "and 28 more")
    assert [each for each in answers if each not in shown and not each.startswith(others)] == []


@BOTH
def test_a_terminal_answers_with_its_last_screen(report: Report, answers: tuple[str, ...]) -> None:
    lines = [
        part
        for line in click.unstyle(text.render(report)).splitlines()
        for part in textwrap.wrap(line, 80, break_long_words=True) or [""]
    ]
    shown = words(" ".join(lines[-24:]))
    assert "`specwright explain RULE` has" in shown
    for answer in (report.findings[0].rule, "Not checked: " + "; ".join(report.unchecked)):
        assert answer in shown
    assert (OPERATIONS[3] if report is COMPARISON else "answered 500 to 1 kinds") in shown


def test_a_short_report_is_its_own_summary() -> None:
    short = text.render(replace(COMPARISON, findings=COMPARISON.findings[:1]))
    assert "specwright explain" not in short and "Not checked: 2 changes" in short


def test_programs_get_what_was_not_checked() -> None:
    read = published.read(FORMATS["json"](COMPARISON))
    assert read["not_checked"] == ["2 changes that no proof decides"]
    assert "not_checked" not in published.read(FORMATS["json"](replace(COMPARISON, unchecked=())))


@pytest.mark.parametrize("render", [FORMATS["html"], FORMATS["markdown"]])
def test_a_test_that_checked_everything_says_so(render: Callable[[Report], str]) -> None:
    rendered = re.sub("<[^>]+>", " ", render(replace(TEST, unchecked=())))
    assert re.search(r"[Nn]ot checked\s+nothing", rendered)
