"""References to places that OpenAPI does not know, such as `#/x-definitions/Name`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import UnresolvedError
from specwright.findings import Finding
from specwright.policy import Settings
from tests.conftest import Run

KIND: dict[str, Any] = {"type": "string", "enum": ["a", "b"]}


def write(directory: Path, ref: str, version: str = "3.1.0", **fields: Any) -> Path:
    path = directory / "api.json"
    content = {"application/json": {"schema": {"$ref": ref}}}
    responses = {"200": {"description": "D", "content": content}}
    document = {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "responses": responses}}},
        "components": {"schemas": {"Kind": KIND}},
        **fields,
    }
    path.write_text(json.dumps(document, indent=1), "utf-8")
    return path


def findings(path: Path) -> list[Finding]:
    return check(upgrade(load(path)), Settings()).findings


def test_the_value_there_is_a_component(tmp_path: Path) -> None:
    path = write(tmp_path, "#/x-own/Name", **{"x-own": {"Name": {"type": "string"}}})
    assert load(path).data["components"]["schemas"]["Name"] == {"type": "string"}


def test_all_versions_are_upgraded_there(tmp_path: Path) -> None:
    own = {"Name": {"type": "string", "nullable": True}}
    document = upgrade(load(write(tmp_path, "#/x-own/Name", "3.0.3", **{"x-own": own})))
    assert document.data["components"]["schemas"]["Name"] == {"type": ["string", "null"]}


def test_references_there_are_followed(tmp_path: Path) -> None:
    own = {"Names": {"type": "array", "items": {"$ref": "#/x-own/Name"}}, "Name": {}}
    schemas = load(write(tmp_path, "#/x-own/Names", **{"x-own": own})).data["components"]["schemas"]
    assert schemas["Names"]["items"] == {"$ref": "#/components/schemas/Name"}


def test_a_mistake_there_is_found_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "#/x-own/Name", **{"x-own": {"Name": {"type": 5}}})
    line = path.read_text().splitlines().index('   "type": 5') + 1
    found = findings(path)
    assert [(finding.rule, finding.location.line) for finding in found] == [
        ("openapi-schema", line)
    ]


@pytest.mark.parametrize("target", ["/components/schemas/Kind/enum", "/info/title", "/x-own/0"])
def test_a_value_that_is_not_an_object_costs_its_operation(
    tmp_path: Path, specwright: Run, target: str
) -> None:
    path = write(tmp_path, f"#{target}", **{"x-own": ["a"]})
    with pytest.raises(UnresolvedError, match="refers to a value that is not an object"):
        load(path)
    result = specwright("generate", "--document", str(path), "--output", str(tmp_path / "out"))
    assert result.returncode == 0
    assert "refers to a value that is not an object: refer to an object" in result.stderr


def test_a_component_that_is_not_an_object_is_one_mistake(tmp_path: Path) -> None:
    components = {"schemas": {"Kind": ["a"]}}
    found = findings(write(tmp_path, "#/components/schemas/Kind", components=components))
    assert [finding.rule for finding in found] == ["openapi-schema"]


def test_a_boolean_schema_stays_at_its_place(tmp_path: Path) -> None:
    ref = "#/components/schemas/Kind/properties/any"
    components = {"schemas": {"Kind": {"properties": {"any": True}}}}
    document = load(write(tmp_path, ref, components=components))
    assert list(document.data["components"]["schemas"]) == ["Kind"]


def test_a_pointer_below_an_identifier_begins_there(tmp_path: Path) -> None:
    own = {"Name": {"type": "string"}}
    inner = {"$id": "kind.json", "x-own": own, "properties": {"a": {"$ref": "#/x-own/Name"}}}
    ref, components = "#/components/schemas/Kind", {"schemas": {"Kind": inner}}
    path = write(tmp_path, ref, components=components, **{"x-own": {"Name": {"type": "integer"}}})
    schemas = load(path).data["components"]["schemas"]
    assert schemas["Kind"]["properties"]["a"] == {"$ref": "#/components/schemas/Kind/x-own/Name"}
