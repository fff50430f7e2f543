"""References by `$anchor`, `$id` and `$self`, which pointers replace when a document is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.document.sources.load import load
from tests.conftest import Run

SCHEMAS: dict[str, Any] = {
    "Thing": {"$anchor": "thing", "type": "string"},
    "Other": {
        "$id": "other.json",
        "type": "object",
        "properties": {
            "z": {"$anchor": "w", "type": "integer"},
            "near": {"$ref": "#w"},
            "pointer": {"$ref": "#/properties/z"},
            "far": {"$ref": "#/components/schemas/Thing"},
            "nested": {"$id": "deep/er.json", "$defs": {"a": {"$anchor": "a"}}, "$ref": "#a"},
        },
    },
    "Absolute": {"$id": "https://example.com/absolute", "type": "boolean"},
}
OTHER = "#/components/schemas/Other"


def document(**properties: Any) -> dict[str, Any]:
    return {
        "openapi": "3.2.0",
        "$self": "https://example.com/api.json",
        "info": {"title": "Things", "version": "1"},
        "paths": {},
        "components": {"schemas": {**SCHEMAS, "V": {"type": "object", "properties": properties}}},
    }


def write(directory: Path, **properties: Any) -> Path:
    path = directory / "api.json"
    path.write_text(json.dumps(document(**properties)), "utf-8")
    return path


@pytest.mark.parametrize(
    "ref, pointer",
    [
        ("#thing", "#/components/schemas/Thing"),
        ("other.json", OTHER),
        ("other.json#w", f"{OTHER}/properties/z"),
        ("other.json#/properties/z", f"{OTHER}/properties/z"),
        ("https://example.com/other.json#w", f"{OTHER}/properties/z"),
        ("https://example.com/absolute", "#/components/schemas/Absolute"),
        ("absolute", "#/components/schemas/Absolute"),
        ("deep/er.json#a", f"{OTHER}/properties/nested/%24defs/a"),
        ("https://example.com/api.json#/components/schemas/Thing", "#/components/schemas/Thing"),
        ("#/components/schemas/Thing", "#/components/schemas/Thing"),
    ],
)
def test_a_pointer_replaces_an_identifier(ref: str, pointer: str, tmp_path: Path) -> None:
    loaded: Any = load(write(tmp_path, v={"$ref": ref})).data["components"]
    assert loaded["schemas"]["V"]["properties"]["v"] == {"$ref": pointer}


def test_a_fragment_belongs_to_the_resource_around_it(tmp_path: Path) -> None:
    loaded: Any = load(write(tmp_path)).data["components"]
    properties = loaded["schemas"]["Other"]["properties"]
    refs = {name: schema.get("$ref") for name, schema in properties.items()}
    assert refs == {
        "z": None,
        "near": f"{OTHER}/properties/z",
        "pointer": f"{OTHER}/properties/z",
        "far": "#/components/schemas/Thing",
        "nested": f"{OTHER}/properties/nested/%24defs/a",
    }


def test_every_check_runs_on_a_document_with_identifiers(specwright: Run, tmp_path: Path) -> None:
    path = write(tmp_path, a={"$ref": "#thing"}, b={"$ref": "absolute"}, c={"$ref": "other.json#w"})
    result = specwright("validate", str(path), "--format", "json")
    assert "check-incomplete" not in result.stdout
