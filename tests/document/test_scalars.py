"""Scalars with several schemas are joined into one schema, or stay as they are."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwright.document.model import Document
from specwright.document.schemas.scalars import alternatives, distributed, joined
from specwright.document.sources.load import load

CODE = "#/components/schemas/Code"
COMPONENTS: dict[str, Any] = {
    "Code": {"type": "string", "pattern": "^[a-z]+$", "description": "A code."},
    "Short": {"allOf": [{"$ref": CODE}, {"maxLength": 3}]},
    "Circle": {"allOf": [{"$ref": "#/components/schemas/Circle"}, {"type": "string"}]},
}
VALUES = [None, True, False, 0, 1, 1.0, 1.5, 2, 3, "", "a", "ab", "abcd", "B", [], {}]
TYPES = st.sampled_from(["string", "integer", "number", "null", "boolean"])
VALUE = st.sampled_from([None, True, 0, 1, 2, "a", "ab"])
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUE, min_size=1, max_size=4),
        "const": VALUE,
        "minimum": st.integers(0, 2),
        "maximum": st.integers(1, 3),
        "exclusiveMinimum": st.integers(0, 2),
        "exclusiveMaximum": st.integers(1, 3),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(1, 3),
        "multipleOf": st.integers(1, 2),
        "pattern": st.sampled_from(["^a", "b$", "^[a-z]+$"]),
        "$ref": st.sampled_from([CODE, "#/components/schemas/Short"]),
    },
)
UNIONS = st.fixed_dictionaries(
    {}, optional={name: st.lists(PARTS, min_size=1, max_size=3) for name in ("anyOf", "oneOf")}
)


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    info = {"title": "Codes", "version": "1"}
    data = {"openapi": "3.1.0", "info": info, "components": {"schemas": COMPONENTS}}
    path.write_text(json.dumps(data), "utf-8")
    return load(path)


@given(parts=st.lists(PARTS, min_size=1, max_size=3), around=PARTS)
def test_the_joined_schema_takes_the_same_values(
    document: Document, parts: list[dict[str, Any]], around: dict[str, Any]
) -> None:
    schema = {**around, "allOf": parts}
    found = joined(document, schema)
    if found is None:
        return
    one, patterns = found
    whole = {"allOf": [one, *({"pattern": pattern} for pattern in patterns)]}
    assert not {"allOf", "$ref", "pattern"} & one.keys()
    for value in VALUES:
        assert is_valid(whole, value) == is_valid(schema, value)


@given(unions=st.lists(UNIONS, min_size=1, max_size=2), around=PARTS)
def test_the_distributed_schema_takes_the_same_values(
    document: Document, unions: list[dict[str, Any]], around: dict[str, Any]
) -> None:
    schema = {**around, "allOf": unions}
    found = distributed(document, schema)
    listed = alternatives(document, schema)
    for value in VALUES:
        if found is not None:
            assert jsonschema_rs.is_valid(found, value) == is_valid(schema, value)
        if listed is not None and "oneOf" not in str(unions):
            assert any(is_valid(one, value) for one in listed) == is_valid(schema, value)


def is_valid(schema: dict[str, Any], value: object) -> bool:
    return jsonschema_rs.is_valid({**schema, "components": {"schemas": COMPONENTS}}, value)


@pytest.mark.parametrize(
    ("schema", "one", "patterns"),
    [
        (
            {"allOf": [{"$ref": "#/components/schemas/Short"}, {"pattern": "^a", "minLength": 2}]},
            {"type": "string", "maxLength": 3, "minLength": 2, "description": "A code."},
            ("^[a-z]+$", "^a"),
        ),
        (
            {"allOf": [{"type": "number", "title": "A"}, {"type": ["integer", "null"]}]},
            {"type": "integer", "title": "A"},
            (),
        ),
        (
            {"type": "string", "description": "b", "allOf": [{"description": "a", "enum": ["x"]}]},
            {"type": "string", "enum": ["x"], "description": "b"},
            (),
        ),
        ({"type": "string", "allOf": [{"const": "x"}]}, {"type": "string", "const": "x"}, ()),
        ({"allOf": [{"type": "string"}, True]}, {"type": "string"}, ()),
        ({"allOf": [{"minLength": 1}, {"pattern": "a"}]}, {"minLength": 1}, ("a",)),
        ({"allOf": [{"enum": ["ab", "b", 1]}, {"maxLength": 1}]}, {"enum": ["b", 1]}, ()),
        ({"allOf": [{"enum": ["a", "b"]}, {"const": "a"}]}, {"const": "a"}, ()),
    ],
)
def test_parts_of_a_scalar_are_joined(
    document: Document, schema: dict[str, Any], one: dict[str, Any], patterns: tuple[str, ...]
) -> None:
    assert joined(document, schema) == (one, patterns)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "allOf": "x"},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"allOf": [{"type": "string"}, {"type": "object"}]},
        {"allOf": [{"type": "string"}, {"anyOf": [{"minLength": 1}]}]},
        {"allOf": [{"type": "string"}, {"pattern": 1}]},
        {"allOf": [{"type": "string", "minLength": 1}, {"minLength": "2"}]},
        {"allOf": [{"type": "string", "enum": ["a"]}, {"enum": "a"}]},
        {"allOf": [{"type": "string", "enum": ["a"]}, {"enum": ["b"]}]},
        {"allOf": [{"type": "boolean", "enum": [True]}, {"enum": [1]}]},
        {"allOf": [{"type": "string", "format": "date"}, {"format": "email"}]},
        {"allOf": [{"type": "string", "format": "decimal"}, {"pattern": "1"}]},
        {"allOf": [{"type": "string", "x-extensible-enum": ["a"]}, {"maxLength": 1}]},
        {"allOf": [{"$ref": "#/components/schemas/Circle"}]},
        {"allOf": [{"$ref": "https://example.com/a.json"}, {"type": "string"}]},
        {"allOf": [{"$ref": "#/components/schemas/Missing"}, {"type": "string"}]},
    ],
)
def test_parts_without_a_schema_of_their_own_stay(
    document: Document, schema: dict[str, Any]
) -> None:
    assert joined(document, schema) is None


OVERLAPPING = [{"type": "integer"}, {"minimum": 2}]


@pytest.mark.parametrize(
    ("schema", "whole"),
    [
        # What is written beside a union is true of the one alternative that is left.
        (
            {
                **{"type": "string", "description": "A name."},
                "anyOf": [{"type": "integer"}, {"maxLength": 3}],
            },
            {"type": "string", "description": "A name.", "maxLength": 3},
        ),
        ({"allOf": [{"const": "a"}, {"const": "b"}]}, False),
        # 3 fits both of the first union, and so neither the union nor the schema.
        (
            {
                "allOf": [
                    {"oneOf": OVERLAPPING},
                    {"oneOf": [{"type": "number"}, {"type": "string"}]},
                ]
            },
            None,
        ),
    ],
)
def test_a_union_has_what_is_beside_it(
    document: Document, schema: dict[str, Any], whole: object
) -> None:
    assert distributed(document, schema) == whole


@pytest.mark.parametrize(
    ("parts", "one"),
    [
        ([{"type": "number"}, {"type": "number", "minimum": 1}], {"type": "number", "minimum": 1}),
        (
            [{"type": "array", "items": False}, {"items": {"type": "integer"}}],
            {"type": "array", "items": False},
        ),
    ],
)
def test_the_joined_schema_is_written_plainly(
    document: Document, parts: list[dict[str, Any]], one: dict[str, Any]
) -> None:
    assert joined(document, {"allOf": parts}) == (one, ())
