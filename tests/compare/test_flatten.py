"""Schemas composed in two ways mean the same, though one of them may be weaker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .documents import PLACES, SENT_BY_CLIENTS, affected, breaking, changes, everywhere, report

A, B = {"a": {"type": "integer"}}, {"b": {"type": "integer"}}
SAME: dict[str, tuple[Any, Any]] = {
    "an integer is a number": ([{"type": "integer"}, {"type": "number"}], {"type": ["integer"]}),
    "types that both have": (
        [{"type": ["string", "integer"]}, {"type": ["number", "string", "null"]}],
        {"type": ["string", "integer"]},
    ),
    "the least of the most": (
        [
            {"maximum": 9, "maxLength": 5, "maxItems": 9, "maxProperties": 5},
            {"maximum": 5, "maxLength": 9, "maxItems": 5, "maxProperties": 9},
        ],
        {"maximum": 5, "maxLength": 5, "maxItems": 5, "maxProperties": 5},
    ),
    "the most of the least": (
        [
            {"minimum": 9, "minLength": 5, "minItems": 9, "minProperties": 5},
            {"minimum": 5, "minLength": 9, "minItems": 5, "minProperties": 9},
        ],
        {"minimum": 9, "minLength": 9, "minItems": 9, "minProperties": 9},
    ),
    "values that both have": ([{"enum": ["a", "b"]}, {"enum": ["b", "c"]}], {"enum": ["b"]}),
    "properties that either demands": (
        [{"required": ["a"]}, {"required": ["b", "a"]}],
        {"required": ["a", "b"]},
    ),
    "a closed part and more about what it knows": (
        [{"properties": A, "additionalProperties": False}, {"properties": {"a": {"maximum": 3}}}],
        {"properties": {"a": {**A["a"], "maximum": 3}}, "additionalProperties": False},
    ),
}
NULLABLE = {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]}


@pytest.mark.parametrize(("parts", "whole"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("order", [1, -1])
def test_parts_say_what_they_say_together(
    parts: list[Any], whole: Any, order: int, tmp_path: Path
) -> None:
    sides = everywhere({"allOf": parts[::order]}), everywhere(whole)
    for base, revision in (sides, sides[::-1]):
        assert changes(report(tmp_path, base, revision)) == []


def test_a_closed_part_refuses_what_only_another_one_names(tmp_path: Path) -> None:
    closed = {"allOf": [{"properties": A, "additionalProperties": False}, {"properties": B}]}
    whole = {"properties": A | B, "additionalProperties": False}
    found = breaking(report(tmp_path, everywhere(whole), everywhere(closed)).findings)
    assert affected(found) >= SENT_BY_CLIENTS


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_null_beside_one_alternative_is_one_more_type(
    keyword: str, order: int, tmp_path: Path
) -> None:
    nullable = {keyword: NULLABLE["anyOf"][::order]}
    same = {"type": ["string", "null"], "maxLength": 5}
    assert changes(report(tmp_path, everywhere(nullable), everywhere(same))) == []
    found = breaking(
        report(tmp_path, everywhere(nullable), everywhere(NULLABLE["anyOf"][0])).findings
    )
    assert {finding.rule for finding in found} == {"nullable-narrowed"}


@pytest.mark.parametrize("order", [1, -1])
def test_a_change_beside_null_is_placed_where_it_stands(order: int, tmp_path: Path) -> None:
    text, null = NULLABLE["anyOf"]
    sides = [
        everywhere({"anyOf": [each, null][::order]}) for each in (text, {**text, "maxLength": 4})
    ]
    found = changes(report(tmp_path, *sides))
    place = f"/anyOf/{[text, null][::order].index(text)}/maxLength"
    assert found
    assert [each.pointer for each in found if not str(each.pointer).endswith(place)] == []


@pytest.mark.parametrize(
    ("mark", "places"),
    [("writeOnly", SENT_BY_CLIENTS), ("readOnly", PLACES.keys() - SENT_BY_CLIENTS)],
)
@pytest.mark.parametrize("order", [1, -1])
def test_a_property_that_one_side_sends_changes_nothing_for_the_other_one(
    mark: str, places: set[str], order: int, tmp_path: Path
) -> None:
    def holding(most: int, required: list[str]) -> dict[str, Any]:
        text = {"type": "string", "maxLength": most, mark: True}
        return everywhere({"type": "object", "properties": {"a": text}, "required": required})

    sides = [holding(5, ["a"]), holding(6, [])][::order]
    assert affected(changes(report(tmp_path, *sides))) == places
