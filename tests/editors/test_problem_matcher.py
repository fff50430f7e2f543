"""The problem matcher of the page reads each finding of the text format, and no other line."""

from __future__ import annotations

import json
from dataclasses import astuple
from pathlib import Path

import click
import pytest

from specwright.errors import Location, SpecwrightError
from specwright.findings import Affected, Evidence, Finding, Level, Report, Table
from specwright.report import text
from specwright.text import visible
from tests.conftest import ROOT, Run
from tests.editors.problems import Problem, matcher, problem

PATTERN = matcher("specwright validate")["pattern"]
FILES = (
    "openapi.yaml",
    "C:\\apis\\shop\\openapi.yaml",
    "\\\\server\\share\\a b.yaml",
    "/srv/(a) [b]/open api.json",
    "https://shop.example/openapi.json",
    "a:b/c:d.yaml",
    "\u00fcber/\u6587.yaml",
    "line\nbreak.yaml",
)
MESSAGES = (
    "plain",
    "two\nlines\r\nand: more",
    "other.yaml:1:2: error other-rule is in the message",
    "    12 | indented",
    "\x1b[31mred\u202e",
    "error",
)
SOURCE = "    x.yaml:1:2: error other-rule of the document"


def finding(file: str, message: str, level: Level = Level.ERROR) -> Finding:
    return Finding("a-rule", level, Location(file, 12, 3), "/paths", message)


def problems(rendered: str) -> list[Problem]:
    # Editors remove colours first.
    lines = click.unstyle(rendered).splitlines()
    return [shown for line in lines if (shown := problem(line, PATTERN))]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("message", MESSAGES)
def test_a_finding_is_one_problem(file: str, message: str) -> None:
    levels = (Level.ERROR, Level.WARNING, Level.INFO)
    report = Report(file, tuple(finding(file, message, level) for level in levels))
    shown = [Problem(visible(file), 12, 3, level, "a-rule", visible(message)) for level in levels]
    assert problems(text.render(report)) == shown


def test_other_lines_are_no_problems() -> None:
    whole = Finding(
        "a-rule",
        Level.ERROR,
        Location("a.yaml", 12, 3),
        "/paths",
        "message",
        related=Location("b.yaml", 1, 2),
        counterexample='"c.yaml:1:2: error"',
        affected=Affected(("GET /a",), "d.yaml:1:2: error x y"),
        evidence=(Evidence("e.yaml:1:2: error x y", "f.yaml:1:2: error x y\ng.yaml:1:2: z"),),
    )
    report = Report(
        "h.yaml",
        (whole,),
        facts=(("target", "http://127.0.0.1:8000"), ("seed", "1")),
        tables=(Table("i.yaml", ("j.yaml:1:2: error x y",), (("k.yaml:1:2: z",),), "note"),),
        line=lambda place: SOURCE,
    )
    assert [shown.file for shown in problems(text.render(report))] == ["a.yaml"]


@pytest.mark.parametrize("file", FILES)
def test_an_error_that_stops_a_command_is_a_problem(file: str) -> None:
    error = SpecwrightError("not valid: x", Location(file, 12, 3), "a hint", ["a detail"])
    first, *others = map(visible, error.lines)
    shown = Problem(visible(file), 12, 3, None, None, "not valid: x")
    assert problems("\n".join([f"error: {first}", *others])) == [shown]


def test_a_command_writes_what_the_matcher_reads(specwright: Run, tmp_path: Path) -> None:
    document = tmp_path / "a b (1).yaml"
    document.write_text(
        "openapi: 3.1.0\n"
        "info: {title: A, version: '1'}\n"
        "paths:\n"
        "  /things/{id}:\n"
        "    get:\n"
        "      x-contract-paginaton: {}\n"
        "      responses: {}\n",
        "utf-8",
    )
    rendered = specwright("validate", document.name, cwd=tmp_path).stdout
    written = specwright("validate", document.name, "--format", "json", cwd=tmp_path).stdout
    members = ("file", "line", "column", "level", "rule", "message")
    wanted = [tuple(map(each.get, members)) for each in json.loads(written)["findings"]]
    assert len(wanted) > 2
    assert sorted(map(astuple, problems(rendered))) == sorted(wanted)


def test_both_tasks_have_one_pattern() -> None:
    assert matcher("specwright watch")["pattern"] == PATTERN


def test_the_page_names_the_files_that_the_command_writes() -> None:
    page = (ROOT / "docs" / "how-to" / "set-up-an-editor.md").read_text("utf-8")
    for name in ("pyproject", "extensions"):
        assert f"specwright schema {name} > .vscode/{name}.schema.json" in page
