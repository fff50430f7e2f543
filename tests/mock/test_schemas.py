"""Values of the mock for schemas: directions, tags, examples, defaults and integers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mock.serving import MockedDocument, mocked, success

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT for one process")

STRING = {"type": "string"}
SECRET = {"type": "string", "writeOnly": True}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def kind(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": STRING, **properties}, "required": ["kind"]}


def told_apart(keyword: str, *names: str, **mapping: str) -> dict[str, Any]:
    discriminator = {"propertyName": "kind", **({"mapping": mapping} if mapping else {})}
    return {keyword: [ref(name) for name in names], "discriminator": discriminator}


def heir(base: str, **properties: Any) -> dict[str, Any]:
    own = {"type": "object", "properties": properties, "required": [*properties]}
    return {"allOf": [ref(base), own]}


def base(**mapping: str) -> dict[str, Any]:
    discriminator = {"propertyName": "kind", **({"mapping": mapping} if mapping else {})}
    return {**kind(), "discriminator": discriminator}


def member(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


HOLDER = member({"type": "array", "items": member(SECRET)})
COMPONENTS: dict[str, Any] = {
    "Account": {
        "type": "object",
        "properties": {"id": {"const": 1}, "password": SECRET},
        "required": ["id", "password"],
    },
    "Secret": SECRET,
    "Cat": kind(lives={"const": 9}),
    "Dog": kind(barks={"const": True}),
    "Animal": base(),
    "Bird": heir("Animal", wings={"const": 2}),
    "Vehicle": base(lorry="Truck"),
    "Truck": heir("Vehicle", axles={"const": 4}),
    "Big": heir("Truck", height={"const": 5}),
    "Shown": {**member(STRING), "example": {"a": "shown"}},
}
ACCOUNT = {"id": 1}
# Name: a schema, with an example if it has one, and the body.
VALUES: dict[str, tuple[dict[str, Any], Any]] = {
    # Required and only written.
    "reference": ({"schema": ref("Account")}, ACCOUNT),
    "inline": ({"schema": COMPONENTS["Account"]}, ACCOUNT),
    "all-of": ({"schema": {"allOf": [ref("Account"), {"required": ["password"]}]}}, ACCOUNT),
    "items": ({"schema": {"type": "array", "items": ref("Account"), "minItems": 1}}, [ACCOUNT]),
    "nested": ({"schema": member(ref("Account"))}, {"a": ACCOUNT}),
    "by-reference": (
        {
            "schema": {
                "type": "object",
                "properties": {"a": ref("Secret"), "b": {"const": 2}},
                "required": ["a", "b"],
            }
        },
        {"b": 2},
    ),
    "example": ({"schema": ref("Account"), "example": {"id": 1, "password": "x"}}, ACCOUNT),
    "example-of-base": (
        {
            "schema": {"allOf": [ref("Account"), {"properties": {"password": STRING}}]},
            "example": {"id": 1, "password": "x"},
        },
        ACCOUNT,
    ),
    "examples": (
        {
            "schema": {"type": "array", "items": ref("Account")},
            "examples": {"a": {"value": [{"id": 1, "password": "x"}]}},
        },
        [ACCOUNT],
    ),
    "hidden-in-hidden": (
        {
            "schema": {
                "type": "object",
                "properties": {"a": {"const": 1}, "b": {**HOLDER, "writeOnly": True}},
                "required": ["a", "b"],
            }
        },
        {"a": 1},
    ),
    # Nothing unevaluated is not nothing.
    "closed-union": (
        {
            "schema": member(
                {
                    "oneOf": [member({"const": 7}), {"required": ["b"]}],
                    "unevaluatedProperties": False,
                }
            )
        },
        {"a": {"a": 7}},
    ),
    # Tags: of a mapping, of the names, and of schemas that inherit.
    "mapped": (
        {"schema": told_apart("oneOf", "Cat", "Dog", tom="Cat", rex="#/components/schemas/Dog")},
        {"kind": "tom", "lives": 9},
    ),
    "named": ({"schema": told_apart("anyOf", "Cat", "Dog")}, {"kind": "Cat", "lives": 9}),
    "listed": (
        {"schema": {"type": "array", "items": told_apart("oneOf", "Dog"), "minItems": 1}},
        [{"kind": "Dog", "barks": True}],
    ),
    "inherited": ({"schema": ref("Animal")}, {"kind": "Bird", "wings": 2}),
    "described": (
        {"schema": {**ref("Animal"), "description": "It."}},
        {"kind": "Bird", "wings": 2},
    ),
    "heir": ({"schema": ref("Bird")}, {"kind": "Bird", "wings": 2}),
    "heir-mapped": ({"schema": ref("Truck")}, {"kind": "lorry", "axles": 4}),
    "heir-of-heir": ({"schema": ref("Big")}, {"kind": "Big", "axles": 4, "height": 5}),
    # What the document shows.
    "of-component": ({"schema": ref("Shown")}, {"a": "shown"}),
    "of-member": ({"schema": member({"type": "integer", "example": 42})}, {"a": 42}),
    "of-enum": ({"schema": member({"enum": ["a", "b"], "example": "b"})}, {"a": "b"}),
    "object": (
        {"schema": member({"type": "object", "example": {"b": [1]}})},
        {"a": {"b": [1]}},
    ),
    "null": ({"schema": member({"type": ["string", "null"], "example": None})}, {"a": None}),
    "default": ({"schema": member({**STRING, "default": "usual"})}, {"a": "usual"}),
    "default-after-example": (
        {"schema": member({**STRING, "default": "usual", "example": "shown"})},
        {"a": "shown"},
    ),
    "wrong-default": ({"schema": member({"type": "integer", "default": "x"})}, {"a": 1}),
    # Lists have items, also where they are required.
    "list": ({"schema": member({"type": "array", "items": {"const": 5}})}, {"a": [5]}),
}
# Name: a schema with numbers that are written as floats, and the text of the body.
INTEGERS: dict[str, tuple[dict[str, Any], str]] = {
    "maximum": ({"schema": {"type": "integer", "maximum": 30000.0, "minimum": 30000.0}}, "30000"),
    "between": ({"schema": {"type": "integer", "minimum": 0.5, "maximum": 1.5}}, "1"),
    "shown": ({"schema": member({"type": "integer"}), "example": {"a": 5.0}}, '{"a": 5}'),
    "const": ({"schema": {"type": "integer", "enum": [7.0]}}, "7"),
    "items": ({"schema": {"items": {"type": "integer"}}, "example": [1.0, 2.5]}, "[1]"),
    "number": ({"schema": {"type": "number"}, "example": 5.0}, "5.0"),
}


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockedDocument]:
    paths = {
        **{f"/{name}": {"get": success(content)} for name, (content, _) in VALUES.items()},
        **{f"/i/{name}": {"get": success(content)} for name, (content, _) in INTEGERS.items()},
    }
    document = {"paths": paths, "components": {"schemas": COMPONENTS}}
    with mocked(tmp_path_factory.mktemp("schemas"), document) as served:
        yield served


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_responses(mock: MockedDocument, name: str) -> None:
    response = mock.request(f"/{name}")
    assert response.status_code == 200, response.json()
    assert response.json() == VALUES[name][1]


def test_a_named_example_is_one_of_responses(mock: MockedDocument) -> None:
    response = mock.request("/examples", headers={"Prefer": "example=a"})
    assert response.json() == [ACCOUNT]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_written_as_integers(mock: MockedDocument, name: str) -> None:
    assert mock.request(f"/i/{name}").text == INTEGERS[name][1]
