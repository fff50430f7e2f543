"""Dynamic references mean what they mean to a validator, and are plain ones to everything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from specwright.check.checks import check
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.policy import Settings

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
ITEM = {"$dynamicRef": "#item"}
PAGE: dict[str, Any] = {
    "$id": "page",
    "type": "object",
    "properties": {"items": {"type": "array", "items": ITEM}, "next": TEXT},
    "$defs": {"anything": {"$dynamicAnchor": "item"}},
}
TREE: dict[str, Any] = {
    "$id": "tree",
    "$dynamicAnchor": "node",
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
}
NAMED: dict[str, Any] = {
    "$id": "named",
    "$dynamicAnchor": "node",
    "$ref": "tree",
    "required": ["name"],
}


def page_of(item: Any, **beside: Any) -> dict[str, Any]:
    """A page of items, as a schema that refers to the one for all pages."""
    return {"$ref": "page", **beside, "$defs": {"item": {"$dynamicAnchor": "item", **item}}}


def read(directory: Path, schemas: dict[str, Any], **members: Any) -> Document:
    path = directory / "openapi.json"
    info = {"title": "Generic", "version": "1.0.0"}
    data = {"openapi": "3.1.1", "info": info, "components": {"schemas": schemas}, **members}
    path.write_text(json.dumps(data, indent=1), "utf-8")
    return upgrade(load(path))


def accepts(document: Document, name: str, value: Any) -> bool:
    registry = jsonschema_rs.Registry([("urn:d", document.data)], draft=jsonschema_rs.Draft202012)
    schema = {"$ref": f"urn:d#/components/schemas/{name}"}
    validator = jsonschema_rs.Draft202012Validator(schema, registry=registry, offline=True)
    return validator.is_valid(value)


def of_suite(corpus: Path, name: str) -> Any:
    path = corpus / "JSON-Schema-Test-Suite" / name
    if not path.is_file():
        pytest.skip(f"no {path}: clone json-schema-org/JSON-Schema-Test-Suite there")
    return json.loads(path.read_text("utf-8"))


REMOTE = ("tree.json", "extendible-dynamic-ref.json", "detached-dynamicref.json")


@pytest.mark.parametrize("keyword", ["dynamicRef", "unevaluatedItems", "unevaluatedProperties"])
def test_the_suite_of_json_schema_agrees(corpus: Path, keyword: str, tmp_path: Path) -> None:
    """Its groups are read as components of a document; remote schemas stand beside them."""
    for group in of_suite(corpus, f"tests/draft2020-12/{keyword}.json"):
        schema = {"$id": "https://example.com/root", **group["schema"]}
        schemas = {"Root": schema}
        for name in REMOTE:
            if name in json.dumps(schema):
                schemas[name] = of_suite(corpus, f"remotes/draft2020-12/{name}")
        document = read(tmp_path, schemas)
        assert '"$dynamicRef"' not in json.dumps(document.data)
        judged = [accepts(document, "Root", test["data"]) for test in group["tests"]]
        assert judged == [test["valid"] for test in group["tests"]], group["description"]


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_page_has_the_items_of_the_schema_that_refers_to_it(
    tmp_path: Path, has_ids: bool
) -> None:
    schemas = {"Page": PAGE, "Texts": {"$id": "texts", **page_of(TEXT)}, "Numbers": page_of(NUMBER)}
    schemas["Both"] = {
        "$id": "both",
        "properties": {"a": {"$ref": "texts"}, "b": {"$id": "c", **page_of({"$ref": "named"})}},
    }
    schemas |= {"Tree": TREE, "Named": NAMED}
    if not has_ids:
        written = json.dumps(schemas)
        for name in ("Page", "Texts", "Named", "Tree"):
            id = name.lower()
            written = written.replace(f'"$ref": "{id}"', f'"$ref": "#/components/schemas/{name}"')
            written = written.replace(f'"$id": "{id}", ', "")
        schemas = json.loads(written)
    document = read(tmp_path, schemas)
    for value in ("a", 1, {}):
        assert accepts(document, "Page", {"items": [value]})
        assert accepts(document, "Texts", {"items": [value]}) is (value == "a")
        assert accepts(document, "Numbers", {"items": [value]}) is (value == 1)
        assert accepts(document, "Both", {"a": {"items": [value]}}) is (value == "a")
    assert not accepts(document, "Both", {"b": {"items": [{"children": [{}], "name": "a"}]}})
    assert accepts(document, "Both", {"b": {"items": [{"children": [{"name": "b"}], "name": "a"}]}})
    assert accepts(document, "Tree", {"children": [{"children": [{}]}]})
    assert not accepts(document, "Named", {"name": "a", "children": [{}]})
    assert accepts(document, "Named", {"name": "a", "children": [{"name": "b", "children": []}]})
    # What is beside a reference applies, too.
    assert not accepts(document, "Named", {"children": []})


def test_a_copy_has_the_lines_of_its_original(tmp_path: Path) -> None:
    wrong = {**PAGE, "properties": {**PAGE["properties"], "next": {**TEXT, "default": 3}}}
    document = read(tmp_path, {"Page": wrong, "Texts": page_of(TEXT), "Numbers": page_of(NUMBER)})
    defaults = document.locate("/components/schemas/Texts/properties/next/default")
    assert document.line(defaults) == '      "default": 3'
    # The schema that refers to it keeps its own.
    assert document.line(document.locate("/components/schemas/Texts")) == '   "Texts": {'
    found = [f for f in check(document, Settings()).findings if f.rule == "default-valid"]
    assert [(f.location, f.pointer) for f in found] == [
        (defaults, "/components/schemas/Page/properties/next/default")
    ]


def test_a_page_is_used_by_what_refers_to_it(tmp_path: Path) -> None:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Texts"}}}
    answer = {"responses": {"200": {"description": "Texts.", "content": content}}}
    paths = {"/texts": {"get": {"operationId": "texts", **answer}}}
    document = read(tmp_path, {"Page": PAGE, "Texts": page_of(TEXT)}, paths=paths)
    rules = {finding.rule for finding in check(document, Settings()).findings}
    assert not rules & {"component-unused", "unsupported-schema"}


def test_a_reference_to_an_anchor_or_a_pointer_is_a_plain_one(tmp_path: Path) -> None:
    anchored = {"$id": "a", "$anchor": "t", "type": "string"}
    schemas = {
        "A": anchored,
        "B": {"$id": "b", "$dynamicRef": "a#t"},
        "C": {"$id": "c", "$defs": {"d": NUMBER}, "$dynamicRef": "#/$defs/d", "$ref": "#/$defs/d"},
    }
    document = read(tmp_path, schemas)
    assert [accepts(document, name, 1) for name in "BC"] == [False, True]
    assert [accepts(document, name, "a") for name in "BC"] == [True, False]


@pytest.mark.parametrize(
    "schema",
    [
        {"$dynamicAnchor": "a", "$dynamicRef": "#a"},
        {"$id": "a", "$defs": {"a": {"$dynamicAnchor": "a", "$dynamicRef": "#a"}}, "$ref": "#a"},
        {
            "$id": "b",
            "properties": {"x": {"$dynamicRef": "#a"}},
            "$defs": {
                "a": {"$dynamicAnchor": "a", "$ref": "#/$defs/b"},
                "b": {"$dynamicAnchor": "b", "$ref": "#/$defs/a"},
            },
        },
    ],
)
def test_a_circle_ends_in_an_error_or_stays(tmp_path: Path, schema: dict[str, Any]) -> None:
    try:
        document = read(tmp_path, {"A": schema})
    except InputError as error:
        assert "is circular" in error.message
        assert error.location.line > 1
    else:
        assert "$dynamicRef" in json.dumps(document.data)


def test_a_reference_without_a_target_is_said_with_its_place(tmp_path: Path) -> None:
    document = read(tmp_path, {"A": {"properties": {"x": {"$dynamicRef": "#nothing"}}}})
    [found] = [f for f in check(document, Settings()).findings if f.rule == "unsupported-schema"]
    assert found.message == "models do not check '$dynamicRef'"
    assert document.line(found.location) == '      "$dynamicRef": "#nothing"'


def test_copies_of_copies_have_a_limit(tmp_path: Path) -> None:
    """Each schema refers to the next one twice, for two meanings of its items."""
    schemas: dict[str, Any] = {
        f"S{n}": {
            "$id": f"s{n}",
            "properties": {
                side: {
                    "$id": f"{side}{n}",
                    "$ref": f"s{n + 1}",
                    "$defs": {side: {"$dynamicAnchor": f"{side}{n}", **TEXT}},
                }
                for side in ("a", "b")
            },
        }
        for n in range(24)
    }
    schemas["S24"] = {
        "$id": "s24",
        "properties": {
            f"{side}{n}": {"$dynamicRef": f"#{side}{n}"} for n in range(24) for side in ("a", "b")
        },
    }
    document = read(tmp_path, schemas)
    assert len(json.dumps(document.data)) < 50_000_000
