"""What was announced to go may go on its day, and not sooner."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Level
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
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == [rule]


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
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == rules


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
    assert [each.rule for each in changes(report(tmp_path, *sides))] == ["sunset-removed"]
    sooner = json.loads(json.dumps(sides).replace(str(TODAY), str(TOMORROW)))
    assert [each.rule for each in changes(report(tmp_path, *sooner))] == [rule]
    silent = json.loads(json.dumps(sides).replace('"deprecated": true', '"deprecated": false'))
    assert [each.rule for each in changes(report(tmp_path, *silent))] == [rule]


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
    assert found.message == "query parameter 'q' is gone (parameter-removed)"
    [gone] = changes(report(tmp_path, base, whole("{}") | {"paths": {"/other": OTHER}}))
    assert gone.rule == "unstable-changed"


@pytest.mark.parametrize("marks", STABLE.values(), ids=STABLE)
def test_what_is_promised_does(marks: dict[str, Any], tmp_path: Path) -> None:
    base, revision = with_operation(parameters=[parameter()], **marks), with_operation(**marks)
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == [
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
    assert {each.level for each in changes(report(tmp_path, base, revision))} == {Level.ERROR}


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
    assert [each.rule for each in changes(report(tmp_path, *sides))] == [rule]
