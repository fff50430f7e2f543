"""What stands in a part of a schema counts as what stands in the schema itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref

NULLABLE: Json = {"type": ["string", "null"]}
SCHEMAS: Json = {
    "Page": {
        "allOf": [
            {"type": "object", "properties": {"next": NULLABLE}},
            {"type": "object", "properties": {"anything": {}}},
        ]
    },
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
    }
    return document(paths, components={"schemas": SCHEMAS})


@pytest.mark.parametrize("value", [{"next": None}, {"anything": None}, {"next": "a"}, {}])
def test_null_in_a_part_is_not_absent(package: Generate, value: Any) -> None:
    codec = codecs(package(api()))["Page"]
    read = codec.read(json.dumps(value).encode())
    assert json.loads(codec.encode(read)) == value
    assert json.loads(codec.encode(value)) == value


def test_alternatives_that_models_cannot_tell_apart_do_not_exclude_each_other(
    package: Generate,
) -> None:
    value = "3f1c2b7e-8a54-4d5e-9c1b-2a6f0e7d9b10"
    assert json.loads(codecs(package(api()))["NameOrId"].encode(value)) == value
