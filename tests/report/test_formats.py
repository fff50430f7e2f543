"""Every format shows everything that a finding may carry."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from specwright.check.checks import DESCRIPTIONS, check
from specwright.cli import cli
from specwright.document.sources.load import load
from specwright.errors import Location
from specwright.findings import (
    Evidence,
    Finding,
    Level,
    Occurrence,
    Report,
    RuleDescription,
    Table,
    in_order,
)
from specwright.http_messages import MessageContent, RequestMessage, ResponseMessage
from specwright.policy import LintProfile, Settings
from specwright.report.directory import summarise
from specwright.report.formats import FORMATS
from specwright.report.rule_texts import overview
from tests.report import junit, published, samples, sarif
from tests.validate.documents import write

RULE = RuleDescription(
    "response-narrowed",
    "Bodies",
    "It breaks clients. Often.",
    "\n    type: [string, 'null']\n    ",
    "",
    Level.WARNING,
    Level.ERROR,
)
FINDING = Finding(
    "response-narrowed",
    Level.ERROR,
    Location("new.json", 2, 3),
    "/a~1b",
    "null is no longer answered",
    Location("old.json", 4, 5),
    (Evidence("request", "GET /orders HTTP/1.1\nHost: test"),),
    "null",
)
LINES = {2: '  "type": "string"'}
REPORT = Report(
    "new.json",
    (FINDING, Finding("semver", Level.INFO, Location("new.json", 9, 1), None, "1.1.0")),
    (replace(FINDING, waived="Nobody calls it."),),
    (RULE,),
    lambda location: LINES.get(location.line),
)


def text(report: Report) -> str:
    return click.unstyle(FORMATS["text"](report))


def test_text_has_the_second_place_the_counterexample_and_the_evidence_below_the_line() -> None:
    assert text(REPORT) == (
        "new.json:2:3: error response-narrowed null is no longer answered\n"
        '    2 | "type": "string"\n'
        "      | ^\n"
        "    see also old.json:4:5\n"
        "    counterexample: null\n"
        "    request:\n"
        "      GET /orders HTTP/1.1\n"
        "      Host: test\n"
        "new.json:9:1: info semver 1.1.0\n"
        "new.json: 1 error, 1 info (1 waived)\n"
    )


@pytest.mark.parametrize(("operations", "count"), [(("GET /a",), 0), (("GET /a", "PUT /b"), 1)])
def test_text_lists_the_operations_of_a_cause_in_several(
    operations: tuple[str, ...], count: int
) -> None:
    occurrences = tuple(
        Occurrence(f"F{number}", operation, FINDING.location, "/paths", FINDING.message)
        for number, operation in enumerate(operations, 1)
    )
    rendered = text(replace(REPORT, findings=(replace(FINDING, occurrences=occurrences),)))
    assert rendered.count(f"    operations: {', '.join(operations)}\n") == count


def test_findings_have_an_order_with_and_without_a_pointer() -> None:
    first = Finding("r", Level.INFO, Location("f", 1, 1), None, "m")
    second = replace(first, pointer="/a")
    third = replace(first, location=Location("f", 1, 2))
    assert in_order([third, second, first, second]) == (first, second, third)


def test_text_paints_levels_and_nothing_else() -> None:
    painted = FORMATS["text"](REPORT)
    assert painted.count("\x1b[31m\x1b[1merror\x1b[0m") == 1
    assert painted.count("\x1b[31m\x1b[1m^\x1b[0m") == 1
    assert painted.count("\x1b[36m\x1b[1minfo\x1b[0m") == 1
    assert painted.count("\x1b[0m") == 3


def test_json_has_a_member_for_what_there_is() -> None:
    report = published.read(FORMATS["json"](REPORT))
    broken, version = report["findings"]
    assert broken == {
        "rule": "response-narrowed",
        "level": "error",
        "fingerprint": "d7194872cfd03f4d",
        "file": "new.json",
        "line": 2,
        "column": 3,
        "pointer": "/a~1b",
        "message": "null is no longer answered",
        "related": {"file": "old.json", "line": 4, "column": 5},
        "evidence": [{"label": "request", "text": "GET /orders HTTP/1.1\nHost: test"}],
        "counterexample": None,
    }
    assert version.keys() == {"fingerprint", "rule", "level", "file", "line", "column", "message"}
    assert report["waived"] == [broken | {"reason": "Nobody calls it."}]


def test_json_has_facts_and_tables_when_there_are_any() -> None:
    assert not {"facts", "tables"} & published.read(FORMATS["json"](REPORT)).keys()
    report = published.read(FORMATS["json"](samples.REPORT))
    assert report["facts"] == [
        {"label": "Target", "value": "http://127.0.0.1/api"},
        {"label": "Seed", "value": "4711"},
    ]
    assert report["tables"] == [
        {
            "title": "Coverage",
            "columns": ["Operation", "Statuses"],
            "rows": [["POST /orders", "3 of 5"], ["GET /plans", "1 of 2"]],
            "note": "16 of 16 operations succeeded.",
        }
    ]


def test_json_has_no_note_where_a_table_has_none() -> None:
    table = Table("Steps", ("Step",), ())
    [written] = published.read(FORMATS["json"](Report("f", (), tables=(table,))))["tables"]
    assert written.keys() == {"title", "columns", "rows"}


def test_text_has_tables_and_facts_before_the_last_line() -> None:
    assert text(replace(samples.REPORT, findings=())) == (
        "Coverage:\n"
        "    Operation     Statuses\n"
        "    POST /orders  3 of 5\n"
        "    GET /plans    1 of 2\n"
        "    16 of 16 operations succeeded.\n"
        "Target: http://127.0.0.1/api\n"
        "Seed: 4711\n"
        "spec/openapi.json: no findings (1 waived)\n"
    )


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ValueError, match="every row of 'Coverage' needs 2 cells"):
        Table("Coverage", ("Operation", "Statuses"), (("GET /plans",),))


def test_annotations_have_the_evidence_below_the_message_and_no_waived_findings() -> None:
    first, second = FORMATS["github"](REPORT).splitlines()
    assert first == (
        "::error file=new.json,line=2,col=3,title=response-narrowed::null is no longer answered"
        "%0Asee also old.json:4:5%0Acounterexample: null"
        "%0Arequest:%0A  GET /orders HTTP/1.1%0A  Host: test"
    )
    assert second == "::notice file=new.json,line=9,col=1,title=semver::1.1.0"


def test_ten_findings_of_a_level_are_annotations_and_the_others_stand_in_the_log() -> None:
    worst = [replace(REPORT.findings[0], message=f"::error::{number}") for number in range(13)]
    lines = FORMATS["github"](replace(REPORT, findings=(*worst, REPORT.findings[1]))).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert sum(line.startswith("::notice ") for line in lines) == 1
    first = lines.index("::group::3 further findings, all in the job summary")
    assert lines[first + 4] == "::endgroup::"
    assert lines[first + 1] == "  new.json:2:3: error response-narrowed ::error::10"


def test_sarif_has_messages_of_http_and_no_value_of_one_run_in_its_words() -> None:
    sent = MessageContent.of((("A", "1"),), b"{}")
    url = "http://127.0.0.1/a"
    received = MessageContent.of((("Date", "today"),), b"\xff")
    evidence = (
        Evidence("request 7", f"curl {url}", RequestMessage("POST", url, sent)),
        Evidence("response 7", "201 Created, id 4711", ResponseMessage(201, received)),
    )
    found = replace(REPORT.findings[1], evidence=evidence)
    place = Occurrence("F1", "POST /a", found.location, "/paths", found.message, evidence)
    report = replace(REPORT, findings=(replace(found, occurrences=(place,)),), waived=())
    [result] = sarif.read(FORMATS["sarif"](report))["runs"][0]["results"]
    assert result["message"]["text"] == found.message
    assert result["webRequest"]["target"] == url
    assert result["webRequest"]["body"] == {"text": "{}"}
    assert result["webResponse"]["statusCode"] == 201
    assert result["webResponse"]["body"] == {"binary": "/w=="}


def test_a_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", "utf-8")
    summarise(REPORT, path)
    assert path.read_text("utf-8") == f"before\n{FORMATS['markdown'](REPORT)}\n"


def test_names_of_files_do_not_end_a_property_of_an_annotation() -> None:
    finding = Finding("r", Level.INFO, Location("a:b,c%.json", 1, 1), None, "50%: a, b")
    assert FORMATS["github"](Report("f", (finding,))) == (
        "::notice file=a%3Ab%2Cc%25.json,line=1,col=1,title=r::50%25: a, b\n"
    )


def test_a_place_in_the_indentation_is_shown_at_the_first_character() -> None:
    finding = Finding("r", Level.INFO, Location("f", 1, 1), None, "m")
    lines = text(Report("f", (finding,), line=lambda _: "\t  - a: 1")).splitlines()
    assert lines[1:3] == ["    1 | - a: 1", "      | ^"]


@pytest.mark.parametrize("line", ["a: MAX", "X"])
def test_a_line_is_shown_to_its_last_letter(line: str) -> None:
    finding = Finding("r", Level.INFO, Location("f", 1, 1), None, "m")
    assert text(Report("f", (finding,), line=lambda _: f"{line}  ")).splitlines()[1] == (
        f"    1 | {line}"
    )


def test_the_list_of_rules_has_a_first_sentence_for_each() -> None:
    assert list(overview((RULE,))) == [
        "Bodies               recommended  strict",
        "  response-narrowed  warning      error    It breaks clients",
    ]


def test_a_place_behind_the_end_of_a_line_is_shown_there() -> None:
    finding = Finding("r", Level.INFO, Location("f", 1, 6), None, "m")
    lines = text(Report("f", (finding,), line=lambda _: "a: 1")).splitlines()
    assert lines[1:3] == ["    1 | a: 1", "      |      ^"]


def test_sarif_has_related_locations_suppressions_and_help() -> None:
    log = sarif.read(FORMATS["sarif"](REPORT))
    assert log["$schema"] == "https://json.schemastore.org/sarif-2.1.0.json"
    [run] = log["runs"]
    assert run["tool"]["driver"]["name"] == "specwright"
    first, second, waived = run["results"]
    [related] = first["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"] == {"uri": "old.json"}
    assert related["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 5}
    assert first["message"]["text"].startswith("null is no longer answered\nsee also old.json:4:5")
    assert "logicalLocations" not in second["locations"][0]
    assert "relatedLocations" not in second and "suppressions" not in first
    assert waived["suppressions"] == [{"kind": "external", "justification": "Nobody calls it."}]
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["id"] == "response-narrowed"
    assert rule["shortDescription"] == {"text": "It breaks clients. Often."}
    assert "    type: [string, 'null']" in rule["help"]["text"].splitlines()


@pytest.fixture(scope="module", params=("json", "yaml"))
def behind_an_emoji(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Path:
    """A document with a finding behind characters beyond the Basic Multilingual Plane."""
    path: Path = tmp_path_factory.mktemp("document") / f"openapi.{request.param}"
    path.write_text(
        '{"openapi": "3.1.1", "info": {"title": "T", "version": "1"}, "paths": {},\n'
        ' "x-\U0001f3f4\U0001f3f4": 1, "tags": [{"name": "a"}, {"name": "a"}]}',
        "utf-8",
    )
    return path


def test_columns_count_code_points_in_every_format(behind_an_emoji: Path) -> None:
    report = check(load(behind_an_emoji), Settings())
    [result] = sarif.read(FORMATS["sarif"](report))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    line = behind_an_emoji.read_text("utf-8").splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 :].startswith('"name"')
    [finding] = published.read(FORMATS["json"](report))["findings"]
    assert finding["column"] == region["startColumn"]
    assert f"line=2,col={region['startColumn']}," in FORMATS["github"](report)
    _, shown, caret, _ = text(report).splitlines()
    assert shown[caret.index("^") :].startswith('"name"')


def test_sarif_says_that_columns_count_code_points(behind_an_emoji: Path) -> None:
    report = check(load(behind_an_emoji), Settings())
    [run] = sarif.read(FORMATS["sarif"](report))["runs"]
    assert run["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize("rule", DESCRIPTIONS, ids=lambda rule: rule.id)
def test_the_report_of_every_rule_fits_the_schemas(rule: RuleDescription, tmp_path: Path) -> None:
    document = load(write(tmp_path, rule.bad or "{}"))
    report = check(document, Settings(LintProfile.STRICT))
    published.read(FORMATS["json"](report))
    sarif.read(FORMATS["sarif"](report))
    junit.read(FORMATS["junit"](report))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_asked_for(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, "{tags: [{name: a}, {name: a}]}")
    result = CliRunner().invoke(cli, ["validate", str(path), "--format", name])
    assert "tags" in result.stdout
    assert result.exit_code in (0, 1)
