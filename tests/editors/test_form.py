"""The schemas for editors have the form that SchemaStore takes: draft 7, strict as for Ajv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from specwright.commands.schema import SCHEMAS, render
from tests.conftest import ROOT, Run

EACH = pytest.mark.parametrize("name", SCHEMAS)
KNOWN = {
    *("$schema", "$id", "$ref", "title", "description", "type", "const", "enum", "format"),
    *("pattern", "minLength", "minimum", "maximum", "minItems", "uniqueItems", "minProperties"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames", "required"),
    *("items", "allOf", "anyOf", "oneOf", "if", "then", "else", "definitions"),
    *("examples", "default"),
    # Those of editors, which SchemaStore lets pass.
    *("enumDescriptions", "defaultSnippets", "x-taplo"),
}
TYPES = {
    "object": {"properties", "patternProperties", "additionalProperties", "propertyNames"},
    "array": {"items", "minItems", "uniqueItems"},
    "string": {"pattern", "minLength", "format"},
    "integer": {"minimum", "maximum"},
}


def parts(schema: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every schema in a schema, with those above it that are about the same value."""
    if isinstance(schema, bool):
        return
    yield schema, above
    same = (*above, schema)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(keyword, ()):
            yield from parts(inner, same)
    for keyword in ("if", "then", "else"):
        yield from parts(schema.get(keyword, True), same)
    for keyword in ("properties", "patternProperties", "definitions"):
        for inner in schema.get(keyword, {}).values():
            yield from parts(inner)
    for keyword in ("items", "additionalProperties"):
        yield from parts(schema.get(keyword, True))
    # Names are texts.
    yield from parts(schema.get("propertyNames", True), ({"type": "string"},))


@EACH
def test_a_schema_is_one_of_draft_7(name: str) -> None:
    schema: Any = SCHEMAS[name]()
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["$id"].startswith("https://www.schemastore.org/")
    assert schema["title"] and schema["description"]
    jsonschema_rs.meta.validate(schema)


@EACH
def test_a_schema_is_strict(name: str) -> None:
    schema: Any = SCHEMAS[name]()
    for part, above in parts(schema):
        assert part.keys() <= KNOWN, part.keys() - KNOWN
        if "$ref" in part:
            # Draft 7 ignores what is beside it.
            assert part.keys() == {"$ref"}
            assert part["$ref"].removeprefix("#/definitions/") in schema["definitions"]
        kinds = {each.get("type") for each in (part, *above) if isinstance(each.get("type"), str)}
        types = part.get("type", [])
        if isinstance(types, list):
            assert not types or (len(types) == 2 and "null" in types)
            kinds |= {*types}
        for kind, keywords in TYPES.items():
            assert kind in kinds or not part.keys() & keywords, part
        assert {*part.get("required", ())} <= {*part.get("properties", ())}
        patterns = "|".join(part.get("patternProperties", ["(?!)"]))
        for key in part.get("properties", ()):
            assert not re.search(patterns, key)


@EACH
def test_every_definition_is_used(name: str) -> None:
    schema: Any = SCHEMAS[name]()
    used = {part["$ref"] for part, _ in parts(schema) if "$ref" in part}
    assert used == {f"#/definitions/{each}" for each in schema["definitions"]}


@EACH
def test_the_command_writes_a_schema(specwright: Run, name: str) -> None:
    done = specwright("schema", name)
    assert (done.returncode, done.stdout) == (0, render(name))
    page = ROOT / "docs" / "reference" / f"{name}.schema.json"
    assert page.read_text("utf-8") == done.stdout


def test_an_unknown_schema_is_refused(specwright: Run) -> None:
    done = specwright("schema", "setting")
    assert done.returncode == 2
    assert "'setting' is not one of 'settings', 'pyproject', 'extensions'" in done.stderr
