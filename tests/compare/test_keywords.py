"""Every keyword, narrowed and widened, in every place: the sender decides which side breaks."""

from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Finding, Level

from .documents import PLACES, SENT_BY_CLIENTS, affected, breaking, changes, everywhere, report

A, B = {"type": "string"}, {"type": "integer"}
TREE = {"type": "object", "properties": {"a": A}}

# Name: the wide schema, the narrow one, and the wide one written in another way.
KEYWORDS: dict[str, tuple[Any, Any, Any]] = {
    "type": ({"type": "number"}, {"type": "integer"}, {"type": ["number"]}),
    "types": ({"type": ["string", "integer"]}, A, {"type": ["integer", "string"]}),
    "null": ({"type": ["string", "null"]}, A, {"anyOf": [A, {"type": "null"}]}),
    "enum": ({"enum": ["a", "b"]}, {"enum": ["a"]}, {"enum": ["b", "a"]}),
    "const": ({"enum": ["a", "b"]}, {"const": "a"}, {"enum": ["a", "b"], "type": "string"}),
    "minimum": ({**B, "minimum": 1}, {**B, "minimum": 2}, {**B, "exclusiveMinimum": 0}),
    "maximum": ({**B, "maximum": 9}, {**B, "maximum": 8}, {**B, "exclusiveMaximum": 10}),
    "exclusiveMinimum": (
        {"type": "number", "minimum": 0},
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "number", "minimum": 0.0},
    ),
    "multipleOf": ({**B, "multipleOf": 5}, {**B, "multipleOf": 10}, {**B, "multipleOf": 5.0}),
    "minLength": ({**A, "minLength": 1}, {**A, "minLength": 2}, {**A, "minLength": 1.0}),
    "maxLength": (A, {**A, "maxLength": 9}, {**A, "minLength": 0}),
    "pattern": (A, {**A, "pattern": "^[a-z]+$"}, {**A, "pattern": ".*"}),
    "format": (A, {**A, "format": "uuid"}, {**A, "title": "Text"}),
    "format of numbers": (
        {**B, "format": "int64"},
        {**B, "format": "int32"},
        {**B, "format": "int64", "title": "Count"},
    ),
    "contentMediaType": (
        {**A, "contentEncoding": "base64"},
        {**A, "contentEncoding": "base64", "contentMediaType": "application/json"},
        {**A, "contentEncoding": "base64", "title": "Text"},
    ),
    "contentSchema": (
        {**A, "contentMediaType": "application/json"},
        {**A, "contentMediaType": "application/json", "contentSchema": {"type": "object"}},
        {**A, "contentMediaType": "application/json", "title": "Text"},
    ),
    "contentEncoding": (A, {**A, "contentEncoding": "base64"}, {**A, "description": "Text."}),
    "minItems": (
        {"type": "array", "minItems": 1},
        {"type": "array", "minItems": 2},
        {"type": "array", "minItems": 1, "maxContains": 7},
    ),
    "maxItems": (
        {"type": "array"},
        {"type": "array", "maxItems": 3},
        {"type": "array", "minItems": 0},
    ),
    "uniqueItems": (
        {"type": "array"},
        {"type": "array", "uniqueItems": True},
        {"type": "array", "uniqueItems": False},
    ),
    "items": (
        {"type": "array"},
        {"type": "array", "items": A},
        {"type": "array", "items": {}},
    ),
    "items below": (
        {"type": "array", "items": {"type": "number"}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array", "items": {"allOf": [{"type": "number"}]}},
    ),
    "prefixItems": (
        {"type": "array", "prefixItems": [{"type": "number"}]},
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        {"type": "array", "prefixItems": [{"type": ["number"]}]},
    ),
    "contains": (
        {"type": "array"},
        {"type": "array", "contains": {"type": "integer"}},
        {"type": "array", "contains": {"type": "integer"}, "minContains": 0},
    ),
    "required": (TREE, {**TREE, "required": ["a"]}, {**TREE, "required": []}),
    "required below": (
        {"type": "object", "properties": {"t": TREE}},
        {"type": "object", "properties": {"t": {**TREE, "required": ["a"]}}},
        {"type": "object", "properties": {"t": {"allOf": [TREE, {"required": []}]}}},
    ),
    "property": (
        {"type": "object", "properties": {"a": {"type": "number"}}},
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        {"allOf": [{"type": "object"}, {"properties": {"a": {"type": "number"}}}]},
    ),
    "additionalProperties": (
        TREE,
        {**TREE, "additionalProperties": False},
        {**TREE, "additionalProperties": True},
    ),
    "additionalProperties below": (
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "additionalProperties": {"type": ["number"]}},
    ),
    "patternProperties": (
        {"type": "object", "patternProperties": {"^x": {"type": "number"}}},
        {"type": "object", "patternProperties": {"^x": {"type": "integer"}}},
        {"type": "object", "patternProperties": {"^x": {"type": ["number"]}}},
    ),
    "propertyNames": (
        {"type": "object"},
        {"type": "object", "propertyNames": {"maxLength": 3}},
        {"type": "object", "propertyNames": {}},
    ),
    "minProperties": (
        {"type": "object"},
        {"type": "object", "minProperties": 1},
        {"type": "object", "minProperties": 0},
    ),
    "maxProperties": (
        {"type": "object", "maxProperties": 3},
        {"type": "object", "maxProperties": 2},
        {"type": "object", "maxProperties": 3, "minProperties": 0},
    ),
    "dependentRequired": (
        {"type": "object"},
        {"type": "object", "dependentRequired": {"a": ["b"]}},
        {"type": "object", "dependentRequired": {}},
    ),
    "anyOf": (
        {"anyOf": [A, B, {"type": "null"}]},
        {"anyOf": [A, B]},
        {"anyOf": [{"type": "null"}, B, A]},
    ),
    "oneOf": (
        {"oneOf": [A, B, {"type": "boolean"}]},
        {"oneOf": [A, B]},
        {"oneOf": [{"type": "boolean"}, B, A]},
    ),
    "anyOf below": (
        {"anyOf": [{"type": "number"}, A]},
        {"anyOf": [{"type": "integer"}, A]},
        {"type": ["string", "number"]},
    ),
    "allOf": (A, {"allOf": [A, {"maxLength": 5}]}, {"allOf": [A]}),
    "not": ({}, {"not": {"type": "string"}}, {"not": {"not": {}}}),
    "if": (
        {"type": "object"},
        {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"type": "object", "if": {"required": ["a"]}},
    ),
    "false": ({}, False, True),
}


