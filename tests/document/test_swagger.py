"""Swagger 2.0 documents keep their meaning when they are upgraded, and their lines."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specwright.document.model import Document, Remark
from specwright.document.shape import SWAGGER, walk
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.json_values import JsonValue
from specwright.pointer import resolve

HEAD = {"swagger": "2.0", "info": {"title": "T", "version": "1"}}


POST = "paths: {/a: {post: %s}}"


def write(directory: Path, part: str, name: str = "api.json") -> Path:
    path = directory / name
    data = {**HEAD, "paths": {}, **yaml.safe_load(textwrap.dedent(part))}
    path.write_text(json.dumps(data, indent=1), "utf-8")
    return path


def upgraded(directory: Path, part: str) -> Document:
    return upgrade(load(write(directory, part)))


def at(document: Document, pointer: str) -> JsonValue:
    return resolve(document.data, pointer)


def operation(directory: Path, part: str, *more: str) -> Any:
    """The only operation of a document, `POST /a`, after the upgrade."""
    fields = "\n".join([POST % part, *more])
    return at(upgraded(directory, fields), "/paths/~1a/post")


SERVERS = {
    "for each scheme": (
        "{host: a.b, basePath: /v1, schemes: [https, http]}",
        [{"url": "https://a.b/v1"}, {"url": "http://a.b/v1"}],
    ),
    "of the same scheme as the document": ("{host: 'a.b:8'}", [{"url": "//a.b:8"}]),
    "on the same host": ("{basePath: /v1/, schemes: [https]}", [{"url": "/v1"}]),
    "none": ("{schemes: [https]}", None),
}


@pytest.mark.parametrize("name", SERVERS)
def test_servers(name: str, tmp_path: Path) -> None:
    part, servers = SERVERS[name]
    assert upgraded(tmp_path, part).data.get("servers") == servers


def test_an_operation_has_its_own_schemes(tmp_path: Path) -> None:
    post = operation(tmp_path, "{schemes: [http], responses: {}}", "host: a.b", "schemes: [https]")
    assert post["servers"] == [{"url": "http://a.b"}]


PARAMETERS = {
    "a value": (
        "{name: n, in: query, type: integer, format: int32, maximum: 9, default: 3}",
        {
            "name": "n",
            "in": "query",
            "schema": {"type": "integer", "format": "int32", "maximum": 9, "default": 3},
        },
    ),
    "what is not about the value": (
        "{name: n, in: header, type: string, required: true, description: D, x-a: 1}",
        {
            "name": "n",
            "in": "header",
            "required": True,
            "description": "D",
            "x-a": 1,
            "schema": {"type": "string"},
        },
    ),
    "null": (
        "{name: n, in: query, type: string, x-nullable: true}",
        {"name": "n", "in": "query", "schema": {"type": ["string", "null"]}},
    ),
    "an exclusive limit": (
        "{name: n, in: query, type: number, minimum: 0, exclusiveMinimum: true}",
        {"name": "n", "in": "query", "schema": {"type": "number", "exclusiveMinimum": 0}},
    ),
}
LIST = {"type": "array", "items": {"type": "integer"}}
STYLES = {
    "query": {
        "csv": {"explode": False},
        "ssv": {"style": "spaceDelimited", "explode": False},
        "pipes": {"style": "pipeDelimited", "explode": False},
        "multi": {},
    },
    "header": {"csv": {}},
    "path": {"csv": {}},
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name: str, tmp_path: Path) -> None:
    part, parameter = PARAMETERS[name]
    post = operation(tmp_path, f"{{parameters: [{part}], responses: {{}}}}")
    assert post["parameters"] == [parameter]


@pytest.mark.parametrize("delimiter", ["csv", "ssv", "pipes", "tsv", "multi"])
@pytest.mark.parametrize("place", STYLES)
def test_lists(place: str, delimiter: str, tmp_path: Path) -> None:
    parameter = (
        f"{{name: n, in: {place}, type: array, items: {{type: integer}}, "
        f"collectionFormat: {delimiter}}}"
    )
    document = upgraded(tmp_path, POST % f"{{parameters: [{parameter}]}}")
    style, found = STYLES[place].get(delimiter), at(document, "/paths/~1a/post/parameters/0")
    schema = {"type": "string"} if style is None else LIST
    assert found == {"name": "n", "in": place, **(style or {}), "schema": schema}
    remarks = [(remark.rule, remark.pointer) for remark in document.remarks]
    unsupported = ("unsupported-parameter", "/paths/~1a/post/parameters/0/collectionFormat")
    assert remarks == ([unsupported] if style is None else [])


def test_a_list_has_commas_unless_it_says_otherwise(tmp_path: Path) -> None:
    part = "{parameters: [{name: n, in: query, type: array, items: {type: integer}}]}"
    (parameter,) = operation(tmp_path, part)["parameters"]
    assert parameter["explode"] is False


def test_lists_in_lists_are_text(tmp_path: Path) -> None:
    items = "{type: array, collectionFormat: pipes, items: {type: integer}}"
    part = "paths: {/a: {get: {parameters: [{name: n, in: query, type: array, items: %s}]}}}"
    document = upgraded(tmp_path, part % items)
    assert at(document, "/paths/~1a/get/parameters/0/schema") == {"type": "string"}
    assert [remark.rule for remark in document.remarks] == ["unsupported-parameter"]


JSON_BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}


def test_a_body_has_the_media_types_that_are_consumed(tmp_path: Path) -> None:
    part = (
        "{consumes: [application/json, text/xml], parameters: [{name: b, in: body, required: true, "
        "description: D, schema: {$ref: '#/definitions/A'}}, {name: q, in: query, type: string}]}"
    )
    post = operation(tmp_path, part, "definitions: {A: {type: object}}", "consumes: [text/plain]")
    assert post["requestBody"] == {
        "required": True,
        "description": "D",
        "content": JSON_BODY | {"text/xml": JSON_BODY["application/json"]},
    }
    assert [parameter["name"] for parameter in post["parameters"]] == ["q"]


def test_a_body_is_no_form_where_it_can_be_something_else(tmp_path: Path) -> None:
    part = "{parameters: [{name: b, in: body, schema: {$ref: '#/definitions/A'}}]}"
    forms = "consumes: [multipart/form-data, application/json, application/x-www-form-urlencoded]"
    post = operation(tmp_path, part, "definitions: {A: {type: object}}", forms)
    assert post["requestBody"]["content"] == JSON_BODY
    only = operation(
        tmp_path, part, "definitions: {A: {}}", "consumes: [application/x-www-form-urlencoded]"
    )
    assert list(only["requestBody"]["content"]) == ["application/x-www-form-urlencoded"]


SHARED = """
consumes: [application/json]
definitions: {A: {type: object}}
parameters: {Body: {name: b, in: body, schema: {$ref: '#/definitions/A'}}}
"""


def test_a_shared_body_is_a_component(tmp_path: Path) -> None:
    part = SHARED + "paths: {/a: {post: {parameters: [{$ref: '#/parameters/Body'}]}}}"
    document = upgraded(tmp_path, part)
    body = at(document, "/paths/~1a/post/requestBody")
    assert body == {"$ref": "#/components/requestBodies/Body"}
    assert document.follow(body) == {"content": JSON_BODY}


def test_a_shared_body_has_the_media_types_of_the_operation(tmp_path: Path) -> None:
    part = "{consumes: [text/yaml], parameters: [{$ref: '#/parameters/Body'}]}"
    body = operation(tmp_path, part, SHARED)["requestBody"]
    assert list(body["content"]) == ["text/yaml"]


def test_the_body_of_a_path_is_that_of_its_operations(tmp_path: Path) -> None:
    part = SHARED + (
        "paths: {/a: {parameters: [{$ref: '#/parameters/Body'}, {name: q, in: query, type: string}]"
        ", put: {responses: {}}, post: {parameters: [{name: o, in: body, schema: {type: "
        "string}}]}}}"
    )
    item: Any = at(upgraded(tmp_path, part), "/paths/~1a")
    assert [parameter["name"] for parameter in item["parameters"]] == ["q"]
    assert item["put"]["requestBody"] == {"$ref": "#/components/requestBodies/Body"}
    assert item["post"]["requestBody"]["content"]["application/json"]["schema"]["type"] == "string"


FORM = """
{consumes: [%s], parameters: [
  {name: f, in: formData, type: %s, description: D, required: true},
  {name: n, in: formData, type: integer, maximum: 3},
  {name: l, in: formData, type: array, items: {type: string}, collectionFormat: pipes},
  {name: m, in: formData, type: array, items: {type: string}, collectionFormat: multi}]}
