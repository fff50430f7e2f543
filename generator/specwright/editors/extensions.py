"""The schema of the `x-contract-` keys in a document, each at the places that it belongs to.

An editor applies it beside the schema of OpenAPI, so it describes only the ways to these places.
"""

from __future__ import annotations

from collections.abc import Sequence

from specwright.editors.schema import draft_7, list_of, map_of, reference, root
from specwright.json_values import JsonObject, JsonValue
from specwright.vocabulary.keyword import PREFIX, Keyword, Place
from specwright.vocabulary.table import KEYWORDS

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
# The keywords of JSON Schema that have a schema, a list of schemas, or schemas by name.
_ONE = (
    *("items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems"),
    *("unevaluatedProperties", "not", "if", "then", "else"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("patternProperties", "dependentSchemas", "$defs")
# In objects that may have extensions beside their named members.
_NO_EXTENSION = "^(?!x-)"


def extensions_schema() -> JsonObject:
    """Return the schema of a document with `x-contract-` keys."""
    document = _holder(
        _at(Place.DOCUMENT),
        paths=_all("^/", reference("path")),
        webhooks=map_of(reference("webhook-path")),
        components=reference("components"),
    )
    return root(
        "specwright-extensions",
        "OpenAPI document with x-contract keys",
        "A document with the keys of Specwright for what OpenAPI has no words for, such as pages "
        "and idempotency.",
        {**document, "definitions": _definitions()},
    )


def _definitions() -> JsonObject:
    schema, contents = reference("schema"), map_of(reference("media"))
    headers = map_of(reference("header"))
    return {
        "components": _holder(
            (),
            schemas=map_of(schema),
            responses=map_of(reference("response")),
            parameters=map_of(reference("parameter")),
            requestBodies=map_of(reference("body")),
            headers=headers,
            callbacks=map_of(reference("callback")),
            pathItems=map_of(reference("path")),
            mediaTypes=contents,
        ),
        "path": _path(Place.OPERATION),
        "operation": _operation(Place.OPERATION),
        "webhook-path": _path(Place.WEBHOOK),
        "webhook": _operation(Place.WEBHOOK),
        "callback": _all(_NO_EXTENSION, reference("path")),
        "parameter": _holder(_at(Place.PARAMETER), schema=schema, content=contents),
        "header": _holder((), schema=schema, content=contents),
        "body": _holder((), content=contents),
        "response": _holder((), content=contents, headers=headers),
        "media": _holder((), schema=schema, itemSchema=schema),
        "schema": _schema(Place.SCHEMA),
        "property": _schema(Place.PROPERTY),
        **{_name(keyword): _value(keyword) for keyword in KEYWORDS},
    }


def _path(place: Place) -> JsonObject:
    methods = {method: _called_by(method, place) for method in _METHODS}
    return _holder(
        (),
        parameters=list_of(reference("parameter")),
        additionalOperations=map_of(reference(place)),
        **methods,
    )


def _called_by(method: str, place: Place) -> JsonObject:
    """Return the schema of an operation without the keys that belong to other methods."""
    others: JsonObject = {
        keyword.name: False
        for keyword in _at(place)
        if keyword.methods and method.upper() not in keyword.methods
    }
    if not others:
        return reference(place)
    return {"type": "object", "allOf": [reference(place)], "properties": others}


def _operation(place: Place) -> JsonObject:
    return _holder(
        _at(place),
        parameters=list_of(reference("parameter")),
        requestBody=reference("body"),
        responses=_all(_NO_EXTENSION, reference("response")),
        callbacks=map_of(reference("callback")),
    )


def _schema(place: Place) -> JsonObject:
    schema = reference("schema")
    inner: dict[str, JsonValue] = {
        **dict.fromkeys(_ONE, schema),
        **dict.fromkeys(_LISTS, list_of(schema)),
        **dict.fromkeys(_MAPS, map_of(schema)),
        "properties": map_of(reference("property")),
    }
    return {"anyOf": [_holder(_at(place), **inner), {"type": "boolean"}]}


def _holder(keywords: Sequence[Keyword[object]], **members: JsonValue) -> JsonObject:
    """Return the schema of objects with these keys of the vocabulary, and no others."""
    own = "|".join(keyword.name for keyword in keywords)
    others = {keyword.name for keyword in KEYWORDS if not keyword.name.startswith(PREFIX)}
    known: JsonObject = {keyword.name: reference(_name(keyword)) for keyword in keywords}
    ours = "|".join([PREFIX, *(f"{name}$" for name in sorted(others))])
    return {
        "type": "object",
        "properties": {**known, **members},
        "patternProperties": {f"^(?!(?:{own})$)(?:{ours})": False},
    }


def _all(pattern: str, values: JsonObject) -> JsonObject:
    """Return the schema of objects, with a schema for the members that match a pattern."""
    return {"type": "object", "patternProperties": {pattern: values}}


def _at(place: Place) -> Sequence[Keyword[object]]:
    return [keyword for keyword in KEYWORDS if place in keyword.places]


def _name(keyword: Keyword[object]) -> str:
    """Return the name of a definition: one key may have several values, each at its place."""
    return f"{keyword.name}-{keyword.places[0]}"


def _value(keyword: Keyword[object]) -> JsonObject:
    schema = draft_7(keyword.schema())
    del schema["$schema"]
    return {
        "title": keyword.name,
        **schema,
        # Editors that do not know snippets show the example.
        "examples": [keyword.example],
        "defaultSnippets": [{"label": "example", "body": keyword.example}],
    }
