"""One report, in words and in three formats for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from specwright.cli import cli
from specwright.errors import Location
from specwright.policy import Waiver, places_of
from tests.report import published, sarif

PART = """{
  "openapi": "3.1.1",
  "info": {"title": "T"},
  "paths": {},
  "components": {"schemas": {
    "A": {"type": "integer", "default": "%: one,\\ntwo"}
  }},
  "tags": [{"name": "a"}, {"name": "a"}]
}
"""
LINT = """
[levels]
tags = "info"
[[waivers]]
rule = "default-valid"
where = "/components/schemas/*/default"
reason = "Known since 2020."
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(PART, "utf-8")
    return path


def validate(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["validate", *map(str, arguments)])


def test_text_shows_place_level_rule_message_and_line(document: Path) -> None:
    result = validate(document)
    assert result.exit_code == 1
    assert result.stdout == (
        f"{document}:3:3: error openapi-schema 'version' is missing\n"
        '    3 | "info": {"title": "T"},\n'
        "      | ^\n"
        f"{document}:6:30: warning default-valid the default does not fit: the value is not of "
        'type "integer"\n'
        '    6 | "A": {"type": "integer", "default": "%: one,\\ntwo"}\n'
        "      |                          ^\n"
        f"{document}:8:28: warning tags tag 'a' is already declared\n"
        '    8 | "tags": [{"name": "a"}, {"name": "a"}]\n'
        "      |                          ^\n"
        f"{document}: 1 error, 2 warnings\n"
    )


def test_long_lines_are_shown_around_the_place(document: Path) -> None:
    document.write_text(json.dumps(json.loads(PART) | {"x-long": "x" * 500}), "utf-8")
    lines = validate(document).stdout.splitlines()
    shown = [line for line in lines if line.startswith("    1 | ")]
    assert shown
    assert all(len(line) < 120 for line in lines if line.startswith("    "))
    caret = lines[lines.index(shown[-1]) + 1].index("^")
    assert shown[-1][caret:].startswith('"name": "a"}]')


def test_json_has_the_documented_shape(document: Path) -> None:
    (document.parent / "lint.toml").write_text(LINT, "utf-8")
    report = published.read(validate(document, "--format", "json").stdout)
    assert report["version"] == 1
    assert report["tool"]["name"] == "specwright"
    assert report["document"] == str(document)
    assert report["summary"] == {"errors": 1, "warnings": 0, "infos": 1, "waived": 1}
    assert report["findings"][0] == {
        "rule": "openapi-schema",
        "level": "error",
        "file": str(document),
        "line": 3,
        "column": 3,
        "pointer": "/info",
        "message": "'version' is missing",
        "fingerprint": report["findings"][0]["fingerprint"],
    }
    [waived] = report["waived"]
    assert (waived["rule"], waived["reason"]) == ("default-valid", "Known since 2020.")


def test_annotations_are_workflow_commands(tmp_path: Path) -> None:
    path = tmp_path / "a,b.json"
    path.write_text(
        '{"openapi": "3.1.1", "info": {"title": "T", "version": "1"},\n'
        ' "paths": {"/50%/{a}": {}, "/50%/{b}": {}},\n'
        ' "tags": [{"name": "a"}, {"name": "a"}]}',
        "utf-8",
    )
    first, second = validate(path, "--format", "github").stdout.splitlines()
    file = str(path).replace(",", "%2C")
    assert first == (
        f"::warning file={file},line=2,col=28,title=path-clash::"
        "'/50%25/{b}' matches the same URLs as '/50%25/{a}'"
    )
    assert second.startswith(f"::warning file={file},line=3,col=27,title=tags::")


def test_sarif_is_a_run_with_rules_results_and_suppressions(document: Path) -> None:
    (document.parent / "lint.toml").write_text(LINT, "utf-8")
    log: dict[str, Any] = sarif.read(validate(document, "--format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= known
    error, note, waived = run["results"]
    assert (error["level"], note["level"]) == ("error", "note")
    place = error["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 3, "startColumn": 3}
    assert error["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "/info"}]
    assert waived["suppressions"] == [{"kind": "external", "justification": "Known since 2020."}]


UNUSED = '[[waivers]]\nrule = "tags"\nwhere = "/nowhere"\nreason = "Gone."\n'


def test_a_waiver_that_nothing_needs_is_reported(document: Path) -> None:
    (document.parent / "lint.toml").write_text(LINT + UNUSED, "utf-8")
    result = validate(document)
    assert "lint.toml:8:1: warning waiver-unused " in result.stdout
    assert result.stdout.endswith("1 error, 1 warning, 1 info (1 waived)\n")


def test_a_waiver_that_nothing_needs_is_an_error_of_strict(document: Path) -> None:
    (document.parent / "lint.toml").write_text(f'profile = "strict"\n{LINT}{UNUSED}', "utf-8")
    assert "lint.toml:9:1: error waiver-unused " in validate(document).stdout


def test_what_a_waiver_leads_to_is_among_the_rules(document: Path) -> None:
    (document.parent / "lint.toml").write_text(LINT + UNUSED, "utf-8")
    [run] = sarif.read(validate(document, "--format", "sarif").stdout)["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert "waiver-unused" in {result["ruleId"] for result in run["results"]} & known
    assert "check-incomplete" in known


def test_a_waiver_is_for_places_in_a_document() -> None:
    waiver = Waiver("r", "*", "Because.", Location("lint.toml", 1, 1))
    assert waiver.covers("r", places_of(""))
    assert not waiver.covers("r", places_of(None))


def test_strict_is_stricter_and_levels_come_first(document: Path) -> None:
    settings = document.parent / "other.toml"
    settings.write_text('profile = "strict"\n[levels]\nopenapi-schema = "off"\n', "utf-8")
    result = validate(document, "--config", settings)
    assert result.exit_code == 1
    assert ": error tags " in result.stdout
    assert "openapi-schema" not in result.stdout


def test_a_good_document_has_no_findings(document: Path) -> None:
    document.write_text(
        '{"openapi": "3.1.1", "info": {"title": "T", "version": "1"}, "paths": {}}', "utf-8"
    )
    result = validate(document)
    assert (result.exit_code, result.stdout) == (0, f"{document}: no findings\n")
