"""CI servers read a rule as a test case, and hostile text as text."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright.findings import Report
from specwright.report.formats import FORMATS
from tests.report import junit
from tests.report.samples import REPORT, RULES, SHAPE, STATUS, WAIVED, saying


def suite(report: Report) -> ElementTree.Element:
    return junit.read(FORMATS["junit"](report))


def case(report: Report, rule: str) -> ElementTree.Element:
    [found] = suite(report).findall(f"testcase[@name='{rule}']")
    return found


def test_a_rule_is_a_case_and_facts_are_properties() -> None:
    found = suite(REPORT)
    assert found.attrib == {
        "name": "spec/openapi.json",
        "tests": "4",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    names = [each.attrib["name"] for each in found.findall("testcase")]
    assert names == ["response-shape", "status-documented", "replay", "slow"]
    assert [each.attrib for each in found.iter("property")] == [
        {"name": "Target", "value": "http://127.0.0.1/api"},
        {"name": "Seed", "value": "4711"},
    ]


def test_errors_of_a_rule_are_one_failure_with_everything_about_them() -> None:
    [failure] = case(REPORT, "response-shape")
    assert failure.attrib["message"] == f"{SHAPE.message} (of 2 findings)"
    text = failure.text or ""
    assert text.startswith(
        f"spec/openapi.json:17:11: error: {SHAPE.message}\n    see also spec/old"
    )
    assert '    counterexample: {"plan": "none"}\n    curl:\n      curl -X POST' in text
    assert "\nspec/openapi.json:99:1: error: " in text


def test_a_rule_without_findings_passes() -> None:
    assert list(case(REPORT, "replay")) == []


def test_warnings_pass_as_the_command_does_and_are_still_there() -> None:
    [output] = case(replace(REPORT, waived=()), "status-documented")
    assert output.tag == "system-out"
    assert output.text == "spec/openapi.json:40:5: warning: GET /plans answered 503"


def test_a_rule_with_nothing_but_waived_findings_is_skipped_for_their_reason() -> None:
    skipped, output = case(Report("f", (), (WAIVED,), RULES), "status-documented")
    assert skipped.attrib == {"message": "The maintenance window is announced."}
    assert "waived (The maintenance window is announced.): GET /plans" in (output.text or "")


def test_a_waived_error_fails_nothing() -> None:
    waived = replace(SHAPE, waived="The next version mends it.")
    report = Report("f", (), (waived,), RULES)
    assert suite(report).attrib["failures"] == "0"
    skipped, output = case(report, SHAPE.rule)
    assert (skipped.tag, output.tag) == ("skipped", "system-out")


def test_an_error_counts_for_more_than_a_waiver() -> None:
    error = replace(SHAPE, rule=STATUS.rule)
    failure, output = case(Report("f", (error,), (WAIVED,), RULES), STATUS.rule)
    assert (failure.tag, output.tag) == ("failure", "system-out")
    assert "waived" in (output.text or "")


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
    assert [each.tag for each in found] == ["properties", "testcase"]
