"""The page of a test starts with the causes to fix, and shows the reached operations."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import click

from specwright.findings import (
    EXPECTED,
    Evidence,
    Finding,
    Level,
    Occurrence,
    OperationSummary,
    Report,
    RuleDescription,
)
from specwright.report import text
from specwright.report.formats import FORMATS
from specwright.report.outline import in_reading_order
from tests.report.samples import SHAPE

RULES = tuple(
    RuleDescription(name, "Shape", "Why.", "", "", Level.ERROR, Level.ERROR, weight=weight)
    for name, weight in (("undeclared-status", 1), ("server-error", 9))
)
SENT = {"method": "POST", "url": "http://127.0.0.1/items", "headers": [], "body": "{}"}
EVIDENCE = (
    Evidence("failure", "F1"),
    Evidence(EXPECTED, "one of the statuses 200, 404"),
    Evidence("request 7, scenarios", "curl --request POST", json.dumps(SENT)),
    Evidence("response 7", "418 I'm a teapot", json.dumps({"status": 418, "headers": []})),
)


def finding(rule: str, *operations: str, level: Level = Level.ERROR) -> Finding:
    places = tuple(
        Occurrence(f"F{number}", each, SHAPE.location, "/paths/~1a", f"{each}: {rule}", EVIDENCE)
        for number, each in enumerate(operations, 1)
    )
    return Finding(
        rule, level, SHAPE.location, "/paths/~1a", f"{rule} of {len(places)}", occurrences=places,
        evidence=EVIDENCE, cause=rule,
    )  # fmt: skip


REPORT = Report(
    "openapi.json",
    (
        finding("undeclared-status", "GET /a"),
        finding("undeclared-status", "GET /a", "GET /b", "GET /c"),
        finding("server-error", "GET /a"),
        replace(finding("server-error", "GET /b"), level=Level.INFO),
    ),
    rules=RULES,
    command="test",
    operation_summaries=(
        OperationSummary("GET /a", 3),
        OperationSummary("GET /d", 1),
        OperationSummary("GET /e", 0, "404", "give an example of 'id' that exists", EVIDENCE[2:]),
    ),
)


def test_weight_comes_before_reach_and_the_level_before_both() -> None:
    assert [each.message for each in in_reading_order(REPORT)] == [
        "server-error of 1",
        "undeclared-status of 3",
        "undeclared-status of 1",
        "server-error of 1",
    ]


def test_the_causes_come_first_and_lead_to_their_places() -> None:
    page = FORMATS["html"](REPORT)
    summary = page[page.index("What to fix first") : page.index("</ol>")]
    links = re.findall(r'href="#([^"]+)">([^<]+)<', summary)
    assert [words for _, words in links][:2] == ["server-error of 1", "undeclared-status of 3"]
    assert all(f'<article id="{anchor}">' in page for anchor, _ in links)
    assert page.index("What to fix first") < page.index("<article")


def test_every_operation_is_a_square_of_a_picture() -> None:
    page = FORMATS["html"](REPORT)
    squares = re.findall(r'<li><a class="(\w+)" href="[^"]+" title="([^"]+)"', page)
    assert squares == [
        ("found", "GET /a: 3 causes, reached 3 times"),
        ("reached", "GET /d: no findings, reached 1 times"),
        ("missed", "GET /e: no findings, never succeeded"),
    ]


def test_an_operation_that_never_succeeded_is_counted_as_its_square_shows() -> None:
    page = FORMATS["html"](
        replace(
            REPORT,
            operation_summaries=(*REPORT.operation_summaries, OperationSummary("GET /b", 0, "404")),
        )
    )
    assert re.search(r'<a class="missed" [^>]+ title="GET /b: 2 causes, never succeeded"', page)
    caption = page[page.index("<figcaption>") : page.index("</figcaption>")]
    words = " ".join(re.sub("<[^>]+>", " ", caption).split())
    assert words == "4 operations: 1 with findings, 1 without, 2 never succeeded"


def test_what_was_expected_stands_beside_what_came_and_the_command_is_open() -> None:
    page = FORMATS["html"](REPORT)
    article = page[page.index("<article") : page.index("</article>")]
    expected, got = re.findall(r"<figcaption>(\w+)</figcaption>\s*<pre>\s*([^\n]+)", article)
    assert expected == ("expected", "one of the statuses 200, 404")
    assert got == ("got", "418 I&#39;m a teapot")
    assert "<details open><summary>request 7, scenarios</summary>" in article
    assert "/paths/~1a" not in article


def test_an_operation_that_never_succeeded_has_its_answer_and_a_hint() -> None:
    for name in ("html", "text"):
        said = click.unstyle(FORMATS[name](REPORT)).replace("&#39;", "'")
        assert "GET /e" in said
        assert "give an example of 'id' that exists" in said


def test_a_document_in_one_line_is_no_source() -> None:
    line = "x" * 10_000
    report = replace(REPORT, line=lambda location: line)
    assert "x" * 50 not in FORMATS["html"](report)
    assert "x" * 50 not in FORMATS["text"](report)


def test_as_many_findings_are_shown_as_are_asked_for() -> None:
    said = click.unstyle(text.render(REPORT, 2))
    assert [line for line in said.splitlines() if ": error " in line or ": info " in line] == [
        "spec/openapi.json:17:11: error server-error server-error of 1",
        "spec/openapi.json:17:11: error undeclared-status undeclared-status of 3",
    ]
    assert "… and 2 further findings" in said
    assert said.splitlines()[-1] == "openapi.json: 3 errors, 1 info"
    assert "further" not in text.render(REPORT, 4)
