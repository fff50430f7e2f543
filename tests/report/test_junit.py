"""CI servers read a rule as a test case, and hostile text as text."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright.findings import Occurrence, Report, RuleRun, RunTime
from specwright.report.formats import FORMATS
from tests.report import junit
from tests.report.samples import REPORT, RULES, SHAPE, STATUS, WAIVED, saying


def suite(report: Report) -> ElementTree.Element:
    return junit.read(FORMATS["junit"](report))


def case(report: Report, rule: str) -> ElementTree.Element:
    [found] = suite(report).findall(f"testcase[@name='{rule}']")
    return found


def output(report: Report) -> str:
    return suite(report).findtext("system-out") or ""


def test_a_rule_is_a_case_and_facts_are_properties() -> None:
    found = suite(REPORT)
    assert found.attrib == {
        "name": "spec/openapi.json",
        "package": "specwright",
        "id": "0",
        "hostname": "localhost",
        "time": "0.000",
        "tests": "4",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    names = [element.attrib["name"] for element in found.findall("testcase")]
    assert names == ["response-shape", "status-documented", "replay", "slow"]
    assert [element.attrib for element in found.iter("property")] == [
        {"name": "Target", "value": "http://127.0.0.1/api"},
        {"name": "Seed", "value": "4711"},
    ]


def test_errors_of_a_rule_are_one_failure_with_everything_about_them() -> None:
    [failure] = case(REPORT, "response-shape")
    assert failure.attrib["message"] == f"{SHAPE.message} (of 2 findings)"
    text = failure.text or ""
    assert text.startswith(
        f"spec/openapi.json:17:11: error: response-shape {SHAPE.message}\n    see also spec/old"
    )
    assert '    counterexample: {"plan": "none"}\n    curl:\n      curl -X POST' in text
    assert "\nspec/openapi.json:99:1: error: " in text


def test_a_rule_without_findings_passes() -> None:
    assert list(case(REPORT, "replay")) == []


def test_warnings_pass_as_the_command_does_and_are_still_there() -> None:
    report = replace(REPORT, waived=())
    assert list(case(report, "status-documented")) == []
    said = "spec/openapi.json:40:5: warning: status-documented GET /plans answered 503"
    assert said in output(report)


def test_a_rule_with_nothing_but_waived_findings_is_skipped_for_their_reason() -> None:
    report = Report("f", (), (WAIVED,), RULES)
    [skipped] = case(report, "status-documented")
    assert skipped.attrib == {"message": "The maintenance window is announced."}
    assert "waived (The maintenance window is announced.): status-documented GET" in output(report)


def test_a_waived_error_fails_nothing() -> None:
    waived = replace(SHAPE, waived="The next version mends it.")
    report = Report("f", (), (waived,), RULES)
    assert suite(report).attrib["failures"] == "0"
    [skipped] = case(report, SHAPE.rule)
    assert skipped.tag == "skipped"


def test_an_error_counts_for_more_than_a_waiver() -> None:
    error = replace(SHAPE, rule=STATUS.rule)
    report = Report("f", (error,), (WAIVED,), RULES)
    [failure] = case(report, STATUS.rule)
    assert failure.tag == "failure"
    assert "waived" in output(report)


def test_an_operation_and_a_rule_are_a_case_that_passes_fails_or_was_not_tried() -> None:
    found = Occurrence("F1", "GET /plans", SHAPE.location, "/paths", "no id", SHAPE.evidence)
    finding = replace(SHAPE, occurrences=(found, replace(found, operation="GET /orders")))
    rule_runs = (
        RuleRun("GET /plans", SHAPE.rule, seconds=1.25),
        RuleRun("GET /esims", SHAPE.rule, seconds=0.5),
        RuleRun("", "replay", "nothing in the contract asks"),
    )
    run_time = RunTime(1_767_225_600.9, 12.3456, "ci-7")
    report = Report("f", (finding,), (), RULES, rule_runs=rule_runs, run_time=run_time)
    root = suite(report)
    assert {name: root.attrib[name] for name in ("timestamp", "time", "hostname")} == {
        "timestamp": "2026-01-01T00:00:00",
        "time": "12.346",
        "hostname": "ci-7",
    }
    cases = {
        (each.attrib["classname"], each.attrib["name"]): each for each in root.iter("testcase")
    }
    outcomes = {key: [child.tag for child in each] for key, each in cases.items()}
    assert outcomes == {
        ("GET /plans", SHAPE.rule): ["failure"],
        ("GET /esims", SHAPE.rule): [],
        ("specwright", "replay"): ["skipped"],
        ("GET /orders", SHAPE.rule): ["failure"],
    }
    assert cases["GET /plans", SHAPE.rule].attrib["time"] == "1.250"
    assert cases["GET /plans", SHAPE.rule][0].attrib["message"] == "no id"
    assert cases["specwright", "replay"][0].attrib["message"] == "nothing in the contract asks"


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ud800", "\ufffe", "\uffff", "\u202e"])
def test_characters_that_xml_cannot_hold_are_spelled_out(character: str) -> None:
    found = suite(saying(f"a{character}b]]>"))
    code = ord(character)
    spelled = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    assert found.attrib["name"] == f"a{spelled}b]]>"


@settings(max_examples=50)
@given(st.text())
def test_whatever_is_said_stays_in_its_place(text: str) -> None:
    found = suite(saying(text))
    assert [element.tag for element in found] == [
        "properties",
        "testcase",
        "system-out",
        "system-err",
    ]
