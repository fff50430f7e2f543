"""The report for Code Quality has what GitLab requires of an issue.

The members are those of docs.gitlab.com/ci/testing/code_quality, "Import code quality results".
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest

from specwright.errors import Location
from specwright.findings import Affected, Finding, Level, Report
from specwright.report.formats import FORMATS
from tests.report import samples

_SCHEMA = {
    "type": "array",
    "items": {
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
FINDING = Finding("plural", Level.WARNING, Location("api/a.json", 2, 3), "/a", "is not plural")


def issues(report: Report) -> list[dict[str, object]]:
    text = FORMATS["gitlab"](report)
    assert text.isascii()
    read: list[dict[str, object]] = json.loads(text)
    jsonschema_rs.Draft202012Validator(_SCHEMA).validate(read)
    return read


def test_an_issue_has_the_place_and_the_words_of_a_finding() -> None:
    assert issues(Report("api/a.json", (FINDING,))) == [
        {
            "description": "is not plural",
            "check_name": "plural",
            "fingerprint": FINDING.fingerprint,
            "severity": "minor",
            "location": {"path": "api/a.json", "lines": {"begin": 2}},
        }
    ]


def test_the_worst_findings_are_first_and_waived_ones_are_left_out() -> None:
    levels = (Level.INFO, Level.ERROR, Level.WARNING)
    findings = tuple(replace(FINDING, level=level, pointer=f"/{level}") for level in levels)
    report = Report("api/a.json", findings, (replace(FINDING, waived="It is known."),))
    assert [issue["severity"] for issue in issues(report)] == ["major", "minor", "info"]


def test_each_issue_has_a_fingerprint_of_its_own() -> None:
    report = Report("api/a.json", (FINDING, replace(FINDING, message="is not short"), FINDING))
    fingerprints = [issue["fingerprint"] for issue in issues(report)]
    known = FINDING.fingerprint
    assert fingerprints == [known, f"{known}-2", f"{known}-3"]


def test_names_that_are_not_unicode_are_shown() -> None:
    strange = replace(FINDING, location=Location("a\udcff\n.json", 1, 1), message="\x1b[31m")
    [issue] = issues(Report("a.json", (strange,)))
    assert "\x1b" not in str(issue) and "\udcff" not in str(issue)


def test_a_report_of_a_test_has_all_findings() -> None:
    assert len(issues(samples.REPORT)) == len(samples.REPORT.findings) > 0
    assert issues(Report("a.json", ())) == []


def test_a_description_is_one_short_line() -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    finding = replace(
        FINDING,
        message=f"git:{commit}:a.json\nis not valid",
        related=Location(f"git:{commit}:a.json", 1, 1),
        counterexample="11",
        affected=Affected("limit", ("GET /a", "GET /b", "GET /c", "GET /d")),
    )
    [issue] = issues(Report("a.json", (finding,)))
    assert issue["description"] == (
        "limit: git:0123456789ab:a.json is not valid; counterexample: 11; "
        "operations: GET /a, GET /b, GET /c and 1 more"
    )
    [issue] = issues(Report("a.json", (replace(FINDING, message="long " * 1000),)))
    assert len(str(issue["description"])) == 300


@pytest.mark.parametrize("place", [".", "services/pay"])
@pytest.mark.parametrize("kind", ["relative", "absolute", "through a link"])
def test_a_path_is_that_from_the_top_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, kind: str
) -> None:
    top, link = tmp_path / "top", tmp_path / "link"
    (top / ".git").mkdir(parents=True)
    (top / place).mkdir(parents=True, exist_ok=True)
    link.symlink_to(top)
    monkeypatch.chdir(top / place)
    file = {
        "relative": os.path.relpath(top / "api/a.json", top / place),
        "absolute": str(top / "api/a.json"),
        "through a link": str(link / "api/a.json"),
    }[kind]
    report = Report(file, (replace(FINDING, location=Location(file, 2, 3)),))
    [issue] = issues(report)
    assert issue["location"] == {"path": "api/a.json", "lines": {"begin": 2}}
    assert "file=api/a.json,line=2" in FORMATS["github"](report)


@pytest.mark.parametrize("file", ["git:main:a.json", "https://a.example/a.json", "../../a.json"])
def test_what_is_not_in_the_repository_keeps_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    (tmp_path / "top/.git").mkdir(parents=True)
    (tmp_path / "top/api").mkdir()
    monkeypatch.chdir(tmp_path / "top/api")
    assert f"file={file.replace(':', '%3A')},line=2" in FORMATS["github"](
        Report(file, (replace(FINDING, location=Location(file, 2, 3)),))
    )
