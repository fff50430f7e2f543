"""Schemas that allow null, and the schema of an alternative that is added later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.document.model import Document
from specwright.document.schemas.inspection import allows_null
from specwright.document.schemas.unions import unknown_member
from specwright.document.sources.load import load
from specwright.models.dialect import translate
from tests.functional.documents import Json, document, ref

TEXT: Json = {"type": "string"}
NULL: Json = {"type": "null"}


def loaded(tmp_path: Path, schemas: Json) -> Document:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({}, schemas)))
    return load(path)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT, False),
        ({"type": ["string", "null"]}, True),
        (NULL, True),
        ({}, True),
        (True, True),
        (False, False),
        ({"const": None}, True),
        ({"const": 1}, False),
        ({"enum": ["a", None]}, True),
        ({"enum": ["a"]}, False),
        ({"anyOf": [TEXT, NULL]}, True),
        ({"anyOf": [TEXT, {"type": "integer"}]}, False),
        ({"oneOf": [TEXT, TEXT]}, False),
        ({"allOf": [{}, TEXT]}, False),
        ({"allOf": [{}, NULL]}, True),
        (ref("Text"), False),
        (ref("Circle"), True),
    ],
)
def test_null_is_a_value_where_the_structure_allows_it(
    tmp_path: Path, schema: Any, expected: bool
) -> None:
    found = loaded(tmp_path, {"Text": TEXT, "Circle": {"anyOf": [ref("Circle"), TEXT]}})
    assert allows_null(found, schema) is expected


def member(tag: str, **properties: Any) -> Json:
    own = {"kind": {"const": tag}, "id": {**TEXT, "description": tag}, **properties}
    return {"type": "object", "required": [*own], "properties": own}


def test_a_later_alternative_has_what_all_share(tmp_path: Path) -> None:
    some = member("a", data={"type": "object"}, size={"type": "integer"}, own=TEXT)
    other = member("b", data={"type": "object", "properties": {}}, size=TEXT)
    union = {"oneOf": [ref("Some"), ref("Other")], "discriminator": {"propertyName": "kind"}}
    made = unknown_member(loaded(tmp_path, {"Some": some, "Other": other}), union)
    assert made is not None
    assert made["required"] == ["id", "kind"]
    assert made["properties"] == {
        "kind": TEXT,
        "id": {**TEXT, "description": "a"},
        "data": {"type": ["object", "null"]},
        "size": {},
    }


def test_a_property_that_is_required_has_no_default(tmp_path: Path) -> None:
    properties = {name: {**TEXT, "default": "x"} for name in ("must", "may")}
    thing = {"type": "object", "required": ["must"], "properties": properties}
    translated = translate(loaded(tmp_path, {"Thing": thing})).schemas["Thing"]["properties"]
    assert ("default" in translated["must"], "default" in translated["may"]) == (False, True)
