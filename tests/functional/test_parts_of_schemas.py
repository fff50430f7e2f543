"""Keywords in a part of a schema count like those in the schema itself."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.serving import Server

NULLABLE: Json = {"type": ["string", "null"]}
SCHEMAS: Json = {
    "Page": {
        "allOf": [
            {"type": "object", "properties": {"next": NULLABLE}},
            {"type": "object", "properties": {"anything": {}}},
        ]
    },
    "OneOrMore": {
        "items": {"type": "string"},
        "maxItems": 2,
        "oneOf": [{"type": "array"}, {"type": "string"}],
    },
    # Seconds since 1970: the format applies to texts only.
    "Event": {"type": "object", "properties": {"at": {"type": "integer", "format": "date-time"}}},
    "Key": {"type": "string", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    "Old": {"type": "object", "properties": {"from": {"type": "string", "format": "ipv4"}}},
    "New": {"type": "object", "properties": {"from": {"type": "string", "format": "ipv6"}}},
    "Range": {"oneOf": [{"title": "old", "allOf": [ref("Old")]}, ref("New")]},
    "Cat": {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"const": "cat"}},
    },
    "Bare": {"type": "object", "properties": {"size": {"type": "integer"}}},
    "Pet": {"oneOf": [ref("Cat"), ref("Bare")], "discriminator": {"propertyName": "kind"}},
    # Look-around is left out of models: the name would be any text.
    "Name": {"type": "string", "pattern": "^(?![0-9])[a-z0-9]+$"},
    "NameOrId": {
        "oneOf": [{"type": "string", "format": "uuid"}, {"title": "name", "allOf": [ref("Name")]}]
    },
}


def api() -> Json:
    body = {"required": True, **content(ref("Page"))}
    paths = {
        "/pages": {"put": operation(ref("Page"), operationId="put", requestBody=body)},
        "/names": {"get": operation(ref("NameOrId"), operationId="get")},
        **{
            f"/{name}": {"get": operation(ref(name), operationId=name)}
            for name in ("Event", "Key", "Pet", "Range")
        },
        "/more": {"get": operation(ref("OneOrMore"), operationId="more")},
    }
    return document(paths, components={"schemas": SCHEMAS})


@pytest.mark.parametrize("value", [{"next": None}, {"anything": None}, {"next": "a"}, {}])
def test_null_in_a_part_is_not_absent(package: Generate, value: Any) -> None:
    codec = codecs(package(api()))["Page"]
    read = codec.read(json.dumps(value).encode())
    assert json.loads(codec.encode(read)) == value
    assert json.loads(codec.encode(value)) == value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("NameOrId", "3f1c2b7e-8a54-4d5e-9c1b-2a6f0e7d9b10"),
        ("Range", {"from": "192.0.2.1"}),
        ("Event", {"at": 1677253093}),
        ("Key", "a"),
        ("Pet", {"kind": "cat"}),
    ],
)
def test_what_models_cannot_check_is_no_reason_to_refuse(
    package: Generate, schema: str, value: Any
) -> None:
    codec = codecs(package(api()))[schema]
    assert json.loads(codec.encode(value)) == value
    assert json.loads(codec.encode(codec.read(json.dumps(value).encode()))) == value


@pytest.mark.parametrize("value", ["a", ["a"], ["a", "b"]])
def test_what_stands_beside_alternatives_of_arrays_is_about_arrays(
    package: Generate, value: Any
) -> None:
    codec = codecs(package(api()))["OneOrMore"]
    assert json.loads(codec.encode(value)) == value
    for wrong in ([1], ["a", "b", "c"], 1):
        with pytest.raises(ValidationError):
            codec.encode(wrong)


# Schemas whose type another keyword or part says, a value, and its text in a path.
UNTYPED: dict[str, tuple[Json, Any, str]] = {
    "object": ({"properties": {"size": {"type": "integer"}}}, {"size": 1}, "size,1"),
    "map": ({"additionalProperties": {"type": "integer"}}, {"a": 1}, "a,1"),
    "array": ({"items": {"type": "integer"}}, [1, 2], "1,2"),
    "part": ({"allOf": [{"minimum": 1}, {"type": "integer"}]}, 3, "3"),
    "const": ({"const": 4}, 4, "4"),
}


@pytest.mark.parametrize("name", UNTYPED)
def test_a_parameter_has_the_type_that_its_keywords_are_about(package: Generate, name: str) -> None:
    schema, value, text = UNTYPED[name]
    parameter = {"name": "it", "in": "path", "required": True, "schema": schema}
    item = {"get": operation({"type": "string"}, operationId="send", parameters=[parameter])}
    made = package(document({"/" + name + "/{it}": item}))
    received: list[Any] = []

    class Things(made.server.UnimplementedThings):  # type: ignore[name-defined, misc]
        async def send(self, *, it: Any, context: Any) -> str:
            received.append(it)
            return "ok"

    with Server(made.server.create_app(things=Things())) as server:
        with made.Client(base_url=server.url) as client:
            assert client.things.send(it=value) == "ok"
        assert httpx2.get(f"{server.url}/{name}/{text}").json() == "ok"
    sent, read = (json.loads(json.dumps(it, default=lambda it: it.model_dump())) for it in received)
    assert sent == read == value