"""


@pytest.mark.parametrize(
    ("consumes", "kind", "media_types"),
    [
        ("application/x-www-form-urlencoded", "string", ["application/x-www-form-urlencoded"]),
        ("multipart/form-data", "file", ["multipart/form-data"]),
        (
            "multipart/form-data, application/x-www-form-urlencoded",
            "string",
            ["multipart/form-data", "application/x-www-form-urlencoded"],
        ),
        ("multipart/form-data, application/x-www-form-urlencoded", "file", ["multipart/form-data"]),
        ("application/json", "string", ["application/x-www-form-urlencoded"]),
        ("", "file", ["multipart/form-data"]),
        ("", "string", ["application/x-www-form-urlencoded"]),
    ],
)
def test_parameters_of_a_form_are_one_body(
    consumes: str, kind: str, media_types: list[str], tmp_path: Path
) -> None:
    body = operation(tmp_path, FORM % (consumes, kind))["requestBody"]
    assert list(body["content"]) == media_types
    assert body["required"] is True
    for content in body["content"].values():
        properties = content["schema"].pop("properties")
        assert content == {
            "schema": {"type": "object", "required": ["f"]},
            "encoding": {"l": {"style": "pipeDelimited", "explode": False}},
        }
        assert properties["f"]["type"] == "string"
        assert properties["f"].get("format") == ("binary" if kind == "file" else None)
        assert properties["f"]["description"] == "D"
        assert properties["n"] == {"type": "integer", "maximum": 3}
        assert list(properties) == ["f", "n", "l", "m"]


def remarks(directory: Path, part: str) -> list[Remark]:
    return list(upgraded(directory, part).remarks)


def test_a_second_body_is_said(tmp_path: Path) -> None:
    part = (
        "paths: {/a: {post: {consumes: [application/json], parameters: ["
        "{name: f, in: formData, type: string}, {name: b, in: body, schema: {type: string}}, "
        "{name: c, in: body, schema: {type: integer}}]}}}"
    )
    found = remarks(tmp_path, part)
    assert [(remark.rule, remark.pointer) for remark in found] == [
        ("swagger-ignored", "/paths/~1a/post/parameters/0"),
        ("swagger-ignored", "/paths/~1a/post/parameters/2"),
    ]


def responses(directory: Path, response: str, produces: str, *more: str) -> Any:
    part = f"{{produces: [{produces}], responses: {{200: {response}}}}}"
    return operation(directory, part, *more)["responses"]["200"]


def test_a_response_has_the_media_types_that_are_produced(tmp_path: Path) -> None:
    found = responses(
        tmp_path,
        "{description: D, x-a: 1, schema: {type: integer}, headers: {X: {type: array, items: "
        "{type: integer}, description: H}}, examples: {'application/json; charset=utf-8': 3}}",
        "application/json, text/plain",
    )
    assert found == {
        "description": "D",
        "x-a": 1,
        "headers": {"X": {"description": "H", "schema": LIST}},
        "content": {
            "application/json": {"schema": {"type": "integer"}, "example": 3},
            "text/plain": {"schema": {"type": "integer"}},
        },
    }


def test_a_response_without_a_schema_has_no_content(tmp_path: Path) -> None:
    assert responses(tmp_path, "{description: D}", "application/json") == {"description": "D"}


OBJECT = "{description: D, schema: {type: object}%s}"
FILE = "{description: D, schema: {type: file}%s}"
MEDIA_TYPES = {
    "as produced": (OBJECT, "text/xml, application/json", ["text/xml", "application/json"], False),
    "an object is not in an image": (OBJECT, "image/png", ["application/json"], True),
    "an object is not plain text": (OBJECT, "text/plain", ["application/json"], True),
    "plain text beside JSON": (
        OBJECT,
        "text/plain, application/json",
        ["text/plain", "application/json"],
        False,
    ),
    "another one can have it": (OBJECT, "image/png, text/xml", ["text/xml"], False),
    "nothing is produced": (OBJECT, "", ["application/json"], True),
    "a file as produced": (FILE, "image/png", ["image/png"], False),
    "a file is not JSON": (FILE, "application/json", ["application/octet-stream"], True),
}


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_media_types_are_possible(name: str, tmp_path: Path) -> None:
    response, produces, media_types, is_assumed = MEDIA_TYPES[name]
    assert list(responses(tmp_path, response % "", produces)["content"]) == media_types
    part = "paths: {/a: {get: {produces: [%s], responses: {200: %s}}}}"
    rules = [remark.rule for remark in remarks(tmp_path, part % (produces, response % ""))]
    assert rules == ["media-type-assumed"] * is_assumed


def test_examples_name_media_types(tmp_path: Path) -> None:
    example = ", examples: {application/problem+json: {a: 1}}"
    found = responses(tmp_path, OBJECT % example, "application/x-tar")
    assert found["content"] == {
        "application/problem+json": {"schema": {"type": "object"}, "example": {"a": 1}}
    }


def test_an_example_in_another_media_type_is_said(tmp_path: Path) -> None:
    examples = "examples: {application/json: {}, text/plain: a}"
    part = "paths: {/a: {get: {produces: [application/json], responses: {200: {%s, %s}}}}}"
    found = remarks(tmp_path, part % ("schema: {type: object}", examples))
    place = "/paths/~1a/get/responses/200/examples/text~1plain"
    assert [(remark.rule, remark.pointer) for remark in found] == [("swagger-ignored", place)]


def test_a_form_is_the_body_where_only_forms_are_consumed(tmp_path: Path) -> None:
    part = (
        "paths: {/a: {post: {consumes: [multipart/form-data], parameters: ["
        "{name: b, in: body, schema: {type: string}}, {name: f, in: formData, type: file}]}}}"
    )
    document = upgraded(tmp_path, part)
    assert [remark.pointer for remark in document.remarks] == ["/paths/~1a/post/parameters/0"]
    content: Any = at(document, "/paths/~1a/post/requestBody/content/multipart~1form-data/schema")
    assert list(content["properties"]) == ["f"]


SHARED_RESPONSE = """
produces: [application/json]
responses: {Gone: {description: D, schema: {type: object, properties: {a: {type: string}}}}}
"""


def test_a_shared_response_has_the_media_types_of_the_operation(tmp_path: Path) -> None:
    part = "{responses: {200: {$ref: '#/responses/Gone'}}}"
    found = operation(tmp_path, part, SHARED_RESPONSE)["responses"]["200"]
    assert found == {"$ref": "#/components/responses/Gone"}
    own = operation(tmp_path, "{produces: [text/xml], " + part[1:], SHARED_RESPONSE)
    assert list(own["responses"]["200"]["content"]) == ["text/xml"]


SCHEMAS = {
    "a discriminator": (
        "{type: object, discriminator: kind, required: [kind], properties: {kind: {type: string}}}",
        {
            "type": "object",
            "discriminator": {"propertyName": "kind"},
            "required": ["kind"],
            "properties": {"kind": {"type": "string"}},
        },
    ),
    "null": ("{type: string, x-nullable: true}", {"type": ["string", "null"]}),
    "not null": ("{type: string, x-nullable: false}", {"type": "string"}),
    "an example": ("{type: string, example: a}", {"type": "string", "examples": ["a"]}),
    "a tuple": (
        "{type: array, items: [{type: string, x-nullable: true}]}",
        {"type": "array", "prefixItems": [{"type": ["string", "null"]}]},
    ),
    "read-only": ("{type: string, readOnly: true}", {"type": "string", "readOnly": True}),
    "beside a reference": (
        "{$ref: '#/definitions/B', description: D, maxLength: 3}",
        {"$ref": "#/components/schemas/B", "description": "D"},
    ),
    "names that are keywords": (
        "{type: object, properties: {discriminator: {type: string}, items: {type: string}}}",
        {
            "type": "object",
            "properties": {"discriminator": {"type": "string"}, "items": {"type": "string"}},
        },
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_means_the_same(name: str, tmp_path: Path) -> None:
    old, new = SCHEMAS[name]
    document = upgraded(tmp_path, f"definitions: {{B: {{type: string}}, A: {old}}}")
    assert at(document, "/components/schemas/A") == new


SECURITY = {
    "basic": ("{type: basic, description: D}", {"type": "http", "scheme": "basic"}),
    "a key": (
        "{type: apiKey, name: k, in: query, description: D}",
        {"type": "apiKey", "name": "k", "in": "query"},
    ),
    **{
        old: (
            f"{{type: oauth2, description: D, flow: {old}, authorizationUrl: 'https://a.b', "
            "tokenUrl: 'https://c.d', scopes: {s: S}}",
            {
                "type": "oauth2",
                "flows": {
                    new: {
                        "authorizationUrl": "https://a.b",
                        "tokenUrl": "https://c.d",
                        "scopes": {"s": "S"},
                    }
                },
            },
        )
        for old, new in {
            "implicit": "implicit",
            "password": "password",
            "application": "clientCredentials",
            "accessCode": "authorizationCode",
        }.items()
    },
}


@pytest.mark.parametrize("name", SECURITY)
def test_security_schemes(name: str, tmp_path: Path) -> None:
    old, new = SECURITY[name]
    document = upgraded(tmp_path, f"securityDefinitions: {{s: {old}}}")
    assert at(document, "/components/securitySchemes/s") == {**new, "description": "D"}


REFERENCES = {
    "#/definitions/A/properties/a": "#/components/schemas/A/properties/a",
    "#/paths/~1a/post/responses/200/schema": (
        "#/paths/~1a/post/responses/200/content/application~1json/schema"
    ),
    "#/paths/~1a/post/parameters/0/schema": (
        "#/paths/~1a/post/requestBody/content/application~1json/schema"
    ),
    "#/definitions/Page%C2%ABA%C2%BB": "#/components/schemas/Page%C2%ABA%C2%BB",
    "#/definitions/Page«A»": "#/components/schemas/Page«A»",
}


@pytest.mark.parametrize("ref", REFERENCES)
def test_a_reference_has_the_same_target(ref: str, tmp_path: Path) -> None:
    part = """
    consumes: [application/json]
    produces: [application/json]
    paths:
      /a:
        post:
          parameters: [{name: b, in: body, schema: {type: object}}]
          responses: {200: {description: D, schema: {type: object}}}
    definitions:
      A: {type: object, properties: {a: {type: object}}}
      "Page«A»": {type: object}
    """
    document = upgraded(tmp_path, f"{part}  B: {{$ref: '{ref}'}}")
    found: Any = at(document, "/components/schemas/B")
    assert found["$ref"] == REFERENCES[ref]
    assert document.follow(found) == {"type": "object"}


PLACES = {
    "/openapi": "/swagger",
    "/servers/1/url": "/schemes/1",
    "/components/schemas/A/properties/n/type/1": "/definitions/A/properties/n/x-nullable",
    "/components/schemas/A/discriminator/propertyName": "/definitions/A/discriminator",
    "/components/schemas/A/properties/e/examples/0/b": "/definitions/A/properties/e/example/b",
    "/components/parameters/Q/schema/maximum": "/parameters/Q/maximum",
    "/components/requestBodies/B/content/application~1json": "/consumes/0",
    "/components/requestBodies/B/content/application~1json/schema/type": (
        "/parameters/B/schema/type"
    ),
    "/components/securitySchemes/s/flows/clientCredentials/tokenUrl": (
        "/securityDefinitions/s/tokenUrl"
    ),
    "/paths/~1a/get/parameters/0/schema/type": "/paths/~1a/get/parameters/1/type",
    "/paths/~1a/get/parameters/0/explode": "/paths/~1a/get/parameters/1/collectionFormat",
    "/paths/~1a/get/requestBody/content/multipart~1form-data/schema/properties/f/type": (
        "/paths/~1a/get/parameters/0/type"
    ),
    "/paths/~1a/get/requestBody/content/multipart~1form-data/schema/required/0": (
        "/paths/~1a/get/parameters/0/required"
    ),
    "/paths/~1a/get/responses/200/content/text~1xml": "/paths/~1a/get/produces/0",
    "/paths/~1a/get/responses/200/content/text~1xml/schema/type": "/responses/R/schema/type",
    "/paths/~1a/get/responses/200/content/text~1xml/example": "/responses/R/examples/text~1xml",
    "/paths/~1a/get/responses/200/headers/X/schema/type": "/responses/R/headers/X/type",
}
EVERYTHING = """
host: a.b
schemes: [https, http]
consumes: [application/json]
parameters:
  Q: {name: q, in: query, type: integer, maximum: 3}
  B: {name: b, in: body, schema: {type: object}}
