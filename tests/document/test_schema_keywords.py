"""Each keyword of JSON Schema, with the parts of the toolkit that read it.

A part reads a keyword if its result for a schema with the keyword differs from that without it,
and is not empty. A keyword that a part does not read stands in `UNREAD` with the reason; the test
fails as well for a keyword there that the part does read.
"""

import ast
import functools
import importlib
import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from specwright.check.checks import check
from specwright.compare.comparison import compare
from specwright.conformance.checks.requests.variants import variants
from specwright.document.directions import split_directions
from specwright.document.model import Document
from specwright.document.normalise import normalise
from specwright.document.operations.sites import operations
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.instances import Instances
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.mock.application import Mock
from specwright.models.generate import generate
from specwright.pointer import join
from specwright.policy import Settings
from specwright.reference.schemas import Schemas
from specwright.samples.compiled import Compiled
from specwright.samples.sampler import Sampler
from specwright.samples.sides import Side

STRING: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
ARRAY: dict[str, Any] = {"type": "array", "items": STRING}
OBJECT: dict[str, Any] = {"type": "object"}
AB = {"type": "object", "properties": {"a": STRING, "b": STRING}}
KINDS = {
    "oneOf": [
        {"type": "object", "required": ["kind"], "properties": {"kind": {"const": kind}}}
        for kind in ("cat", "dog")
    ]
}
# Keyword: a schema without it, and the value that it gets there.
KEYWORDS: dict[str, tuple[dict[str, Any], Any]] = {
    # The vocabulary of applicators (core, 10), with unevaluated locations (11).
    "prefixItems": ({"type": "array", "items": STRING, "minItems": 1}, [NUMBER]),
    "items": ({"type": "array", "minItems": 1}, NUMBER),
    "contains": ({"type": "array"}, {"const": 5}),
    "additionalProperties": ({**OBJECT, "required": ["a"]}, NUMBER),
    "properties": ({**OBJECT, "required": ["a"]}, {"a": NUMBER}),
    "patternProperties": (
        {**OBJECT, "required": ["n"], "additionalProperties": False},
        {"^n": NUMBER},
    ),
    "dependentSchemas": ({**AB, "required": ["a"]}, {"a": {"required": ["b"]}}),
    "propertyNames": ({**OBJECT, "minProperties": 1}, {"enum": ["known"]}),
    "if": ({"type": "integer", "then": {"minimum": 50}}, {"minimum": -9}),
    "then": ({"type": "integer", "if": {"minimum": -9}}, {"minimum": 50}),
    "else": ({"type": "integer", "if": {"minimum": 50}}, {"maximum": -50}),
    "allOf": (NUMBER, [{"minimum": 50}]),
    "anyOf": (NUMBER, [{"minimum": 50}, {"maximum": -50}]),
    "oneOf": (NUMBER, [{"minimum": 50}, {"maximum": -50}]),
    "not": (NUMBER, {"maximum": 50}),
    "unevaluatedItems": (
        {"type": "array", "prefixItems": [STRING]},
        False,
    ),
    "unevaluatedProperties": ({**AB, "required": ["c"]}, NUMBER),
    # The vocabulary for validation (validation, 6).
    "type": ({"title": "Value"}, "integer"),
    "const": (STRING, "only"),
    "enum": (STRING, ["one", "two"]),
    "multipleOf": (NUMBER, 7),
    "maximum": (NUMBER, -50),
    "exclusiveMaximum": (NUMBER, -50),
    "minimum": (NUMBER, 50),
    "exclusiveMinimum": (NUMBER, 50),
    "maxLength": (STRING, 0),
    "minLength": (STRING, 50),
    "pattern": (STRING, "^[0-9]{7}$"),
    "maxItems": (ARRAY, 0),
    "minItems": (ARRAY, 3),
    "uniqueItems": ({**ARRAY, "minItems": 3}, True),
    "maxContains": ({"type": "array", "minItems": 2, "contains": STRING}, 1),
    "minContains": ({**ARRAY, "contains": STRING}, 2),
    "maxProperties": (AB, 1),
    "minProperties": (OBJECT, 3),
    "required": (AB, ["a"]),
    "dependentRequired": ({**AB, "required": ["a"]}, {"a": ["b"]}),
    # The vocabularies for formats and content (validation, 7 and 8).
    "format": (STRING, "date-time"),
    "contentEncoding": (STRING, "base64"),
    "contentMediaType": (STRING, "application/json"),
    "contentSchema": ({**STRING, "contentMediaType": "application/json"}, OBJECT),
    # Annotations that change what is sent, and OpenAPI's own (OAS 3.1.1, 4.8.24).
    "default": (NUMBER, 5),
    "readOnly": (STRING, True),
    "writeOnly": (STRING, True),
    "deprecated": (STRING, True),
    "discriminator": (KINDS, {"propertyName": "kind"}),
}
# Some of these fit a schema without a keyword and not with it.
PROBES: tuple[Any, ...] = (
    *("", "text", 5, -60, 60, [], ["a"], ["a", "b"], ["a", "b", "a"]),
    *({}, {"a": "a"}, {"b": "b", "a": "a"}, {"n": "a"}, {"c": "c"}, {"kind": "cat"}),
)
NAMES = {keyword: f"Case{index:02}" for index, keyword in enumerate(KEYWORDS)}
# Values that no keyword of this type may have.
_TEXTS = ("format", "pattern", "contentEncoding", "contentMediaType", "type", "discriminator")


