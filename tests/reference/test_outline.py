"""The pages are those that the generated models give, though no models are generated for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specwright import pipeline
from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.models import generate
from tests.conftest import ROOT
from tests.derived import trees
from tests.functional.test_corpus import NAMES

# Their models take a second each.
_QUICK = ("cafe.yaml", "ollama.yaml", "sendgrid-mail.json", "train-travel.yaml")
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_BASE = {"$ref": "#/components/schemas/Base"}
# The required properties of a body, which are arguments in the example of its call.
_BODIES: dict[str, Any] = {
    "case": {"properties": dict.fromkeys(["petId", "PetID", "pet-id", "pet.id", "_id", "@id"])},
    "words": {"properties": dict.fromkeys(["class", "json", "copy", "model_config", "9", "é"])},
    "an empty name": {"properties": dict.fromkeys(["", "a"])},
    "types": {
        "properties": {
            "list": {"anyOf": [_TEXTS, {"type": "null"}]},
            "List": _TEXT,
            "bytes": {"type": "string", "format": "binary"},
            "date": {"type": "string", "format": "date"},
            "base": _BASE,
        }
    },
    "same names": {"properties": {"list": _TEXT, "bytes": {"type": "integer"}}},
    "inherited": {"allOf": [_BASE, {"properties": {"extra": _TEXT}, "required": ["maybeSet"]}]},
    "undeclared": {"allOf": [_BASE], "required": ["other"]},
    "undeclared alone": {"properties": {"a": _TEXT}, "required": ["a", "other"]},
    "an alternative": {"properties": {"a": _TEXT}, "oneOf": [{"required": ["a"]}]},
    "a part with alternatives": {"allOf": [_BASE, {"oneOf": [_BASE, {"properties": {"b": {}}}]}]},
    "a reference": _BASE,
    "brackets": {"properties": dict.fromkeys(["ids[]", "userIds[]", "a[b]", "[]", "n[][]"])},
    "words in brackets": {"properties": dict.fromkeys(["list[]", "json[]", "class[]", "9[]"])},
    "types in brackets": {
        "properties": {"list[]": _TEXTS, "bytes[]": {"type": "string", "format": "binary"}}
    },
    "brackets and none": {"properties": dict.fromkeys(["tags[]", "tags"])},
    "brackets elsewhere": {"properties": dict.fromkeys(["tags[]", "labels[]"])},
    "brackets of an heir": {"allOf": [_BASE, {"properties": {"maybe_set[]": _TEXT}}]},
    "open": {"properties": {"a": _TEXT}, "additionalProperties": _TEXT},
    "a text": {"type": "string", "properties": {"a": _TEXT}},
    "decimals": {"properties": {"price": {"type": "string", "format": "decimal"}}},
}


def document() -> dict[str, Any]:
    bodies = {
        name: {"type": "object", "required": [*schema.get("properties", ())], **schema}
        if "$ref" not in schema
        else schema
        for name, schema in _BODIES.items()
    }
    for schema in bodies.values():
        members = schema.get("properties", {})
        members |= {name: value or _TEXT for name, value in members.items()}
    base = {"type": "object", "properties": {"maybeSet": _TEXT}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Names", "version": "1.0.0"},
        "paths": {
            f"/{number}": {
                "post": {
                    "operationId": f"send {name}",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": schema}},
                    },
                    "responses": {"204": {"description": "Done."}},
                }
            }
            for number, (name, schema) in enumerate(bodies.items())
        },
        "components": {"schemas": {"Base": base}},
    }


def pages(path: Path) -> Mapping[str, bytes]:
    return pipeline.reference(load_in_part(path), PackageOptions())


def assert_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = pages(path)
    monkeypatch.setattr(pipeline, "outline", lambda normal: generate(normal).index)
    assert made == pages(path)


def test_arguments_have_the_names_of_the_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document()), "utf-8")
    text = pages(path)["index.html"].decode()
    # Both ways of a call are there.
    assert all(call in text for call in ("pet_id=", "json_=", "list_=", "body=..."))
    assert_same(path, monkeypatch)


@pytest.mark.parametrize("case", trees.CASES, ids=lambda case: case.name)
def test_pages_of_golden_documents(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [path] = [file for file in case.iterdir() if file.stem == "input"]
    assert_same(path, monkeypatch)


def test_pages_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(ROOT / "spec" / "openapi.json", monkeypatch)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in _QUICK else [pytest.mark.exhaustive])
        for name in NAMES
    ],
)
def test_pages_of_published_documents(
    corpus: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(corpus / "specs" / name, monkeypatch)
