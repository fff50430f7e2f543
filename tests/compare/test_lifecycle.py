"""Announced removals are allowed from their date on, and not sooner."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Level
from specwright.policy import Settings
from tests.validate.documents import whole

from .documents import TODAY, changes, report

TOMORROW = TODAY + timedelta(days=1)
OTHER: dict[str, Any] = {"get": {"responses": {}}}
TEXT = {"type": "string"}
ANNOUNCED = {"deprecated": True, "x-sunset": str(TODAY)}


def document(*, deprecated: bool = False, sunset: object = None) -> dict[str, Any]:
    """A document with an operation that stays, and one with these announcements."""
    operation: dict[str, Any] = {"responses": {}, "deprecated": deprecated}
    if sunset is not None:
        operation["x-sunset"] = str(sunset)
    return whole("{}") | {"paths": {"/other": OTHER, "/a": {"get": operation}}}


@pytest.mark.parametrize(
    ("deprecated", "sunset", "rule"),
    [
        (True, TODAY, "sunset-operation-removed"),
        (True, f"{TODAY}T23:59:59Z", "sunset-operation-removed"),
        (True, TODAY - timedelta(days=400), "sunset-operation-removed"),
        (True, TOMORROW, "operation-removed"),
        (True, "soon", "operation-removed"),
        (True, None, "operation-removed"),
        (False, TODAY, "operation-removed"),
    ],
)
def test_an_operation_is_removed_as_announced_from_its_day_on(
    deprecated: bool, sunset: object, rule: str, tmp_path: Path
) -> None:
    base = document(deprecated=deprecated, sunset=sunset)
    revision = whole("{}") | {"paths": {"/other": OTHER}}
    assert [change.rule for change in changes(report(tmp_path, base, revision))] == [rule]


@pytest.mark.parametrize(
    ("before", "after", "is_deprecated", "rules"),
    [
        (None, TOMORROW, True, ["deprecation"]),
        (TODAY, TOMORROW, True, ["deprecation"]),
        (TOMORROW, TODAY, True, ["sunset-sooner"]),
        # Without a day it may go at any time.
        (TOMORROW, None, True, ["sunset-sooner"]),
        (TOMORROW, "soon", True, ["sunset-sooner"]),
        # It stays.
        (TOMORROW, None, False, ["deprecation", "deprecation"]),
    ],
)
def test_a_day_that_comes_sooner_breaks_a_promise(
    before: object, after: object, is_deprecated: bool, rules: list[str], tmp_path: Path
) -> None:
    base = document(deprecated=True, sunset=before)
    revision = document(deprecated=is_deprecated, sunset=after)
    assert [change.rule for change in changes(report(tmp_path, base, revision))] == rules


def with_operation(*, item: Any = None, **fields: Any) -> dict[str, Any]:
    """A document with an operation that has these fields, and one that stays."""
    operation = {"responses": {"200": {"description": "Done."}}, **fields}
    return whole("{}") | {"paths": {"/other": OTHER, "/a": {"post": operation, **(item or {})}}}


def parameter(**fields: Any) -> dict[str, Any]:
    return {"name": "q", "in": "query", "schema": TEXT, **fields}


def body(**properties: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"type": "object", **properties}}}}


def answered(**fields: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "Done.", **fields}}}


GOING: dict[str, tuple[Any, Any, str]] = {
    "a parameter": ({"parameters": [parameter(**ANNOUNCED)]}, {}, "parameter-removed"),
    "a property that clients send": (
        {"requestBody": body(properties={"a": {**TEXT, **ANNOUNCED}})},
        {"requestBody": body(properties={})},
        "property-removed",
    ),
    "a property that clients read": (
        answered(**body(properties={"a": {**TEXT, **ANNOUNCED}}, required=["a"])),
        answered(**body(properties={})),
        "property-not-sent",
    ),
    "a header": (
        answered(headers={"Age": {"schema": TEXT, **ANNOUNCED}}),
        answered(),
        "header-removed",
    ),
}


@pytest.mark.parametrize(("before", "after", "rule"), GOING.values(), ids=GOING)
def test_it_goes_from_its_day_on(before: Any, after: Any, rule: str, tmp_path: Path) -> None:
    sides = with_operation(**before), with_operation(**after)
    assert [change.rule for change in changes(report(tmp_path, *sides))] == ["sunset-removed"]
    sooner = json.loads(json.dumps(sides).replace(str(TODAY), str(TOMORROW)))
    assert [change.rule for change in changes(report(tmp_path, *sooner))] == [rule]
    silent = json.loads(json.dumps(sides).replace('"deprecated": true', '"deprecated": false'))
    assert [change.rule for change in changes(report(tmp_path, *silent))] == [rule]


def test_only_a_removal_was_announced(tmp_path: Path) -> None:
    sides = (
        with_operation(parameters=[{"name": "a", "in": place, "schema": TEXT, **ANNOUNCED}])
        for place in ("query", "header")
    )
    assert [change.rule for change in changes(report(tmp_path, *sides))] == ["parameter-moved"]


def going(value: str) -> dict[str, Any]:
    return {"const": value, **ANNOUNCED}


def sent(schema: Any) -> dict[str, Any]:
    return {"requestBody": body(properties={"a": schema})}


LISTED: dict[str, tuple[Any, Any]] = {
    "alternatives": (
        {"oneOf": [{"const": "x", "title": "X"}, going("y")]},
        {"oneOf": [{"const": "x"}]},
    ),
    "alternatives that are components": (
        {"anyOf": [{"const": "x"}, {"$ref": "#/components/schemas/Going"}]},
        {"const": "x"},
    ),
    "an alternative of several values": (
        {"oneOf": [{"enum": ["x", "z"]}, {"enum": ["y", 1], **ANNOUNCED}]},
        {"enum": ["z", "x", "more"]},
    ),
}
NOT_AS_ANNOUNCED: dict[str, tuple[Any, Any]] = {
    "one that was to stay": (
        {"oneOf": [{"const": "x"}, going("y"), {"const": "z"}]},
        {"oneOf": [{"const": "x"}]},
    ),
    "one with more of its kind": (
        {"oneOf": [{"type": "string"}, {"type": "integer", **ANNOUNCED}]},
        {"oneOf": [{"type": "string"}]},
    ),
    "true, which is not 1": (
        {"oneOf": [{"const": True}, {"const": 1, **ANNOUNCED}, {"const": "x"}]},
        {"oneOf": [{"const": "x"}]},
    ),
    "all that there was, for another type": (
        {"oneOf": [going("x"), going("y")]},
        {"type": "integer"},
    ),
    "one beside an alternative of another type": (
        {"oneOf": [{"const": "x"}, going("y"), {"type": "integer"}]},
        {"oneOf": [{"const": "x"}, {"type": "array", "minItems": 1}]},
    ),
    "one that two unions list": (
        {"anyOf": [{"const": "x"}, going("y")], "oneOf": [{"const": "x"}, {"const": "y"}]},
        {"anyOf": [{"const": "x"}], "oneOf": [{"const": "y"}, {"const": "z"}]},
    ),
    "values that another keyword refuses": (
        {"oneOf": [{"const": "x"}, going("y")]},
        {"oneOf": [{"const": "x", "maxLength": 0}]},
    ),
}


def with_values(schema: Any) -> dict[str, Any]:
    return with_operation(**sent(schema)) | {"components": {"schemas": {"Going": going("y")}}}


@pytest.mark.parametrize(("before", "after"), LISTED.values(), ids=LISTED)
def test_a_value_goes_from_its_day_on(before: Any, after: Any, tmp_path: Path) -> None:
    sides = with_values(before), with_values(after)
    assert [change.rule for change in changes(report(tmp_path, *sides))] == ["sunset-removed"]
    sooner = json.loads(json.dumps(sides).replace(str(TODAY), str(TOMORROW)))
    [found] = changes(report(tmp_path, *sooner))
    assert (found.rule, found.level) == ("enum-narrowed", Level.ERROR)


@pytest.mark.parametrize(("before", "after"), NOT_AS_ANNOUNCED.values(), ids=NOT_AS_ANNOUNCED)
def test_a_value_that_was_to_stay_does_not(before: Any, after: Any, tmp_path: Path) -> None:
    found = changes(report(tmp_path, with_values(before), with_values(after)))
    assert {finding.level for finding in found} >= {Level.ERROR}


@pytest.mark.parametrize("of", [sent, lambda schema: {"parameters": [parameter(schema=schema)]}])
def test_the_day_of_a_schema_may_not_come_sooner(of: Any, tmp_path: Path) -> None:
    late, soon = ({**TEXT, **ANNOUNCED, "x-sunset": str(day)} for day in (TOMORROW, TODAY))
    later = report(tmp_path, with_operation(**of(soon)), with_operation(**of(late)))
    assert [change.rule for change in changes(later)] == ["deprecation"]
    [found] = changes(report(tmp_path, with_operation(**of(late)), with_operation(**of(soon))))
    assert found.rule == "sunset-sooner"
    assert found.message.endswith("x-sunset 2026-06-02 -> 2026-06-01")


NOTICE = Settings(notice=timedelta(days=30))
IN_TIME, LATE = str(TODAY + timedelta(days=30)), str(TODAY + timedelta(days=29))
PLACES: dict[str, Any] = {
    "an operation": lambda marks: marks,
    "a parameter": lambda marks: {"parameters": [parameter(**marks)]},
    "a property": lambda marks: sent({**TEXT, **marks}),
    "a value": lambda marks: sent({"oneOf": [{"const": "x"}, {"const": "y", **marks}]}),
    "a header": lambda marks: answered(headers={"Age": {"schema": TEXT, **marks}}),
}


@pytest.mark.parametrize("at", PLACES.values(), ids=PLACES)
def test_a_project_may_promise_a_notice(at: Any, tmp_path: Path) -> None:
    def found(marks: Any, settings: Settings) -> list[str]:
        before, after = with_operation(**at({})), with_operation(**at(marks))
        judged = changes(report(tmp_path, before, after, settings=settings))
        short = [each for each in judged if each.rule == "notice-too-short"]
        assert {finding.level for finding in short} <= {Level.ERROR}
        return [finding.message.rpartition(": ")[2] for finding in short]

    late, in_time = ({"deprecated": True, "x-sunset": day} for day in (LATE, IN_TIME))
    assert found(in_time, NOTICE) == []
    assert found(late, NOTICE) == [f"its removal on {LATE} is less than 30 days away"]
    assert found({"deprecated": True}, NOTICE) == [
        "it is deprecated without a removal date (x-sunset)"
    ]
    assert found({"x-sunset": LATE}, NOTICE) == []
    assert found(late, Settings()) == []


def test_a_notice_once_given_is_not_judged_again(tmp_path: Path) -> None:
    marks = {"deprecated": True, "x-sunset": LATE}
    before = with_operation(**marks)
    after = with_operation(**marks, summary="Another one.", parameters=[parameter()])
    rules = [change.rule for change in changes(report(tmp_path, before, after, settings=NOTICE))]
    assert rules == ["added"]


UNSTABLE: dict[str, dict[str, Any]] = {
    "a draft": {"x-stability-level": "draft"},
    "alpha": {"x-stability-level": "alpha"},
    "internal": {"x-internal": True},
    "internal by its path": {"item": {"x-internal": True}},
}
STABLE: dict[str, dict[str, Any]] = {
    "beta": {"x-stability-level": "beta"},
    "stable in an early path": {
        "x-stability-level": "stable",
        "item": {"x-stability-level": "alpha"},
    },
    "a level that is none": {"x-stability-level": ["alpha"]},
    "not internal": {"x-internal": False},
}


@pytest.mark.parametrize("marks", UNSTABLE.values(), ids=UNSTABLE)
def test_what_promises_nothing_yet_breaks_nobody(marks: dict[str, Any], tmp_path: Path) -> None:
    base, revision = with_operation(parameters=[parameter()], **marks), with_operation(**marks)
    [found] = changes(report(tmp_path, base, revision))
    assert (found.rule, found.level) == ("unstable-changed", Level.INFO)
    assert found.message == "query parameter 'q' was removed (parameter-removed)"
    [gone] = changes(report(tmp_path, base, whole("{}") | {"paths": {"/other": OTHER}}))
    assert gone.rule == "unstable-changed"


@pytest.mark.parametrize("marks", STABLE.values(), ids=STABLE)
def test_what_is_promised_does(marks: dict[str, Any], tmp_path: Path) -> None:
    base, revision = with_operation(parameters=[parameter()], **marks), with_operation(**marks)
    assert [change.rule for change in changes(report(tmp_path, base, revision))] == [
        "parameter-removed"
    ]


def test_a_change_that_a_stable_operation_shares_is_a_break(tmp_path: Path) -> None:
    shared = {"$ref": "#/components/parameters/q"}
    paths = {
        path: {"post": {"parameters": [shared], "responses": {}, **marks}}
        for path, marks in (("/a", {"x-internal": True}), ("/b", {}))
    }
    base, revision = (
        whole("{}") | {"paths": paths, "components": {"parameters": {"q": parameter(**fields)}}}
        for fields in ({}, {"schema": {"type": "integer"}})
    )
    assert {change.level for change in changes(report(tmp_path, base, revision))} == {Level.ERROR}


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ({}, {"x-stability-level": "beta"}, "stability-lowered"),
        ({}, {"x-internal": True}, "stability-lowered"),
        ({"x-stability-level": "beta"}, {}, "relaxed"),
        ({"x-stability-level": "alpha"}, {"x-stability-level": "draft"}, "unstable-changed"),
    ],
)
def test_to_promise_less_is_a_break(before: Any, after: Any, rule: str, tmp_path: Path) -> None:
    sides = with_operation(**before), with_operation(**after)
    assert [change.rule for change in changes(report(tmp_path, *sides))] == [rule]
