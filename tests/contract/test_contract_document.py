"""The published document is complete: canonical, without loose ends, with valid examples."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.table import keyword
from tests.contract.published import BY_ID, CONTRACT, dereference, is_valid, operations


def examples(node: Any, at: Pointer = "") -> Iterator[tuple[Pointer, dict[str, Any], Any]]:
    """Every example beside a schema, and every default or example inside one."""
    if isinstance(node, list):
        for index, each in enumerate(node):
            yield from examples(each, at + join(index))
        return
    if not isinstance(node, dict):
        return
    schema = node.get("schema")
    if isinstance(schema, dict):
        if "example" in node:
            yield at + "/example", schema, node["example"]
        for name, example in node.get("examples", {}).items():
            yield at + join("examples", name), schema, example["value"]
    if at.startswith("/components/schemas/"):
        for index, example in enumerate(node.get("examples", [])):
            yield at + join("examples", index), node, example
        if "default" in node:
            yield at + "/default", node, node["default"]
    for key, each in node.items():
        if key not in ("example", "examples", "default"):
            yield from examples(each, at + join(key))


def schema_places(node: Any, at: Pointer = "") -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Every schema outside `components/schemas`."""
    if isinstance(node, list):
        for index, each in enumerate(node):
            yield from schema_places(each, at + join(index))
    elif isinstance(node, dict) and at != "/components/schemas":
        if isinstance(node.get("schema"), dict):
            yield at + "/schema", node["schema"]
        for key, each in node.items():
            if key not in ("value", "example"):
                yield from schema_places(each, at + join(key))


def declarations() -> Iterator[tuple[Pointer, Place, dict[str, Any]]]:
    """Every object that may carry a declaration of the vocabulary."""
    yield "", Place.DOCUMENT, CONTRACT
    for method, path, operation in operations():
        yield join("paths", path, method), Place.OPERATION, operation
    for event, item in CONTRACT["webhooks"].items():
        yield join("webhooks", event, "post"), Place.WEBHOOK, item["post"]
    for name, parameter in CONTRACT["components"]["parameters"].items():
        yield join("components", "parameters", name), Place.PARAMETER, parameter
    for name, schema in CONTRACT["components"]["schemas"].items():
        yield join("components", "schemas", name), Place.SCHEMA, schema
        for key, each in schema.get("properties", {}).items():
            yield join("components", "schemas", name, "properties", key), Place.PROPERTY, each


def test_the_document_is_openapi_3_1_1_in_canonical_form(root: Path) -> None:
    text = (root / "spec/openapi.json").read_text("utf-8")
    assert CONTRACT["openapi"] == "3.1.1"
    assert text == json.dumps(CONTRACT, indent=2, ensure_ascii=False) + "\n"
    for kind, components in CONTRACT["components"].items():
        assert list(components) == sorted(components), kind


def test_every_example_and_default_is_valid() -> None:
    found = list(examples(CONTRACT))
    assert len(found) > 100
    assert [at for at, schema, value in found if not is_valid(schema, value)] == []


def test_every_schema_is_a_named_component() -> None:
    inline = [at for at, schema in schema_places(CONTRACT) if list(schema) != ["$ref"]]
    assert inline == []
    for name, schema in CONTRACT["components"]["schemas"].items():
        for key, each in schema.get("properties", {}).items():
            assert each.get("type") != "object", f"{name}.{key} is an inline object"
            assert "properties" not in each.get("items", {}), f"{name}.{key} has inline items"


def test_every_schema_and_property_is_described() -> None:
    for name, schema in CONTRACT["components"]["schemas"].items():
        assert schema["description"], name
        for key, each in schema.get("properties", {}).items():
            assert each["description"], f"{name}.{key}"


def test_every_component_is_used_and_every_reference_resolves() -> None:
    used = set(re.findall(r'"#(/components/[^"]+)"', json.dumps(CONTRACT)))
    for pointer in used:
        resolve(CONTRACT, pointer)
    for kind in ("schemas", "responses", "parameters", "headers"):
        unused = [
            name
            for name in CONTRACT["components"][kind]
            if join("components", kind, name) not in used
        ]
        assert unused == [], kind


def test_every_link_leads_to_an_operation_and_its_parameters() -> None:
    found = 0
    for operation in BY_ID.values():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                found += 1
                target = BY_ID[link["operationId"]]
                names = {
                    dereference(parameter)["name"] for parameter in target.get("parameters", [])
                }
                assert link.get("parameters", {}).keys() <= names
    assert found > 20


def test_the_ids_in_path_examples_are_those_of_response_examples() -> None:
    shown = set(
        re.findall(
            r'"([a-z]{3}_[a-z0-9-]+|[0-9]{19})"',
            json.dumps([operation["responses"] for operation in BY_ID.values()]),
        )
    )
    for parameter in CONTRACT["components"]["parameters"].values():
        if parameter["in"] == "path":
            assert parameter["example"] in shown, parameter["name"]


def test_every_declaration_has_the_shape_of_the_vocabulary() -> None:
    found = 0
    for at, place, node in declarations():
        for name, value in node.items():
            if not name.startswith("x-"):
                continue
            found += 1
            known = keyword(name, place)
            assert known is not None, f"{at}: {name} does not stand there"
            assert jsonschema_rs.is_valid(known.schema(), value), f"{at}: {name}"
    assert found > 80
