"""Levels, waivers and baselines decide which findings fail a run."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.outcome.evidence import Judged, Known, Standards, judged
from specwright.conformance.outcome.result import VERSION, Baseline, read_baseline
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.document.sources.load import load
from specwright.errors import InputError, Location
from specwright.findings import Level
from specwright.policy import LintProfile, PlaceLevels, Settings, Waiver, places_of
from specwright.policy import load as read_settings
from tests.conformance.shop import DOCUMENT

LIST, MAKE = "/paths/~1orders/get", "/paths/~1orders/post"
RULE = "undeclared-status"
TODAY = date(2026, 11, 23)
HERE = Location("lint.toml", 4, 1)


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract(load(DOCUMENT))


def found(contract: Contract, settings: Settings, *baseline: Known) -> Judged:
    """Return the findings left of one undeclared status of two operations."""
    record = Record()
    for number, pointer in enumerate((LIST, MAKE), 1):
        request = HttpRequest("GET", "http://127.0.0.1/v1", ())
        answer = HttpResponse(418, (), b"")
        proof = Exchange(number, "fuzzing", MAIN, pointer, request, answer, None, 0, 0)
        name = contract.operations[pointer].name
        message, place = "status 418 is not declared", pointer + "/responses"
        violation = Violation(RULE, place, message, (proof,), message, name, values=("418",))
        record.violate(violation)
    return judged(contract, record, Standards(settings, frozenset(baseline)), is_whole=True)


def test_a_rule_has_the_level_that_the_project_gives_it(contract: Contract) -> None:
    for level in (Level.ERROR, Level.WARNING, Level.INFO):
        (finding,) = found(contract, Settings(levels={RULE: level})).findings
        assert (finding.level, len(finding.operations)) == (level, 2)
    assert found(contract, Settings(levels={RULE: Level.OFF})).findings == ()


@pytest.mark.parametrize("where", ["POST /orders", "POST *", "/paths/*/post/*", "* /orders"])
def test_a_place_has_levels_of_its_own(contract: Contract, where: str) -> None:
    places = (PlaceLevels(where, {RULE: Level.INFO}),)
    left = found(contract, Settings(places=places)).findings
    levels = {finding.level for finding in left}
    assert levels == ({Level.INFO} if where == "* /orders" else {Level.ERROR, Level.INFO})


def waiver(where: str, *, rule: str = RULE, expires: date | None = None) -> Waiver:
    return Waiver(rule, where, "The gateway says so.", HERE, expires)


def test_a_waiver_sets_aside_one_operation_of_a_cause(contract: Contract) -> None:
    outcome = found(contract, Settings(waivers=(waiver("GET /orders"),)))
    (left,), (waived,) = outcome.findings, outcome.waived
    assert (left.operations, waived.operations) == (("POST /orders",), ("GET /orders",))
    assert waived.waived == "The gateway says so."


@pytest.mark.parametrize(("day", "rules"), [(TODAY, [RULE]), (date(2026, 11, 24), [])])
def test_a_waiver_counts_until_its_day(contract: Contract, day: date, rules: list[str]) -> None:
    settings = Settings(waivers=(waiver("* /orders", expires=TODAY),), today=day)
    outcome = found(contract, settings)
    assert [finding.rule for finding in outcome.waived] == rules
    over = [] if rules else [RULE, "waiver-expired"]
    assert sorted(finding.rule for finding in outcome.findings) == over


def test_an_expired_waiver_is_reported_with_its_last_day(contract: Contract) -> None:
    settings = Settings(waivers=(waiver("* /orders", expires=TODAY),), today=date(2026, 12, 1))
    findings = found(contract, settings).findings
    assert [finding.message for finding in findings if finding.rule == "waiver-expired"] == [
        f"'{RULE}' at '* /orders' was accepted until 2026-11-23"
    ]


def test_a_waiver_that_nothing_needs_is_said(contract: Contract) -> None:
    others = (waiver("GET /nowhere"), waiver("/paths/*", rule="example-id"))
    outcome = found(contract, Settings(waivers=others))
    said = [finding for finding in outcome.findings if finding.rule == "waiver-unused"]
    assert [finding.message for finding in said] == [
        f"no finding matches '{RULE}' at 'GET /nowhere': remove the waiver"
    ]
    assert said[0].level is Level.WARNING


def test_what_was_there_before_fails_no_run(contract: Contract) -> None:
    known = Known(RULE, "GET /orders", f"{LIST}/responses", ("418",))
    outcome = found(contract, Settings(), known)
    assert [finding.operations for finding in outcome.findings] == [("POST /orders",)]
    assert [finding.waived for finding in outcome.waived] == ["It is in the baseline."]


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", '{"version": 1}', "[" * 100_000),
        *('{"version": 2, "failures": [1]}', '{"version": 2, "failures": 1}'),
        '{"version": 2, "seed": 1, "failures": [{"id": "F1", "rule": "order"}], "coverage": []}',
        '{"version": 2, "failures": [], "coverage": []}',
        '{"version": 2, "seed": "1", "failures": [], "coverage": []}',
        '{"version": 2, "seed": -1, "failures": [], "coverage": []}',
        '{"version": 2, "seed": true, "failures": [], "coverage": []}',
        '{"version": 2, "seed": 1, "failures": []}',
    ],
)
def test_a_file_that_is_not_a_result_is_not_a_baseline(tmp_path: Path, text: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="not the result of a run"):
        read_baseline(path)


def test_a_baseline_knows_failures_by_rule_place_and_values(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    failure = {"id": "F7", "rule": RULE, "pointer": "/x", "values": ["418"], "cause": "a cause"}
    coverage = [
        {"kind": "operation", "name": "GET /a", "reached": 0, "reason": "it never succeeded"},
        {"kind": "operation", "name": "GET /b", "reached": 2},
        {"kind": "status", "name": "GET /b 404", "reached": 0, "reason": "no response had it"},
    ]
    result = {"version": VERSION, "seed": 41, "failures": [failure], "coverage": coverage}
    path.write_text(json.dumps(result), "utf-8")
    known = frozenset({Known(RULE, "", "/x", ("418",))})
    assert read_baseline(path) == Baseline(41, known, frozenset({"GET /a"}))


def test_coercion_and_allow_fail_the_strict_profile_only() -> None:
    from specwright.conformance.checks.table import DESCRIPTIONS as RULES

    rules = {rule.id: rule for rule in RULES}
    for name in ("coercion", "allow-header"):
        assert Settings().level(rules[name]) is Level.INFO
        assert Settings(LintProfile.STRICT).level(rules[name]) is Level.ERROR
    for name in ("server-error", "isolation", "response-schema"):
        assert Settings().level(rules[name]) is Level.ERROR


def read(path: Path, text: str) -> Settings:
    path.write_text(text, "utf-8")
    return read_settings(str(path), {"coercion", RULE})


def test_the_file_of_the_lint_holds_levels_by_place_and_waivers_with_a_day(tmp_path: Path) -> None:
    settings = read(
        tmp_path / "lint.toml",
        '[levels]\ncoercion = "off"\n[levels."GET /old/*"]\nundeclared-status = "info"\n'
        '[[waivers]]\nrule = "coercion"\nwhere = "POST *"\nreason = "Old clients."\n'
        "expires = 2027-01-31\n",
    )
    assert settings.levels == {"coercion": Level.OFF}
    assert settings.places == (PlaceLevels("GET /old/*", {RULE: Level.INFO}),)
    assert [each.expires for each in settings.waivers] == [date(2027, 1, 31)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[levels."GET /old"]\nno-such-rule = "off"\n', "unknown rule 'no-such-rule'"),
        ('[levels."GET /old"]\ncoercion = "loud"\n', "unknown level 'loud'"),
        ('[levels."GET /old"]\ncoercion = {}\n', "unknown level {}"),
        (
            '[[waivers]]\nrule = "coercion"\nwhere = "*"\nreason = "x"\nexpires = "soon"\n',
            "'expires' must be a date",
        ),
        (
            '[[waivers]]\nrule = "coercion"\nwhere = "*"\nreason = "x"\n'
            "expires = 2027-01-31T00:00:00\n",
            "'expires' must be a date",
        ),
    ],
)
def test_settings_without_a_meaning_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("{}", r"\{\}")):
        read(tmp_path / "lint.toml", text)


def test_a_place_has_the_name_of_its_operation() -> None:
    place = "/paths/~1orders~1{id}/get/responses/200"
    assert places_of(place) == (place, "GET /orders/{id}")
    assert places_of("/components/schemas/A") == ("/components/schemas/A",)
    assert places_of(None) == ()
