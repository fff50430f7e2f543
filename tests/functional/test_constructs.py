"""Every construct of OpenAPI 3.0 to 3.2 is in generated code, is reported, or is for readers.

The lists are compared with the table of objects and fields: a field in no list fails.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from specwright.check.checks import check
from specwright.document.shape import METHODS, OBJECTS
from specwright.document.sources.load import load
from specwright.policy import Settings
from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, document, operation, ref

# Fields that describe, or that only join the others.
FOR_READERS = {
    "*": "$ref summary description externalDocs deprecated examples example $comment title",
    "document": "openapi $self info jsonSchemaDialect paths components tags",
    "info": "*",
    "contact": "*",
    "license": "*",
    "externalDocs": "*",
    "example": "*",
    "link": "*",
    "tag": "*",
    "oauthFlow": "*",
    "components": "*",
    "server": "url name",
    "serverVariable": "*",
    "operation": "tags responses",
    "requestBody": "content",
    "response": "links",
    "responses": "default *",
    "paths": "*",
    "callback": "*",
    "securityRequirement": "*",
    "securityScheme": "bearerFormat openIdConnectUrl oauth2MetadataUrl name",
    "schema": "$schema $id $anchor $dynamicAnchor $vocabulary $defs definitions default "
    "contentEncoding contentMediaType",
    "discriminator": "*",
}
ITEM = "paths: {/things: {%s}}"
OPERATION = ITEM % 'get: {%s, responses: {"204": {description: None.}}}'
PARAMETER = OPERATION % "parameters: [{name: a, %s}]"
BODY = OPERATION.replace("get", "post") % "requestBody: {content: {%s}}"
FORM = "multipart/form-data"
MODULES = ("_operations.py", "_xml.py", "async_client.py", "server.py", "webhooks.py")
# What the parts of a form follow.
ENCODING = {"contentType", "style", "explode"}
ANSWER = ITEM % 'get: {responses: {"%s": {description: Some., content: {%s}}}}'
SCHEME = "components: {securitySchemes: {key: {%s}}}"


@dataclass(frozen=True)
class Reported:
    """A part of a document that generated code does not follow, and the rule that says so."""

    field: str
    rule: str
    part: str


REPORTED = [
    Reported("securityScheme.scheme", "security-scheme", SCHEME % "type: http, scheme: negotiate"),
    Reported("parameter.content", "parameter", PARAMETER % "in: query, content: {text/csv: {}}"),
    Reported("parameter.in", "parameter", PARAMETER % "in: querystring, content: {text/plain: {}}"),
    Reported("requestBody.content", "body", BODY % "multipart/mixed: {}"),
    *(
        Reported(f"mediaType.{field}", "body", BODY % f"{FORM}: {{{field}: {value}}}")
        for field, value in (
            ("prefixEncoding", "[{contentType: text/plain}]"),
            ("itemEncoding", "{contentType: text/plain}"),
        )
    ),
    *(
        Reported(
            f"encoding.{field}",
            "body",
            BODY % f"multipart/form-data: {{encoding: {{a: {{{field}: {{}}}}}}}}",
        )
        for field in sorted(OBJECTS["encoding"].keys() - ENCODING)
    ),
    Reported("response.content", "answer", ANSWER % ("200", "multipart/mixed: {}")),
    Reported("response.content", "answer", ANSWER % ("103", "text/html: {}")),
    Reported(
        "schema.x-extensible-enum",
        "open-union",
        "components: {schemas: {A: {anyOf: [{type: object}], x-extensible-enum: [a], "
        "discriminator: {propertyName: kind}}}}",
    ),
    Reported(
        "document.webhooks",
        "body",
        "webhooks: {done: {post: {requestBody: {content: {text/plain: {}}}}}}",
    ),
]


def whole(part: str) -> Json:
    return {
        "openapi": "3.2.0",
        "info": {"title": "Constructs", "version": "1"},
        "paths": {},
        **yaml.safe_load(part),
    }


@pytest.mark.parametrize("construct", REPORTED, ids=lambda each: f"{each.field}: {each.part[-60:]}")
def test_a_construct_without_code_is_reported(construct: Reported, tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(whole(construct.part)))
    rules = {finding.rule for finding in check(load(path), Settings()).findings}
    assert f"unsupported-{construct.rule}" in rules


OBJECT = {"type": "object"}
LIST: Json = {"type": "array"}
UNIQUE = {"uniqueItems": True}
TEXTS = {**LIST, "items": {"type": "string"}}
PAIR = {
    **LIST,
    "prefixItems": [{"type": "string"}, {"type": "integer"}],
    "minItems": 2,
    "maxItems": 2,
}
A_AND_B = {**OBJECT, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
# For each keyword a schema, and a value that it refuses.
KEYWORDS: dict[str, tuple[Any, Any]] = {
    "$ref": ({"$ref": "#/components/schemas/Text", "minLength": 3}, "a"),
    "$dynamicRef": ({"$dynamicRef": "#text"}, 1),
    "type": ({"type": "string"}, 1),
    "type of several": ({"type": ["string", "integer"]}, True),
    "nullable": ({"type": "string"}, None),
    "format": ({"type": "string", "format": "date-time"}, "yesterday"),
    "const": ({"const": "a"}, "b"),
    "const of an object": ({"const": {"a": 1}}, {"a": 2}),
    "enum": ({"type": "string", "enum": ["a"]}, "b"),
    "enum of a number": ({"enum": [1.5]}, 2.5),
    "multipleOf": ({"type": "integer", "multipleOf": 3}, 4),
    "maximum": ({"type": "integer", "maximum": 3}, 4),
    "maximum without a type": ({"maximum": 3}, 4),
    "exclusiveMaximum": ({"type": "integer", "exclusiveMaximum": 3}, 3),
    "minimum": ({"type": "number", "minimum": 3}, 2),
    "exclusiveMinimum": ({"type": "number", "exclusiveMinimum": 3}, 3),
    "maxLength": ({"type": "string", "maxLength": 1}, "aa"),
    "minLength": ({"type": "string", "minLength": 2}, "a"),
    "minLength beyond any machine word": ({"type": "string", "minLength": 10**30}, "a"),
    "minItems beyond any machine word": ({**TEXTS, "minItems": 10**30}, ["a"]),
    "minLength without a type": ({"minLength": 2}, "a"),
    "pattern": ({"type": "string", "pattern": "^a$"}, "b"),
    "maxItems": ({**TEXTS, "maxItems": 1}, ["a", "b"]),
    "minItems": ({**TEXTS, "minItems": 1}, []),
    "uniqueItems": ({**TEXTS, "uniqueItems": True}, ["a", "a"]),
    "uniqueItems without a type": ({"uniqueItems": True}, ["a", "a"]),
    "uniqueItems of numbers": ({**LIST, "items": {"type": "number"}, **UNIQUE}, [1, 1.0]),
    "uniqueItems of objects": ({**LIST, **UNIQUE}, [{"a": 1, "b": []}, {"b": [], "a": 1}]),
    "uniqueItems of lists or null": ({"type": ["array", "null"], **UNIQUE}, [[], []]),
    "uniqueItems of items": ({**LIST, "items": {**LIST, **UNIQUE}}, [[1, 1]]),
    "uniqueItems of an alternative": ({"anyOf": [{**LIST, **UNIQUE}, {"type": "null"}]}, [1, 1]),
    "uniqueItems and minItems": ({**LIST, **UNIQUE, "minItems": 2}, [1]),
    "prefixItems": ({"type": "array", "prefixItems": [{"type": "string"}]}, [1]),
    "prefixItems of a pair": (PAIR, [1, "a"]),
    "prefixItems of a pair, too few": (PAIR, ["a"]),
    "prefixItems of a pair, too many": (PAIR, ["a", 1, 1]),
    "prefixItems of at most two": ({**PAIR, "minItems": 1}, [1]),
    "prefixItems of a pair or null": ({**PAIR, "type": ["array", "null"]}, ["a", "b"]),
    "prefixItems of equal items": ({**PAIR, "prefixItems": [{}, {}], **UNIQUE}, [1, 1]),
    "prefixItems of a pair in a circle": (ref("Circle"), ["a", ["b", 1]]),
    "prefixItems and more": ({**PAIR, "maxItems": 3, "items": {"type": "string"}}, ["a", 1, 1]),
    "items": (TEXTS, [1]),
    "additionalItems": ({"type": "array", "additionalItems": {"type": "string"}}, [1]),
    "contains": ({"type": "array", "contains": {"type": "string"}}, [1]),
    "minContains": ({"type": "array", "contains": {"type": "string"}, "minContains": 2}, ["a"]),
    "maxContains": ({"type": "array", "contains": {"type": "string"}, "maxContains": 1}, ["", ""]),
    "unevaluatedItems": ({"type": "array", "unevaluatedItems": False}, [1]),
    "maxProperties": ({**OBJECT, "additionalProperties": {}, "maxProperties": 1}, {"a": 1, "b": 1}),
    "maxProperties of a class": ({**A_AND_B, "maxProperties": 1}, {"a": "", "b": ""}),
    "minProperties": ({**OBJECT, "additionalProperties": {}, "minProperties": 1}, {}),
    "minProperties without a type": ({"minProperties": 1}, {}),
    "minProperties of anything": ({**OBJECT, "minProperties": 1}, {}),
    "minProperties of a component": (ref("Free"), {}),
    "minProperties of properties": (
        {"properties": {"a": {"type": "string"}}, "minProperties": 1},
        {},
    ),
    "minProperties of items": ({**LIST, "items": {**OBJECT, "minProperties": 1}}, [{}]),
    "minProperties of an alternative": (
        {"anyOf": [{**OBJECT, "minProperties": 1}, {"type": "string"}]},
        {},
    ),
    "minProperties beside alternatives": (
        {**A_AND_B, "minProperties": 1, "anyOf": [{}, {"required": ["a"]}]},
        {},
    ),
    "minProperties of a class": ({**A_AND_B, "minProperties": 1}, {}),
    "minProperties of a class or a text": (
        {**A_AND_B, "minProperties": 1, "type": ["object", "string"]},
        {},
    ),
    "minProperties of a part": ({"allOf": [A_AND_B, {"minProperties": 1}]}, {}),
    "minProperties of a base": (
        {"allOf": [ref("Some"), {**OBJECT, "properties": {"c": {"type": "string"}}}]},
        {},
    ),
    "minProperties of the second base": ({"allOf": [ref("Named"), ref("Some")]}, {}),
    "the higher minProperties of two parts": (
        {"allOf": [{**A_AND_B, "minProperties": 2}, {"minProperties": 1}]},
        {"a": ""},
    ),
    "maxProperties of the second base": (
        {"allOf": [ref("Named"), ref("Few")]},
        {"a": "", "b": "", "name": ""},
    ),
    "properties": (A_AND_B, {"a": 1}),
    "patternProperties": ({**OBJECT, "patternProperties": {"^a": {"type": "string"}}}, {"a": 1}),
    "required": ({**A_AND_B, "required": ["a"]}, {}),
    "dependentRequired": ({**A_AND_B, "dependentRequired": {"a": ["b"]}}, {"a": ""}),
    "dependentSchemas": ({**A_AND_B, "dependentSchemas": {"a": {"required": ["b"]}}}, {"a": ""}),
    "additionalProperties": ({**A_AND_B, "additionalProperties": False}, {"c": 1}),
    "propertyNames": ({**OBJECT, "propertyNames": {"pattern": "^a"}}, {"b": 1}),
    "propertyNames of a class": ({**A_AND_B, "propertyNames": {"pattern": "^a"}}, {"b": ""}),
    "unevaluatedProperties": ({**A_AND_B, "unevaluatedProperties": False}, {"c": 1}),
    "allOf": (
        {"allOf": [{**A_AND_B, "required": ["a"]}, {**OBJECT, "required": ["b"]}]},
        {"b": ""},
    ),
    "oneOf": ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, True),
    "anyOf": ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, True),
    "not": ({"type": "string", "not": {"const": "a"}}, "a"),
    "if": ({**A_AND_B, "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": ""}),
    "then": ({**A_AND_B, "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": ""}),
    "else": ({**A_AND_B, "if": {"required": ["a"]}, "else": {"required": ["b"]}}, {}),
    "contentSchema": (
        {"type": "string", "contentMediaType": "application/json", "contentSchema": OBJECT},
        "1",
    ),
    "discriminator": (
        {
            "oneOf": [ref("Cat"), ref("Dog")],
            "discriminator": {"propertyName": "kind"},
        },
        {"kind": "cow"},
    ),
}


@pytest.fixture(scope="session")
def keywords(package: Generate, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, set[str]]:
    """Models with a property for each keyword, and the places that are reported."""
    made = document(
        schemas={
            "Text": {"type": "string", "$dynamicAnchor": "text"},
            "Some": {**A_AND_B, "minProperties": 1},
            "Few": {**A_AND_B, "maxProperties": 2},
            "Named": {**OBJECT, "properties": {"name": {"type": "string"}}},
            "Free": {**OBJECT, "minProperties": 1},
            "Circle": {
                **PAIR,
                "prefixItems": [{"type": "string"}, {"anyOf": [ref("Circle"), {"type": "null"}]}],
            },
            "Cat": {**OBJECT, "properties": {"kind": {"const": "cat"}}, "required": ["kind"]},
            "Dog": {**OBJECT, "properties": {"kind": {"const": "dog"}}, "required": ["kind"]},
            "Thing": {
                **OBJECT,
                "properties": {f"k{n}": each[0] for n, each in enumerate(KEYWORDS.values())},
            },
        }
    )
    path = tmp_path_factory.mktemp("keywords") / "openapi.json"
    path.write_text(json.dumps(made))
    report = check(load(path), Settings())
    reported = {
        finding.pointer for finding in report.findings if finding.rule == "unsupported-schema"
    }
    return codecs(package(made))["Thing"], reported


@pytest.mark.parametrize("name", KEYWORDS)
def test_a_keyword_of_json_schema_is_checked_or_reported(
    name: str, keywords: tuple[Any, set[str]]
) -> None:
    codec, reported = keywords
    field = f"k{list(KEYWORDS).index(name)}"
    place = f"/components/schemas/Thing/properties/{field}/"
    is_reported = any(pointer.startswith(place) for pointer in reported)
    try:
        codec.decode(json.dumps({field: KEYWORDS[name][1]}).encode())
        is_checked = False
    except ValidationError:
        is_checked = True
    assert is_checked is not is_reported


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({**LIST, **UNIQUE}, [1, True, "1", 0, False, [1], [True], {"a": 1}, {"a": True}, None]),
        ({**LIST, **UNIQUE, "minItems": 2}, [1, 2]),
        (
            {**LIST, **UNIQUE, "items": {"type": "string", "format": "date-time"}},
            ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"],
        ),
        (
            {**LIST, **UNIQUE, "items": {"type": "string", "format": "decimal"}},
            ["1.0", "1.00"],
        ),
        ({**LIST, "uniqueItems": False}, [1, 1]),
        ({**A_AND_B, "minProperties": 1}, {"a": ""}),
        ({**A_AND_B, "minProperties": 1}, {"z": 1}),
        # Members that are not declared count.
        ({**A_AND_B, "minProperties": 2}, {"a": "", "z": 1}),
        ({**A_AND_B, "maxProperties": 1}, {"z": 1}),
        ({"allOf": [{**A_AND_B, "minProperties": 1}, {"maxProperties": 2}]}, {"a": "", "b": ""}),
    ],
)
def test_a_value_within_limits_is_sent(package: Generate, schema: Json, value: object) -> None:
    wrapped = {**OBJECT, "properties": {"thing": schema}}
    codec = codecs(package(document(schemas={"Thing": wrapped})))["Thing"]
    codec.decode(json.dumps({"thing": value}).encode())


SECURITY_SCHEMES: Json = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "query": {"type": "apiKey", "name": "k", "in": "query"},
    "oauth": {
        "type": "oauth2",
        "flows": {
            flow: {"scopes": {}, **{name: f"https://a.test/{name}" for name in names.split()}}
            for flow, names in {
                "implicit": "authorizationUrl",
                "password": "tokenUrl",
                "clientCredentials": "tokenUrl",
                "authorizationCode": "authorizationUrl tokenUrl",
                "deviceAuthorization": "deviceAuthorizationUrl tokenUrl",
            }.items()
        },
    },
}


@pytest.fixture(scope="session")
def generated(package: Generate) -> Any:
    """A package of a document that says everything that has code."""
    item: Json = {
        method: operation(operationId=f"{method}Thing", tags=["things"]) for method in METHODS
    }
    item["additionalOperations"] = {"COPY": operation(operationId="copyThing")}
    item["parameters"] = [
        {"name": "Id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "q", "in": "query", "style": "deepObject", "explode": True, "schema": A_AND_B},
        {
            "name": "empty",
            "in": "query",
            "allowEmptyValue": True,
            "allowReserved": True,
            "schema": {"type": "string"},
        },
        {"name": "X-A", "in": "header", "deprecated": True, "schema": {"type": "string"}},
    ]
    item["trace"]["responses"] = {
        "200": {
            "description": "Them.",
            "content": {"application/jsonl": {"itemSchema": {"type": "integer"}}},
        }
    }
    item["post"]["requestBody"] = {
        "content": {
            FORM: {
                "schema": {**OBJECT, "properties": {"a": OBJECT, "b": TEXTS, "c": OBJECT}},
                "encoding": {
                    "a": {"contentType": "application/xml"},
                    "b": {"style": "form", "explode": False},
                    "c": {"style": "deepObject"},
                },
            }
        }
    }
    item["options"]["requestBody"] = {"content": {"application/xml": {"schema": NODES}}}
    item["put"]["requestBody"] = {"content": {"application/pdf": {}}, "required": False}
    item["get"]["responses"] = {
        "200": {
            "description": "It.",
            "headers": {"X-B": {"schema": {"type": "string"}}},
            "content": {"application/json": {"schema": {"type": "string"}}},
        },
        "202": {"description": "Later."},
        "203": {"description": "A picture.", "content": {"image/png": {}}},
    }
    item["delete"]["callbacks"] = {
        "gone": {
            "{$url}": {
                "post": {
                    "operationId": "thingGone",
                    "requestBody": {"content": {"application/json": {"schema": OBJECT}}},
                    "responses": {"204": {"description": "Heard."}},
                }
            }
        }
    }
    item["get"]["deprecated"] = True
    item["get"]["servers"] = [{"url": "https://own.test"}, {"url": "https://beta.test"}]
    item["servers"] = [{"url": "https://path.test"}]
    item["patch"]["requestBody"] = {"content": {"application/json": {"schema": ref("Both")}}}
    marks = {"a": {"type": "string", "readOnly": True}, "b": {"type": "string", "writeOnly": True}}
    item["get"]["security"] = [{"bearer": [], "query": []}, {}]
    variable = {"enum": ["a", "b"], "default": "a"}
    other = {"url": "https://{place}.test", "variables": {"place": variable}}
    made = document(
        {"/things/{Id}": item},
        {"Both": {"type": "object", "properties": marks}},
        servers=[{"url": "https://api.test"}, other],
        security=[{name: []} for name in SECURITY_SCHEMES],
        webhooks={"done": {"post": {"requestBody": {"content": {"application/json": {}}}}}},
        components={"securitySchemes": SECURITY_SCHEMES},
    )
    return package({**made, "openapi": "3.2.0"})


# Each has one of the fields of an XML Object.
NODES: Json = {
    **OBJECT,
    "xml": {"name": "options"},
    "properties": {
        "a": {"type": "string", "xml": {"attribute": True}},
        "b": {**TEXTS, "xml": {"wrapped": True, "name": "bs"}},
        "c": {"type": "string", "xml": {"namespace": "urn:c", "prefix": "p"}},
        "d": {"type": "string", "xml": {"nodeType": "cdata"}},
    },
}
# Fields with code, and what shows it.
GENERATED = {
    **{f"pathItem.{method}": f"async def {method}_thing(" for method in METHODS},
    "pathItem.additionalOperations": "async def copy_thing(",
    "pathItem.parameters": "x_a: str",
    "operation.operationId": "get_thing",
    "operation.parameters": "empty: str",
    "operation.requestBody": "body: FileTypes",
    "operation.callbacks": "def parse_thing_gone(",
    "operation.responses": "-> str | RawBody | bytes",
    "requestBody.required": "body: FileTypes | None = None",
    "parameter.name": "x_a",
    "parameter.required": "id: str,",
    "parameter.style": 'style="deepObject"',
    "parameter.explode": "q: ",
    "parameter.allowReserved": "allow_reserved=True",
    "parameter.schema": "empty: str",
    "parameter.allowEmptyValue": "empty: str",
    "mediaType.schema": "-> str",
    "mediaType.itemSchema": "-> AsyncStream[int]",
    "mediaType.encoding": "parts={",
    "encoding.contentType": 'content_type="application/xml"',
    "encoding.style": 'style="deepObject"',
    "encoding.explode": "explode=False",
    "response.content": "-> str | RawBody | bytes",
    "response.headers": "with_raw_response",
    "schema.readOnly": "BothInput",
    "schema.writeOnly": "BothInput",
    "document.servers": "Other servers of the API",
    "operation.servers": 'Server("https://beta.test")',
    "pathItem.servers": 'Server("https://path.test")',
    "server.variables": 'Literal["a", "b"] = "a"',
    "securityScheme.type": "bearer: str | Callable",
    "securityScheme.in": 'location="query"',
    "securityScheme.flows": "| ClientCredentials",
    **{f"oauthFlows.{flow}": "oauth: str" for flow in OBJECTS["oauthFlows"]},
    "document.security": "_SECURITY_1",
    "operation.security": "_SECURITY_2",
    "document.webhooks": "parse_",
    "schema.xml": "XmlRoot(",
    "xml.name": 'name="options"',
    "xml.attribute": 'type="attribute"',
    "xml.wrapped": 'name="bs"',
    "xml.namespace": 'namespace="urn:c"',
    "xml.prefix": 'prefix="p"',
    "xml.nodeType": 'type="cdata"',
}


@pytest.mark.parametrize("field", GENERATED)
def test_a_construct_with_code_is_generated(field: str, generated: Any) -> None:
    directory = Path(generated.__file__).parent
    modules = [directory / name for name in MODULES]
    modules += (directory / "_runtime").rglob("client*.py")
    assert any(GENERATED[field] in module.read_text() for module in modules)


def test_every_field_of_the_specification_is_in_a_list() -> None:
    known = {construct.field for construct in REPORTED} | GENERATED.keys()
    known |= {f"schema.{name.partition(' ')[0]}" for name in KEYWORDS}
    # A header of an answer is given as it came; what it looks like is for readers.
    known |= {f"header.{field}" for field in OBJECTS["header"]}
    missing = [
        f"{owner}.{field}"
        for owner, fields in OBJECTS.items()
        for field in fields
        if f"{owner}.{field}" not in known
        and field not in FOR_READERS["*"].split()
        and not {field, "*"} & set(FOR_READERS.get(owner, "").split())
    ]
    assert not missing
