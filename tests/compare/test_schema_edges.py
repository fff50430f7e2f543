"""Pairs of schemas at the edge of a rule: parts that stay apart, notes, and open schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .documents import PLACES, SENT_BY_CLIENTS, affected, breaking, changes, everywhere, report

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
SMALL = {"type": "integer", "maximum": 9}
CLOSED = {"additionalProperties": False}
A_OR_B = {"type": ["object", "string"], "propertyNames": {"enum": ["a", "b"]}}


def holding(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def apart(a: Any, b: Any) -> dict[str, Any]:
    """Return two parts that cannot be joined: each refuses the properties of the other one."""
    return {"allOf": [{**holding(a=a), **CLOSED}, {**holding(b=b), **CLOSED}]}


# The schemas before and after, and the rules that this breaks where clients send the values.
NARROWED: dict[str, tuple[Any, Any, set[str]]] = {
    "the first of two closed parts": (
        apart(INTEGER, INTEGER),
        apart(SMALL, INTEGER),
        {"range-narrowed"},
    ),
    "the second of two closed parts": (
        apart(INTEGER, INTEGER),
        apart(INTEGER, SMALL),
        {"range-narrowed"},
    ),
    "a second pattern": (
        {**TEXT, "allOf": [{"pattern": "a"}, {"pattern": "b"}]},
        {**TEXT, "allOf": [{"pattern": "a"}, {"pattern": "c"}]},
        {"union-narrowed"},
    ),
    "another divisor beside one": (
        {**INTEGER, "multipleOf": 2},
        {**INTEGER, "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]},
        {"union-narrowed"},
    ),
    "items beside what they are": (
        {"type": "array", "items": TEXT},
        {"type": "array", "items": TEXT, "maxItems": 3},
        {"array-narrowed"},
    ),
    "properties beside what they are": (
        holding(a=TEXT),
        {**holding(a=TEXT), "minProperties": 1},
        {"object-narrowed"},
    ),
    "a property that was one of the others": (
        {"type": "object", "additionalProperties": INTEGER},
        {**holding(a=SMALL), "additionalProperties": INTEGER},
        {"range-narrowed"},
    ),
    "a property that is one of the others": (
        {**holding(a=INTEGER), "additionalProperties": SMALL},
        {"type": "object", "additionalProperties": SMALL},
        {"range-narrowed", "property-removed"},
    ),
    "values whose inner parts are limited": (
        {"type": "object"},
        {
            "type": "object",
            "additionalProperties": {
                "type": ["null", "boolean", "number", "string", "array", "object"],
                "items": {"type": ["null", "boolean", "number", "string"]},
                "additionalProperties": {"type": ["null", "boolean", "number", "string"]},
            },
        },
        {"object-narrowed"},
    ),
    "a note beside properties that have names now": (
        {**A_OR_B, "properties": {"a": {}}, "contentEncoding": "base64"},
        {**A_OR_B, "properties": {"a": {}, "b": {}}, **CLOSED, "contentEncoding": "base32"},
        {"content-narrowed"},
    ),
}


@pytest.mark.parametrize(("before", "after", "rules"), NARROWED.values(), ids=NARROWED)
def test_narrowing_is_found(before: Any, after: Any, rules: set[str], tmp_path: Path) -> None:
    found = breaking(report(tmp_path, everywhere(before), everywhere(after)).findings)
    assert {each.rule for each in found if affected([each]) & {"request"}} == rules


@pytest.mark.parametrize("pattern", ["", ".*", "^", "$", "^.*"])
def test_a_pattern_that_every_text_has_is_none(pattern: str, tmp_path: Path) -> None:
    sides = everywhere(TEXT), everywhere({**TEXT, "pattern": pattern})
    for base, revision in (sides, sides[::-1]):
        assert changes(report(tmp_path, base, revision)) == []


def test_a_component_of_another_name_is_the_same_beside_a_change(tmp_path: Path) -> None:
    def document(name: str, most: int) -> dict[str, Any]:
        schema = {**TEXT, "maxLength": most, "not": {"$ref": f"#/components/schemas/{name}"}}
        return everywhere(schema) | {"components": {"schemas": {name: {"enum": ["no"]}}}}

    found = changes(report(tmp_path, document("Refused", 9), document("Forbidden", 8)))
    assert {finding.rule for finding in breaking(found)} == {"length-narrowed"}
    assert affected(breaking(found)) == SENT_BY_CLIENTS
    assert affected(found) == PLACES.keys()


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        (None, True, {"deprecation"}),
        (True, None, {"deprecation"}),
        (True, False, {"deprecation"}),
        (False, True, {"deprecation"}),
        # Both say the same.
        (None, False, set()),
        (False, None, set()),
    ],
)
def test_a_property_is_deprecated_or_not(
    before: Any, after: Any, rules: set[str], tmp_path: Path
) -> None:
    sides = (
        everywhere(holding(a=TEXT if mark is None else {**TEXT, "deprecated": mark}))
        for mark in (before, after)
    )
    found = changes(report(tmp_path, *sides))
    assert {finding.rule for finding in found} == rules
    assert not rules or affected(found) == PLACES.keys()


@pytest.mark.parametrize(
    "limit",
    [
        {"enum": ["a", "7"]},
        {"const": "7"},
        {"format": "date"},
        {"maxLength": 3},
        {"minLength": 3},
        {"pattern": "^a"},
    ],
    ids=lambda limit: next(iter(limit)),
)
def test_a_number_is_not_read_as_a_text_that_has_limits(limit: Any, tmp_path: Path) -> None:
    found = breaking(report(tmp_path, everywhere(INTEGER), everywhere({**TEXT, **limit})).findings)
    rules = {each.rule for each in found if affected([each]) & {"parameter"}}
    assert "type-narrowed" in rules
    assert "text-type-changed" not in rules


def test_a_schema_that_is_gone_hinders_no_proof(tmp_path: Path) -> None:
    unreadable = {"pattern": "("}
    base = {**holding(a=unreadable, z=TEXT), "maxProperties": 3}
    revision = {**holding(z=TEXT), "maxProperties": 4}
    found = report(tmp_path, everywhere(base), everywhere(revision)).findings
    assert "diff-unproven" not in {finding.rule for finding in found}


def test_what_has_to_be_there_now_is_left_out_of_a_value_that_shows_it(tmp_path: Path) -> None:
    # No text that is tried for it is right, but its example.
    code = {**TEXT, "pattern": "^(?=.*z)[a-z]{3}$", "example": "xyz"}
    base = {**holding(a=code, b=code, c={}, d={}), **CLOSED, "minProperties": 2}
    revision = {**base, "anyOf": [{"required": ["c"]}, {"required": ["d"]}]}
    found = breaking(report(tmp_path, everywhere(base), everywhere(revision)).findings)
    shown = {each.counterexample for each in found if affected([each]) & {"request"}}
    assert shown == {'{"a": "xyz", "b": "xyz"}'}


def test_a_property_more_of_a_large_closed_object_is_shown_by_a_value(tmp_path: Path) -> None:
    named = {f"p{number}": {"type": ["string", "null"]} for number in range(60)}
    base, revision = (
        everywhere({**holding(**named, **more), **CLOSED})
        for more in ({}, {"next_at": TEXT, "next_text": TEXT, "next_year": INTEGER})
    )
    found = breaking(report(tmp_path, base, revision).findings)
    assert {finding.rule for finding in found} == {"property-unexpected"}
    assert all(finding.counterexample for finding in found)
