"""Keywords of several schemas are joined to those of one."""

from __future__ import annotations

from typing import Any

import pytest

from specwright.samples.merging import combined, of_member

JOINED: list[tuple[Any, Any, Any]] = [
    ({"minimum": 1}, {"minimum": 5}, {"minimum": 5}),
    ({"maxLength": 1}, {"maxLength": 5}, {"maxLength": 1}),
    ({"multipleOf": 0.5}, {"multipleOf": 0.75}, {"multipleOf": 1.5}),
    ({"type": "number"}, {"type": ["integer", "null"]}, {"type": ["integer"]}),
    ({"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [2]}),
    ({"title": "own"}, {"title": "other"}, {"title": "own"}),
    ({"pattern": "a"}, {"pattern": "b"}, {"pattern": "a", "allOf": [{"pattern": "b"}]}),
    (
        {"contains": True, "minContains": 2},
        {"contains": {"const": 1}, "maxContains": 3},
        {"contains": True, "minContains": 2}
        | {"allOf": [{"contains": {"const": 1}, "maxContains": 3}]},
    ),
    (
        {"properties": {"a": True}, "additionalProperties": False},
        {"properties": {"a": {"const": 1}, "b": True}},
        {"properties": {"a": {"const": 1}, "b": False}, "additionalProperties": False},
    ),
    (
        {"dependentRequired": {"a": ["b"]}},
        {"dependentRequired": {"a": ["c"], "d": ["e"]}},
        {"dependentRequired": {"a": ["c", "b"], "d": ["e"]}},
    ),
]


@pytest.mark.parametrize(("own", "other", "whole"), JOINED)
def test_keywords_are_joined(own: Any, other: Any, whole: Any) -> None:
    assert combined(own, other) == whole


def test_a_member_has_the_schemas_of_its_name() -> None:
    schema: Any = {"properties": {"a": {"minimum": 1}}, "additionalProperties": {"const": 2}}
    schema["patternProperties"] = {"^a": {"maximum": 3}}
    assert of_member(schema, "a") == {"allOf": [{"minimum": 1}, {"maximum": 3}]}
    assert of_member(schema, "ab") == {"maximum": 3}
    assert of_member(schema, "b") == {"const": 2}
