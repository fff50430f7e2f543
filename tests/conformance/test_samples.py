"""Values for schemas without examples: the usual ones, unless a limit requires another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.samples import sample
from specwright.document.model import Document
from specwright.document.schemas.instances import Instances
from specwright.document.sources.load import load
from specwright.samples.non_validating import CONTENT

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def things(tmp_path: Path, **members: object) -> Document:
    """A document with these members."""
    path = tmp_path / "things.json"
    path.write_text(
        json.dumps({"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, **members}),
        "utf-8",
    )
    return load(path)


def sampled(tmp_path: Path, schema: object) -> tuple[Any, bool]:
    """A sample, and whether the schema accepts it."""
    loaded = things(tmp_path, components={"schemas": {"Thing": schema}})
    value = sample(loaded, schema)
    problems = Instances(loaded, CONTENT).problems("/components/schemas/Thing", value)
    return value, not list(problems)


@pytest.mark.parametrize(
    "schema",
    [
        {**TEXT, "pattern": "^[A-Z]{3}$"},
        {**TEXT, "pattern": "^ord_[0-9]{4}$", "minLength": 8, "maxLength": 8},
        {**TEXT, "format": "uuid"},
        {**TEXT, "format": "date-time", "minLength": 3},
        {**TEXT, "format": "byte"},
        {**TEXT, "contentEncoding": "base64"},
        {**TEXT, "contentEncoding": "base64", "minLength": 12},
        {**TEXT, "contentEncoding": "base64", "contentMediaType": "image/png"},
        {**TEXT, "contentEncoding": "base64url", "minLength": 12},
        {**TEXT, "contentMediaType": "application/json"},
        {
            **TEXT,
            "contentMediaType": "application/json",
            "contentSchema": {"type": "object", "required": ["a"], "properties": {"a": NUMBER}},
        },
        *(
            {**TEXT, "contentMediaType": "application/json", "contentSchema": schema}
            for schema in ({"type": "object"}, {"const": 0}, {"const": False}, {"type": "null"})
        ),
        {**NUMBER, "exclusiveMaximum": 1},
        {**NUMBER, "minimum": 0.25, "maximum": 0.75},
        {"type": "object", "required": ["id"], "properties": {"id": {**TEXT, "pattern": "^x$"}}},
    ],
)
def test_a_sample_keeps_to_the_limits_of_its_schema(tmp_path: Path, schema: object) -> None:
    value, fits = sampled(tmp_path, schema)
    assert fits, value


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT, "text"),
        ({**TEXT, "minLength": 6}, "textxx"),
        ({**TEXT, "maxLength": 2}, "te"),
        ({**TEXT, "pattern": "^t"}, "text"),
        ({**TEXT, "pattern": "("}, "text"),
        ({**TEXT, "contentMediaType": "application/json"}, '"text"'),
        ({**TEXT, "contentEncoding": "base64"}, "dGV4dA=="),
        ({**NUMBER, "minimum": 5}, 5),
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, 10),
        # What the document gives itself comes first.
        *[({**TEXT, keyword: "given"}, "given") for keyword in ("const", "example", "default")],
        *[({**TEXT, keyword: ["given", "other"]}, "given") for keyword in ("examples", "enum")],
        # An alternative that says nothing of its own type.
        (
            {
                **{"type": "object", "required": ["id"], "properties": {"id": TEXT}},
                "anyOf": [{"required": ["id"]}],
            },
            {"id": "text"},
        ),
    ],
)
def test_a_usual_value_stays_where_it_fits_or_nothing_does(
    tmp_path: Path, schema: object, expected: object
) -> None:
    assert sampled(tmp_path, schema)[0] == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minimum": 0.0}, "0"),
        ({"exclusiveMinimum": 0.0, "maximum": 10.0}, "1"),
        ({"default": 3.0}, "3"),
        ({"enum": [4.0, 5.0]}, "4"),
        ({"minimum": 7.0, "multipleOf": 5.0}, "10"),
    ],
)
def test_an_integer_is_written_as_one_however_its_limits_are_written(
    tmp_path: Path, schema: dict[str, Any], expected: str
) -> None:
    assert json.dumps(sampled(tmp_path, {"type": "integer", **schema})[0]) == expected


def test_of_a_value_that_may_be_null_the_other_type_is_shown(tmp_path: Path) -> None:
    assert sampled(tmp_path, {"type": ["null", "integer"], "minimum": 4})[0] == 4


def test_a_whole_sample_has_optional_members_but_those_of_the_server(tmp_path: Path) -> None:
    node = {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {**TEXT, "readOnly": True},
            "made": {**TEXT, "readOnly": True},
            "title": {"anyOf": [TEXT, {"type": "null"}], "default": None},
            "next": {"$ref": "#/components/schemas/Thing"},
            "last": {"$ref": "#/components/schemas/Thing"},
        },
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "components": {"schemas": {"Thing": node}},
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document), "utf-8")
    loaded = load(path)
    assert sample(loaded, node) == {"id": "text"}
    whole = sample(loaded, node, is_whole=True)
    assert isinstance(whole, dict)
    assert {**whole, "next": None, "last": None} == {
        **{"id": "text", "title": "text", "next": None, "last": None}
    }
    # A schema that contains itself twice doubles with every level.
    assert len(json.dumps(whole)) < 5_000


def test_values_that_differ_fit_their_schema(tmp_path: Path) -> None:
    schema = {"type": "integer", "minimum": 8}
    content = {"application/json": {"schema": schema}}
    post = {"operationId": "add", "requestBody": {"content": content}, "responses": {}}
    document = things(tmp_path, paths={"/things": {"post": post}})
    place = "/paths/~1things/post/requestBody/content/application~1json/schema"
    values = list(Contract(document).distinct_values(place))
    assert values
    assert all(isinstance(value, int) and value >= 8 for value in values)


A = {"type": "object", "properties": {"a": {"const": 1}, "b": TEXT}, "required": ["a"]}


@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize(
    "schema",
    [
        {**A, "if": {"required": ["a"]}, "then": {"required": ["c"]}},
        {**A, "dependentRequired": {"a": ["c"]}},
        {**A, "not": {"required": ["b"]}},
        {**A, "properties": {"a": {"type": "array", "uniqueItems": True, "minItems": 2}}},
        {"type": "object", "propertyNames": {"pattern": "^x_"}, "minProperties": 1},
        {"oneOf": [A, {**A, "required": ["a", "b"]}]},
        {"allOf": [{"required": ["b"], "properties": {"b": {"maxLength": 2}}}, A]},
        {**A, "required": ["a", "id"], "properties": {"a": TEXT, "id": {"readOnly": True}}}
        | {"dependentRequired": {"a": ["c"]}},
    ],
)
def test_a_body_is_valid_as_a_whole(tmp_path: Path, schema: Any, is_whole: bool) -> None:
    content = {"application/json": {"schema": schema}}
    operation = {
        "requestBody": {"content": content},
        "responses": {"204": {"description": "Done."}},
    }
    contract = Contract(things(tmp_path, paths={"/things": {"post": operation}}))
    (declared,) = contract.operations.values()
    value = contract.sampled_body(declared, is_whole=is_whole)
    pointer = contract.body_schema(declared)
    assert pointer is not None
    assert [*contract.strict_requests.problems(pointer, value)] == []
    assert isinstance(value, dict)
    assert "id" not in value
