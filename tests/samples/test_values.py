"""Schemas of many kinds have values that an independent validator accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from specwright.samples.sampler import size

from .schemas import ADDRESS, referring, sampler, side

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
OBJECT: dict[str, Any] = {"type": "object"}
SET: dict[str, Any] = {"type": "array", "uniqueItems": True}
A: dict[str, Any] = {"required": ["a"]}
NOTHING_ELSE: dict[str, Any] = {"additionalProperties": False}


def of(**properties: Any) -> dict[str, Any]:
    """An object that requires these properties."""
    return {**OBJECT, "properties": properties, "required": [*properties]}


def node(name: str = "Node") -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


ENTRY = of(id={**TEXT, "format": "uuid"})
PASSWORD = {**TEXT, "pattern": r"^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])(?=.*[^A-Za-z0-9]).{8,64}$"}
# A schema, which may refer to itself as `Node`.
VALUES: dict[str, Any] = {
    # Different items.
    "texts": {**SET, "minItems": 3, "items": TEXT},
    "values of a list": {**SET, "minItems": 3, "items": {"enum": ["mon", "tue", "wed"]}},
    "objects": {**SET, "minItems": 3, "items": ENTRY},
    "objects of a small range": {
        **SET,
        "minItems": 4,
        "items": of(a={**INTEGER, "minimum": 7, "maximum": 8}, b={"enum": ["x", "y"]}),
    },
    "a small range": {
        **SET,
        "minItems": 5,
        "items": {**INTEGER, "minimum": 5, "exclusiveMaximum": 10},
    },
    "days": {**SET, "minItems": 3, "items": {**TEXT, "format": "date"}},
    "addresses": {**SET, "minItems": 3, "items": {**TEXT, "format": "email"}},
    "lists": {**SET, "minItems": 3, "items": {**SET, "minItems": 1, "items": {"enum": [1, 2, 3]}}},
    "both booleans": {**SET, "minItems": 2, "items": {"type": "boolean"}},
    "anything": {**SET, "minItems": 3},
    "texts of one character": {
        **SET,
        "minItems": 5,
        "items": {**TEXT, "minLength": 1, "maxLength": 1},
    },
    "texts of a pattern": {**SET, "minItems": 4, "items": {**TEXT, "pattern": "^id_[0-9]{4}$"}},
    "alternatives": {**SET, "minItems": 3, "items": {"oneOf": [{"const": 1}, {"enum": [2, 3]}]}},
    "a tuple": {
        **SET,
        "prefixItems": [INTEGER, INTEGER, TEXT],
        "minItems": 3,
        "items": False,
    },
    "another item than those of a tuple": {**SET, "prefixItems": [INTEGER], "items": INTEGER}
    | {"minItems": 3},
    # Contents of lists.
    "several that are contained": {
        "type": "array",
        "items": INTEGER,
        "contains": {"minimum": 100},
        "minContains": 3,
    },
    "different ones that are contained": {
        **SET,
        "items": INTEGER,
        "contains": {"minimum": 100},
        "minContains": 3,
        "minItems": 5,
    },
    "few that are contained": {
        "type": "array",
        "items": INTEGER,
        "contains": {"maximum": 5},
        "maxContains": 1,
        "minItems": 3,
    },
    "none that is contained": {
        "type": "array",
        "contains": TEXT,
        "minContains": 0,
        "maxContains": 0,
        "minItems": 2,
    },
    "two kinds that are contained": {
        "type": "array",
        "allOf": [{"contains": {"const": 5}}, {"contains": {"const": 6}}],
    },
    "no further items": {
        "allOf": [{"type": "array", "prefixItems": [TEXT, INTEGER]}],
        "minItems": 2,
        "unevaluatedItems": False,
    },
    # Patterns.
    "a password": PASSWORD,
    "a text that does not end": {**TEXT, "pattern": r"^(?!.*\.$)[a-z.]{3}$"},
    "a text that does not begin": {**TEXT, "pattern": r"^(?!0\d)\d+\.\d{2}$"},
    "a text after another": {**TEXT, "pattern": r"^[a-c]{2}(?<!aa)x$"},
    "a text behind another": {**TEXT, "pattern": r"(?<=\$)[1-9][0-9]*$"},
    "words": {**TEXT, "pattern": r"^\bcat\b.+\bdog\b$"},
    "groups again": {**TEXT, "pattern": r"^(?:[a-f0-9]{2}:){5}[a-f0-9]{2}$"},
    "a group with a name": {**TEXT, "pattern": r"^(?<year>[0-9]{4})-Q[1-4]$"},
    "letters of Unicode": {**TEXT, "pattern": r"^\p{Lu}[\p{L}\p{N}]{2,}$"},
    "a pattern and lengths": {**TEXT, "pattern": "^[A-Z]", "minLength": 3, "maxLength": 5},
    "a pattern of any length": {**TEXT, "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": 12},
    "two patterns": {**TEXT, "allOf": [{"pattern": "^a"}, {"pattern": "z$"}, {"minLength": 5}]},
    "a pattern that is not": {**TEXT, "pattern": "^[a-c]$", "not": {"pattern": "^[ab]"}},
    "a pattern of a day": {**TEXT, "format": "date", "pattern": "^2031-"},
    "a pattern of a time": {**TEXT, "format": "date-time", "pattern": r"^2031-.*\.000Z$"},
    "a pattern of an address": {**TEXT, "format": "email", "pattern": r"@acme\.example$"},
    "a pattern of a URL": {**TEXT, "format": "uri", "pattern": "^ftp://"},
    "a pattern of a UUID": {**TEXT, "format": "uuid", "pattern": "^[0-9a-f-]{14}4"},
    "a pattern of a host": {**TEXT, "format": "hostname", "pattern": r"\.internal$"},
    "a long URL": {**TEXT, "format": "uri", "minLength": 50},
    "a short address": {**TEXT, "format": "email", "maxLength": 8},
    # Conditions.
    "then": of(a={"const": 1}) | {"if": of(a={"const": 1}), "then": {"required": ["b"]}},
    "else": of(a={"const": 1}) | {"if": of(a={"const": 2}), "else": of(b={"minimum": 700})},
    "then of a property": {
        **of(a={"enum": ["x", "y"]}, b=TEXT),
        "if": {"properties": {"a": {"const": "x"}}},
        "then": {"properties": {"b": {"pattern": "^[0-9]{5}$"}}},
        "else": {"properties": {"b": {"maxLength": 2}}},
    },
    "a pattern of then": {
        **of(a={"const": 1}, b=TEXT),
        "if": {"required": ["a"]},
        "then": {"properties": {"b": {"pattern": "^[0-9]{5}$"}}},
    },
    "several conditions": {
        **of(a={"enum": ["x", "y"]}),
        "allOf": [
            {"if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b", "c"]}},
            {"if": {"properties": {"a": {"const": "y"}}}, "then": {"required": ["d"]}},
            {"if": {"required": ["b"]}, "then": {"properties": {"c": {"const": 5}}}},
        ],
    },
    "a condition of a text": {
        **TEXT,
        "if": {"pattern": "^[a-z]"},
        "then": {"minLength": 7},
        "else": {"maxLength": 0},
    },
    "what depends": {
        **of(a={"const": 1}),
        "dependentRequired": {"a": ["b", "c"], "c": ["d"]},
        "properties": {"a": INTEGER, "c": {"const": 3}},
    },
    "a schema that depends": {
        **of(a=INTEGER),
        "dependentSchemas": {"a": {"properties": {"b": {"minimum": 4}}, "required": ["b"]}},
    },
    # Exclusions.
    "no property": {**OBJECT, "properties": {"a": INTEGER, "b": INTEGER}, "not": A},
    "no constant": {"enum": [1, 2, 3], "not": {"const": 1}},
    "no text": {"not": TEXT},
    "no usual number": {**INTEGER, "minimum": 0, "not": {"enum": [0, 1, 2, 3]}},
    "no common number": {**INTEGER, "not": {"maximum": 4000}},
    "not both": {
        **OBJECT,
        "minProperties": 1,
        "properties": {"a": INTEGER, "b": INTEGER},
        "not": {"required": ["a", "b"]},
    },
    "one alternative alone": {
        **OBJECT,
        "properties": {"a": INTEGER, "b": INTEGER},
        "oneOf": [A, {"required": ["b"]}],
    },
    "one of two ranges": {
        **INTEGER,
        "oneOf": [{"minimum": 0}, {"maximum": 100}],
    },
    "both unions": {
        **OBJECT,
        "anyOf": [A, {"required": ["b"]}],
        "oneOf": [{"required": ["c"]}, {"required": ["d"]}],
    },
    "unions of parts": {
        "allOf": [
            {"anyOf": [of(a={"const": 1}), of(b={"const": 2})]},
            {"anyOf": [of(c={"const": 3}), of(d={"const": 4})]},
        ]
    },
    "alternatives that overlap": {
        "oneOf": [
            {"type": "number"},
            {"type": "number"},
            TEXT,
            {"type": "boolean"},
            {"type": ["string", "null"]},
        ]
    },
    # Closed objects.
    "nothing unevaluated": {
        "allOf": [of(a=INTEGER)],
        **of(b={**of(c=TEXT), **NOTHING_ELSE}),
        "unevaluatedProperties": False,
    },
    "nothing else beside parts": {
        "allOf": [{"required": ["a"], "properties": {"a": {"minimum": 70}}}],
        **OBJECT,
        "properties": {"a": True},
        **NOTHING_ELSE,
    },
    "nothing unevaluated in a union": {
        **of(a=INTEGER),
        "oneOf": [of(b=TEXT), of(c={"pattern": "^[0-9]{3}$"})],
        "unevaluatedProperties": False,
    },
    "nothing unevaluated after then": {
        **of(a=INTEGER),
        "if": of(a=INTEGER),
        "then": of(b=TEXT),
        "unevaluatedProperties": False,
    },
    # Names.
    "names": {
        **OBJECT,
        "propertyNames": {"pattern": "^x_[a-z]{2}$"},
        "minProperties": 3,
        "additionalProperties": INTEGER,
    },
    "names of a list": {
        **OBJECT,
        "propertyNames": {"enum": ["red", "green", "blue"]},
        "minProperties": 3,
        "additionalProperties": {"minimum": 70},
    },
    "names of a pattern": {
        **OBJECT,
        "patternProperties": {"^[0-9]{3}$": {**TEXT, "pattern": "^[A-Z]{3}$"}},
        **NOTHING_ELSE,
        "minProperties": 3,
    },
    "names of several patterns": {
        **OBJECT,
        "patternProperties": {"^a[0-9]$": INTEGER, "^b$": TEXT},
        **NOTHING_ELSE,
        "minProperties": 4,
    },
    "names of identifiers": {
        **OBJECT,
        "propertyNames": {"format": "uuid"},
        "minProperties": 2,
    },
    "many properties": {**OBJECT, "additionalProperties": TEXT, "minProperties": 5},
    "properties and others": {
        **OBJECT,
        "properties": {"a": INTEGER},
        "additionalProperties": {"pattern": "^[0-9]{3}$"},
        "minProperties": 3,
    },
    "few properties": {**of(a=INTEGER, b=INTEGER), "maxProperties": 2},
    # Numbers.
    "a multiple": {**INTEGER, "multipleOf": 7, "minimum": 50, "maximum": 60},
    "a multiple beyond": {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": 4.5},
    "a multiple before": {"type": "number", "multipleOf": 0.01, "exclusiveMaximum": -3},
    "several multiples": {**INTEGER, "minimum": 1, "allOf": [{"multipleOf": 4}, {"multipleOf": 6}]},
    "a narrow range": {"type": "number", "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.2},
    "bounds of parts": {"allOf": [{**INTEGER, "minimum": 3}, {"minimum": 70}, {"maximum": 72}]},
    "a number that is whole": {"type": ["integer", "null"], "maximum": 30000.0, "minimum": 29999.5},
    # Recursion that needs an end.
    "an expression": {
        "oneOf": [of(op={"const": "add"}, left=node(), right=node()), of(value=INTEGER)],
    },
    "a list of itself": {**of(children={"type": "array", "items": node()}), **NOTHING_ELSE},
    "itself or null": of(next={"anyOf": [node(), {"type": "null"}]}),
    "itself in a list with an end": {
        "anyOf": [{"type": "array", "items": node(), "minItems": 2}, TEXT],
    },
    "itself by a member": {
        **OBJECT,
        "minProperties": 1,
        "properties": {"a": node(), "b": {**OBJECT, "properties": {"c": node()}}},
        **NOTHING_ELSE,
    },
    # Content.
    "JSON in a text": {
        **TEXT,
        "contentMediaType": "application/json",
        "contentSchema": of(a={"type": "array", "items": INTEGER, "minItems": 2}),
    },
    "a list of parts": {
        **of(a={"allOf": [{"type": "array", "items": {"minimum": 70}}, {"items": INTEGER}]})
        | {"properties": {"a": {"minItems": 2}}},
    },
}


@pytest.mark.parametrize("schema", VALUES.values(), ids=VALUES)
def test_an_independent_validator_accepts_the_values(schema: Any, tmp_path: Path) -> None:
    whole = side(tmp_path, Node=schema)
    found = sampler(whole).witnesses(referring("Node"))
    registry = jsonschema_rs.Registry([(ADDRESS, whole.document.data)])
    judge = jsonschema_rs.Draft202012Validator(
        referring("Node"), registry=registry, validate_formats=True
    )
    assert found
    assert [value for value in found if not judge.is_valid(value)] == []
    assert all(size(value) < 30 for value in found)
    # The same again, without what was found before.
    assert sampler(whole).witnesses(referring("Node")) == found