def schema(keyword: str, which: str) -> dict[str, Any]:
    """The schema without a keyword ("before"), with it ("after"), or with a wrong value."""
    plain, value = KEYWORDS[keyword]
    if which == "before":
        return plain
    wrong = 17 if keyword in _TEXTS else "wrong"
    return {**plain, keyword: value if which == "after" else wrong}


@functools.cache
def document(which: str, directory: Path) -> Document:
    """A document with a component for each keyword, which one operation receives and returns."""
    paths = {}
    components = {}
    for keyword, name in NAMES.items():
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        paths[f"/{name}"] = {
            "post": {
                "operationId": f"send{name}",
                "tags": ["cases"],
                "requestBody": {"required": True, "content": content},
                "responses": {"200": {"description": "It.", "content": content}},
            }
        }
        components[name] = {
            "type": "object",
            "required": ["value"],
            "properties": {"value": schema(keyword, which), "extra": schema(keyword, which)},
        }
    data = {
        "openapi": "3.1.1",
        "info": {"title": "Keywords", "version": "1"},
        "paths": paths,
        "components": {"schemas": components},
    }
    path = directory / f"{which}.json"
    path.write_text(json.dumps(data), "utf-8")
    return upgrade(load(path))


@functools.cache
def _models(which: str, directory: Path) -> dict[str, str]:
    source = generate(split_directions(normalise(document(which, directory)))).source
    texts: dict[str, str] = {}
    for node in ast.parse(source).body:
        text = ast.unparse(node)
        for name in NAMES.values():
            if name in text.partition("(")[0].partition("=")[0]:
                texts[name] = texts.get(name, "") + text
    return texts


def models(keyword: str, which: str, directory: Path) -> object:
    return _models(which, directory).get(NAMES[keyword])


def samples(keyword: str, which: str, directory: Path) -> object:
    side = Side(document(which, directory), "side:/")
    return list(Sampler(Compiled((side,))).witnesses(schema(keyword, which)))


def sent_variants(keyword: str, which: str, directory: Path) -> object:
    found = variants(document(which, directory), schema(keyword, which), None)
    return [(variant.how, repr(variant.value)) for variant in found]


@functools.cache
def _responses(which: str, directory: Path) -> Mapping[str, object]:
    described = document(which, directory)
    mocked = Mock(described)
    return {
        operation.key: [response.values for response in mocked.responses(operation)]
        for operation in operations(described)
    }


def traffic(keyword: str, which: str, directory: Path) -> object:
    instances = Instances(document(which, directory))
    place = join("components", "schemas", NAMES[keyword], "properties", "value")
    return [[problem.keyword for problem in instances.problems(place, value)] for value in PROBES]


def mock(keyword: str, which: str, directory: Path) -> object:
    return _responses(which, directory)[f"/{NAMES[keyword]}"]


@functools.cache
def _changed(directory: Path) -> str:
    sides = document("before", directory), document("after", directory)
    found = compare(*sides, today=date(2026, 6, 1)).findings
    return "\n".join(str(finding.pointer) for finding in found)


def changes(keyword: str, which: str, directory: Path) -> object:
    return which == "after" and f"/{NAMES[keyword]}/" in _changed(directory)


def reference(keyword: str, which: str, directory: Path) -> object:
    schemas, value = Schemas(document(which, directory)), schema(keyword, which)
    place = Subschema(f"/components/schemas/{NAMES[keyword]}/properties/value", value)
    return repr((schemas.type(value), schemas.notes(place), schemas.fields(place)))


