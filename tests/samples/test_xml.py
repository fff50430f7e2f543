"""Values of schemas as XML (OAS 3.1.1, 4.8.26; OAS 3.2.0, 4.24), read by another parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from specwright.document.operations.sites import Site, is_xml
from specwright.document.sources.load import load
from specwright.samples.xml import as_xml, root_of

STRING = {"type": "string"}
LIST = {"type": "array", "items": STRING}


def written(directory: Path, schema: Any, value: Any, **others: Any) -> str:
    """The XML for a value of the component `Schema`, without the declaration."""
    document = {
        "openapi": "3.2.0",
        "info": {"title": "XML", "version": "1"},
        "paths": {},
        "components": {
            "schemas": {"Schema": schema, **others},
            "mediaTypes": {"xml": {"schema": {"$ref": "#/components/schemas/Schema"}}},
        },
    }
    path = directory / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    loaded = load(path)
    content = Site(
        "/components/mediaTypes/xml", {"schema": {"$ref": "#/components/schemas/Schema"}}
    )
    text = as_xml(root_of(loaded, content), value)
    ElementTree.fromstring(text)
    declaration, _, root = text.partition("\n")
    assert declaration == '<?xml version="1.0" encoding="UTF-8"?>'
    return root


def of(name: str, schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}}


# Schema, value, XML: the examples of the specification first.
FORMS: list[tuple[Any, Any, str]] = [
    (of("a", STRING), {"a": "x"}, "<Schema><a>x</a></Schema>"),
    ({**STRING, "xml": {"name": "animal"}}, "x", "<animal>x</animal>"),
    (of("a", LIST), {"a": ["x", "y"]}, "<Schema><a>x</a><a>y</a></Schema>"),
    (
        of("animals", {**LIST, "items": {**STRING, "xml": {"name": "animal"}}}),
        {"animals": ["x", "y"]},
        "<Schema><animal>x</animal><animal>y</animal></Schema>",
    ),
    (
        of("animals", {**LIST, "xml": {"name": "aliens"}}),
        {"animals": ["x"]},
        "<Schema><animals>x</animals></Schema>",
    ),
    (
        of("animals", {**LIST, "xml": {"wrapped": True}}),
        {"animals": ["x"]},
        "<Schema><animals><animals>x</animals></animals></Schema>",
    ),
    (
        of(
            "animals",
            {
                "type": "array",
                "items": {**STRING, "xml": {"name": "animal"}},
                "xml": {"name": "aliens", "wrapped": True},
            },
        ),
        {"animals": ["x", "y"]},
        "<Schema><aliens><animal>x</animal><animal>y</animal></aliens></Schema>",
    ),
    (
        of("animals", {**LIST, "xml": {"name": "aliens", "wrapped": True}}),
        {"animals": ["x"]},
        "<Schema><aliens><aliens>x</aliens></aliens></Schema>",
    ),
    (
        {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "xml": {"attribute": True}},
                "name": {
                    **STRING,
                    "xml": {"namespace": "https://example.com/schema", "prefix": "sample"},
                },
            },
        },
        {"name": "x", "id": 1},
        '<Schema id="1"><sample:name xmlns:sample="https://example.com/schema">x</sample:name>'
        "</Schema>",
    ),
    (
        of("id", {**STRING, "xml": {"attribute": True, "namespace": "urn:a", "prefix": "p"}}),
        {"id": 'a"<b>'},
        '<Schema xmlns:p="urn:a" p:id="a&quot;&lt;b&gt;"/>',
    ),
    (
        {**of("a", STRING), "xml": {"namespace": "urn:a"}},
        {"a": ""},
        '<Schema xmlns="urn:a"><a/></Schema>',
    ),
    # The older spellings as kinds of nodes, and those that have none.
    (of("a", {**STRING, "xml": {"nodeType": "attribute"}}), {"a": "x"}, '<Schema a="x"/>'),
    (of("a", {**STRING, "xml": {"nodeType": "text"}}), {"a": "x"}, "<Schema>x</Schema>"),
    (
        of("a", {**STRING, "xml": {"nodeType": "cdata"}}),
        {"a": "<b>]]>"},
        "<Schema><![CDATA[<b>]]]]><![CDATA[>]]></Schema>",
    ),
    (
        of("a", {**LIST, "xml": {"nodeType": "element"}}),
        {"a": ["x"]},
        "<Schema><a><a>x</a></a></Schema>",
    ),
    (
        of("a", {**of("b", STRING), "xml": {"nodeType": "none"}}),
        {"a": {"b": "x"}},
        "<Schema><b>x</b></Schema>",
    ),
    # What the specification leaves open: roots, null, names and texts that XML lacks.
    (LIST, ["x", "y"], "<Schema><Schema>x</Schema><Schema>y</Schema></Schema>"),
    (
        of("a", {"type": ["string", "null"]}),
        {"a": None},
        '<Schema><a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'
        "</Schema>",
    ),
    (
        of("a", {"type": ["string", "null"], "xml": {"attribute": True}}),
        {"a": None},
        "<Schema/>",
    ),
    ({"type": "object"}, {"1 a:b": "x\0"}, "<Schema><_1_a_b>x\ufffd</_1_a_b></Schema>"),
    (of("a", {"type": "boolean"}), {"a": True}, "<Schema><a>true</a></Schema>"),
    (STRING, "a<&>", "<Schema>a&lt;&amp;&gt;</Schema>"),
]


@pytest.mark.parametrize(("schema", "value", "expected"), FORMS)
def test_values_are_written_with_the_names_of_their_schemas(
    tmp_path: Path, schema: Any, value: Any, expected: str
) -> None:
    assert written(tmp_path, schema, value) == expected


def test_names_come_from_references_and_bases(tmp_path: Path) -> None:
    reference = {"$ref": "#/components/schemas/Animal"}
    animal = {**of("name", STRING), "xml": {"name": "beast"}}
    for schema, value, expected in (
        (reference, {"name": "x"}, "<beast><name>x</name></beast>"),
        ({"allOf": [reference]}, {"name": "x"}, "<beast><name>x</name></beast>"),
        (
            of("a", reference),
            {"a": {"name": "x"}},
            "<Schema><beast><name>x</name></beast></Schema>",
        ),
        (
            {"type": "array", "items": reference, "xml": {"name": "beasts"}},
            [{"name": "x"}],
            "<beasts><beast><name>x</name></beast></beasts>",
        ),
    ):
        assert written(tmp_path, schema, value, Animal=animal) == expected


def test_a_schema_without_a_name_is_data(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi": "3.2.0", "info": {"title": "A", "version": "1"}, "paths": {}}')
    content = Site("/info", {"schema": {"type": "integer"}})
    assert as_xml(root_of(load(path), content), 1).endswith("<data>1</data>")


def test_media_types_of_xml() -> None:
    assert is_xml("application/xml")
    assert is_xml("text/XML; charset=utf-8")
    assert is_xml("application/problem+xml")
    assert not is_xml("application/json")