def broken(directory: Path, base: Any, revision: Any) -> set[str]:
    """Return the places where the change of a schema breaks a client or the API."""
    return affected(breaking(report(directory, everywhere(base), everywhere(revision)).findings))


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_narrowing_breaks_what_clients_send(keyword: str, tmp_path: Path) -> None:
    wide, narrow, _ = KEYWORDS[keyword]
    assert broken(tmp_path, wide, narrow) == SENT_BY_CLIENTS


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_widening_breaks_what_the_api_sends(keyword: str, tmp_path: Path) -> None:
    wide, narrow, _ = KEYWORDS[keyword]
    assert broken(tmp_path, narrow, wide) == PLACES.keys() - SENT_BY_CLIENTS


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_other_words_for_the_same_break_nobody(keyword: str, tmp_path: Path) -> None:
    wide, _, other = KEYWORDS[keyword]
    assert not broken(tmp_path, wide, other)
    assert not broken(tmp_path, other, wide)


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_one_edit_is_one_finding_at_each_place_with_a_counterexample(
    keyword: str, tmp_path: Path
) -> None:
    wide, narrow, _ = KEYWORDS[keyword]
    found = changes(report(tmp_path, everywhere(wide), everywhere(narrow)))
    # The parameter, both bodies of requests, both of responses and the one of the callback.
    assert len(found) == len(PLACES)
    assert [each.rule for each in breaking_of(found) if each.counterexample is None] == (
        # In a query, a number is read as text, too.
        ["text-type-changed"] if keyword == "types" else []
    )


def breaking_of(found: list[Finding]) -> list[Finding]:
    return [each for each in found if each.level is not Level.INFO]