@functools.cache
def _wrong(directory: Path) -> str:
    found = check(document("wrong", directory), Settings()).findings
    return "\n".join(str(finding.pointer) for finding in found)


def lint(keyword: str, which: str, directory: Path) -> object:
    return which == "after" and f"/{NAMES[keyword]}/" in _wrong(directory)


Reader = Callable[[str, str, Path], object]
READERS: dict[str, Reader] = {
    "models": models,
    "samples": samples,
    "variants": sent_variants,
    "traffic": traffic,
    "mock": mock,
    "diff": changes,
    "reference": reference,
    "validate": lint,
}
# The values that these allow depend on other values, or on other parts of the same one.
CONDITIONS = (
    *("contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas"),
    *("if", "then", "else", "not", "unevaluatedItems", "unevaluatedProperties"),
)
CONTENT = ("contentEncoding", "contentMediaType", "contentSchema")
DIRECTIONS = ("readOnly", "writeOnly")
# No value of a schema, and no body of a response.
NOTHING: tuple[object, ...] = ([], [()])
# Reader, reason: the keywords that it does not read.
UNREAD: dict[tuple[str, str], tuple[str, ...]] = {
    ("models", "no type of Python expresses it: a value that breaks it is accepted"): CONDITIONS,
    ("models", "the text is passed on as it is; its encoding is in its documentation"): (
        *("contentMediaType", "contentSchema"),
    ),
    ("samples", "a default is what a receiver assumes, not what a sender sends"): ("default",),
    ("samples", "it does not change the values that are valid"): ("deprecated", *DIRECTIONS),
    ("samples", "each alternative constrains its tag itself"): ("discriminator",),
    ("samples", "objects have no members but those that are declared"): ("unevaluatedProperties",),
    ("variants", "objects and their items are varied member by member, where they stand"): (
        *("items", "prefixItems", "properties", "patternProperties", "additionalProperties"),
    ),
    ("variants", "the check of validation omits and adds members itself"): ("required",),
    ("variants", "missing: no value is made to break it, as it needs several members"): (
        *CONDITIONS,
        *("propertyNames", "minProperties", "maxProperties", "uniqueItems"),
    ),
    ("variants", "it does not change the values that are valid"): (
        *("default", "deprecated", "discriminator", *DIRECTIONS),
    ),
    ("traffic", "an annotation, which no server has to enforce (validation, 8)"): CONTENT,
    ("traffic", "it does not change the values that are valid"): (
        *("default", "deprecated", "discriminator"),
    ),
    ("traffic", "both directions are judged by schemas that were split before"): DIRECTIONS,
    ("mock", "it does not change the values that are valid"): ("deprecated",),
    ("mock", "objects have no members but those that are declared"): ("unevaluatedProperties",),
    ("mock", "each alternative constrains its tag itself"): ("discriminator",),
    ("mock", "responses have the values that are only read"): ("readOnly",),
    ("mock", "its value has no more such items than it has to"): ("maxContains",),
    ("reference", "missing: it has no words for it"): (
        *CONDITIONS,
        *("prefixItems", "patternProperties", "propertyNames", "contentEncoding"),
    ),
    ("validate", "it may have any value"): ("const",),
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keywords")


def test_the_list_has_every_keyword_that_constrains_values() -> None:
    vocabularies = ("applicator", "unevaluated", "validation", "format-annotation", "content")
    base = "https://json-schema.org/draft/2020-12/meta/"
    # The package has no types.
    registry = importlib.import_module("jsonschema_specifications").REGISTRY
    known = {
        keyword for name in vocabularies for keyword in registry.contents(base + name)["properties"]
    }
    assert known <= KEYWORDS.keys()


@pytest.mark.parametrize("reader", READERS)
def test_a_keyword_is_read_or_the_reason_is_written(reader: str, directory: Path) -> None:
    read = READERS[reader]
    unread = []
    for keyword in KEYWORDS:
        before, after = (read(keyword, which, directory) for which in ("before", "after"))
        if before == after or after in NOTHING:
            unread.append(keyword)
    excused = [
        keyword for (name, _), keywords in UNREAD.items() if name == reader for keyword in keywords
    ]
    missing, needless = set(unread) - set(excused), set(excused) - set(unread)
    assert not missing, f"{reader}: does not read {', '.join(sorted(missing))}"
    assert not needless, f"{reader}: UNREAD names {', '.join(sorted(needless))}, which it does read"
