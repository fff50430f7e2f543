"""3.0 documents keep their meaning when they are upgraded to 3.1."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema_rs.canonical.schema import clone

from specwright.cli import cli
from specwright.config import PackageOptions
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.pipeline import generate

from .documents import write

SCHEMAS = {
    "nullable type": (
        "{type: string, nullable: true}",
        {"type": ["string", "null"]},
    ),
    "nullable enum": (
        "{type: string, nullable: true, enum: [a]}",
        {"type": ["string", "null"], "enum": ["a", None]},
    ),
    "not nullable": ("{type: string, nullable: false}", {"type": "string"}),
    "nullable choice": (
        "{nullable: true, oneOf: [{type: string}]}",
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
    ),
    "nullable reference": (
        "{nullable: true, $ref: '#/components/schemas/B'}",
        {"anyOf": [{"$ref": "#/components/schemas/B"}, {"type": "null"}]},
    ),
    "nullable whole": (
        "{nullable: true, allOf: [{$ref: '#/components/schemas/B'}], description: D}",
        {
            "anyOf": [{"allOf": [{"$ref": "#/components/schemas/B"}]}, {"type": "null"}],
            "description": "D",
        },
    ),
    "exclusive": (
        "{type: number, minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false}",
        {"type": "number", "exclusiveMinimum": 1, "maximum": 2},
    ),
    "example": ("{type: string, example: a}", {"type": "string", "examples": ["a"]}),
    "bytes": (
        "{type: string, format: byte}",
        {"type": "string", "format": "byte", "contentEncoding": "base64"},
    ),
    "file": (
        "{type: string, format: binary}",
        {
            "type": "string",
            "format": "binary",
            "contentMediaType": "application/octet-stream",
        },
    ),
    "beside a reference": (
        "{$ref: '#/components/schemas/B', description: D, maxLength: 3, x-a: 1}",
        {"$ref": "#/components/schemas/B", "description": "D", "x-a": 1},
    ),
    "notes beside a reference": (
        "{$ref: '#/components/schemas/B', title: T, summary: S, deprecated: true, readOnly: true,"
        " writeOnly: false}",
        {
            "$ref": "#/components/schemas/B",
            "title": "T",
            "summary": "S",
            "deprecated": True,
            "readOnly": True,
            "writeOnly": False,
        },
    ),
    "inside an example": (
        "{type: object, default: {nullable: true, type: string}}",
        {"type": "object", "default": {"nullable": True, "type": "string"}},
    ),
    "names that are keywords": (
        "{type: object, properties: {nullable: {type: boolean}, example: {nullable: true}}}",
        {"type": "object", "properties": {"nullable": {"type": "boolean"}, "example": {}}},
    ),
}


def upgraded(directory: Path, part: str) -> Document:
    return upgrade(load(write(directory, f"openapi: 3.0.3\n{part}")))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_means_the_same(name: str, tmp_path: Path) -> None:
    old, new = SCHEMAS[name]
    document = upgraded(tmp_path, f"components: {{schemas: {{B: {{type: string}}, A: {old}}}}}")
    found: Any = document.data["components"]["schemas"]["A"]
    assert found == new
    assert document.version == "3.1.1"


def test_what_moved_is_found_where_it_was_written(tmp_path: Path) -> None:
    part = "components: {schemas: {A: {type: object, nullable: true, example: {a: {b: 1}}}}}"
    path = write(tmp_path, f"openapi: 3.0.3\n{part}")
    document = upgrade(load(path))
    lines = path.read_text("utf-8").splitlines()
    place = document.locate("/components/schemas/A/examples/0/a/b")
    assert lines[place.line - 1].strip() == '"b": 1'


def test_a_reference_into_a_part_keeps_its_target(tmp_path: Path) -> None:
    part = (
        "components: {schemas: {A: {nullable: true, allOf: [{type: string}]},"
        " B: {$ref: '#/components/schemas/A/allOf/0'}}}"
    )
    document = upgraded(tmp_path, part)
    assert document.resolve("#/components/schemas/A/allOf/0") == {"type": "string"}


def test_the_loaded_document_stays_as_it_was(tmp_path: Path) -> None:
    part = "openapi: 3.0.3\ncomponents: {schemas: {A: {type: string, nullable: true}}}"
    document = load(write(tmp_path, part))
    upgrade(document)
    assert document.data["components"]["schemas"]["A"] == {"type": "string", "nullable": True}


def test_newer_documents_come_back_as_they_are(tmp_path: Path) -> None:
    document = load(write(tmp_path, "{}"))
    assert upgrade(document) is document


def test_a_document_is_upgraded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cloned: list[Any] = []

    def counting(data: Any) -> Any:
        cloned.append(data)
        return clone(data)

    monkeypatch.setattr("specwright.document.sources.upgrade.clone", counting)
    path = write(tmp_path, "openapi: 3.0.3")
    generate(load(path), PackageOptions())
    assert len(cloned) == 1
    assert CliRunner().invoke(cli, ["validate", str(path)]).exit_code == 0
    assert len(cloned) == 2
