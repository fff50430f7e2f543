"""Properties that a schema has from several parts of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import adds_properties, undeclared
from specwright.document.sources.load import load

SCHEMA = "/components/schemas/V"


def read(directory: Path, schema: dict[str, Any]) -> tuple[Document, Subschema]:
    path = directory / "api.json"
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "components": {"schemas": {"V": schema}},
    }
    path.write_text(json.dumps(document), "utf-8")
    return load(path), Subschema(SCHEMA, schema)


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"properties": {"a": {}}, "required": ["a", "b", "b"]}, ["b"]),
        ({"properties": {"a": {}}, "required": ["b"], "additionalProperties": False}, []),
        ({"required": ["b"]}, []),
        ({"allOf": [{"properties": {"b": {}}}], "required": ["b", "c"]}, ["c"]),
    ],
    ids=["open", "closed", "any value", "inherited"],
)
def test_a_required_property_may_be_undeclared(
    tmp_path: Path, schema: dict[str, Any], names: list[str]
) -> None:
    assert undeclared(*read(tmp_path, schema)) == names


@pytest.mark.parametrize(("name", "adds"), [("b", True), ("a", False)])
def test_an_object_adds_the_properties_that_are_not_inherited(
    tmp_path: Path, name: str, adds: bool
) -> None:
    own = {"type": "object", "properties": {name: {}}}
    document, base = read(tmp_path, {"type": "object", "properties": {"a": {}}})
    assert adds_properties(document, [base], Subschema("/own", own)) is adds