responses:
  R:
    description: D
    schema: {type: string}
    headers: {X: {type: string}}
    examples: {text/xml: <a/>}
securityDefinitions: {s: {type: oauth2, flow: application, tokenUrl: 'https://c.d', scopes: {}}}
paths:
  /a:
    get:
      produces: [text/xml]
      consumes: [multipart/form-data]
      parameters:
        - {name: f, in: formData, type: file, required: true}
        - {name: l, in: query, type: array, items: {type: string}, collectionFormat: csv}
      responses: {200: {$ref: '#/responses/R'}}
    post: {parameters: [{$ref: '#/parameters/B'}, {$ref: '#/parameters/Q'}], responses: {}}
definitions:
  A:
    type: object
    discriminator: k
    properties: {k: {type: string}, n: {type: string, x-nullable: true}, e: {example: {b: 1}}}
"""


@pytest.mark.parametrize("place", PLACES)
def test_a_part_is_where_it_was_written(place: str, tmp_path: Path) -> None:
    path = write(tmp_path, EVERYTHING)
    document = upgrade(load(path))
    assert document.has(place)
    written = document.as_written(place)
    assert written == PLACES[place]
    assert document.locate(place) == load(path).locate(written)


def test_every_object_has_a_place_in_the_upgraded_document(tmp_path: Path) -> None:
    document = upgraded(tmp_path, EVERYTHING)
    for node in walk(document.original.data, shape=SWAGGER):
        for place in document.moves.after(node.pointer):
            # What is said with another media type is written out where it is referred to.
            if node.ref is None:
                assert document.as_written(place) == node.pointer


NAMES = st.sampled_from(["a", "b"])
VALUES = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "file"])}),
    st.fixed_dictionaries(
        {
            "type": st.just("array"),
            "items": st.just({"type": "string"}),
            "collectionFormat": st.sampled_from(["csv", "tsv", "multi"]),
        }
    ),
)
REFS = st.sampled_from(["P", "F", "B"]).map(lambda name: {"$ref": f"#/parameters/{name}"})
PARAMETER = st.one_of(
    st.builds(
        lambda name, place, value: {"name": name, "in": place, **value},
        NAMES,
        st.sampled_from(["query", "header", "formData", "nowhere"]),
        VALUES,
    ),
    st.builds(lambda name: {"name": name, "in": "body", "schema": {"type": "object"}}, NAMES),
    REFS,
    st.sampled_from([None, 3, {}, {"in": "body"}, {"in": "formData"}]),
)
TYPES = st.lists(st.sampled_from(["application/json", "multipart/form-data", "image/png", 1]))
RESPONSE = st.sampled_from(
    [
        {"$ref": "#/responses/R"},
        {"description": "D", "schema": {"type": "file"}, "examples": {"image/png": "x"}},
        {"description": "D", "schema": {"$ref": "#/definitions/A"}, "headers": {"X": {}}},
        {"schema": 3, "headers": 4, "examples": []},
        None,
    ]
)
OPERATION = st.fixed_dictionaries(
    {"responses": st.dictionaries(st.sampled_from(["200", "default", "x-a"]), RESPONSE)},
    optional={
        "parameters": st.lists(PARAMETER),
        "consumes": TYPES,
        "produces": TYPES,
        "schemes": st.sampled_from([["http"], [], "http"]),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "paths": st.dictionaries(
            st.sampled_from(["/a", "/b", "x-a"]),
            st.fixed_dictionaries(
                {},
                optional={"get": OPERATION, "post": OPERATION, "parameters": st.lists(PARAMETER)},
            ),
        )
    },
    optional={"consumes": TYPES, "produces": TYPES, "host": st.sampled_from(["a.b", 3])},
)
SECTIONS: dict[str, JsonValue] = {
    "definitions": {"A": {"type": "object", "discriminator": "a", "x-nullable": True}},
    "parameters": {
        "P": {"name": "p", "in": "query", "type": "string"},
        "F": {"name": "f", "in": "formData", "type": "string"},
        "B": {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/A"}},
    },
    "responses": {"R": {"description": "D", "schema": {"$ref": "#/definitions/A"}}},
}


@given(DOCUMENTS)
def test_any_document_is_upgraded_with_its_places(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("swagger") / "api.json"
    path.write_text(json.dumps({**HEAD, **SECTIONS, **data}), "utf-8")
    document = upgrade(load(path))
    for node in walk(document.data):
        assert document.original.has(document.as_written(node.pointer)), node.pointer
        if node.ref is not None:
            document.resolve(node.ref)
    for remark in document.remarks:
        assert document.original.has(remark.pointer)


def test_parts_of_other_files_are_upgraded_too(tmp_path: Path) -> None:
    (tmp_path / "item.yaml").write_text(
        "get:\n"
        "  parameters: [{name: b, in: body, schema: {$ref: 'more.yaml#/definitions/A'}}]\n"
        "  responses: {'200': {$ref: 'more.yaml#/responses/R'}}\n",
        "utf-8",
    )
    (tmp_path / "more.yaml").write_text(
        "definitions:\n  A: {type: string, x-nullable: true}\n"
        "responses:\n  R: {description: D, schema: {$ref: '#/definitions/A'}}\n",
        "utf-8",
    )
    path = write(tmp_path, "{paths: {/a: {$ref: item.yaml}}, produces: [application/json]}")
    document = upgrade(load(path))
    item: Any = document.follow(at(document, "/paths/~1a"))
    response: Any = document.follow(item["get"]["responses"]["200"])
    schema = response["content"]["application/json"]["schema"]
    assert document.follow(schema) == {"type": ["string", "null"]}
    assert str(document.locate("/components/schemas/A/type")).endswith("more.yaml:2:7")
    assert str(document.locate("/components/pathItems/item/get/requestBody")).endswith(
        "item.yaml:2:16"
    )


def test_other_versions_are_not_read(tmp_path: Path) -> None:
    path = write(tmp_path, "swagger: '1.2'")
    with pytest.raises(InputError, match=r"the field 'swagger' is '1\.2'") as caught:
        load(path)
    assert caught.value.hint == 'it must be text: "2.0"'
