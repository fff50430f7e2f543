"""Where in a schema other schemas stand (JSON Schema 2020-12, sections 10 and 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ONE = frozenset(
    [
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
MANY = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
NAMED = frozenset(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"])

# What a schema may say beside `$ref` without changing which values are valid.
ANNOTATIONS = frozenset(
    [
        "$comment",
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "externalDocs",
        "readOnly",
        "summary",
        "title",
        "writeOnly",
    ]
)


def map_children(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy of a schema in which each direct subschema went through `change`."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ONE and isinstance(value, dict):
            result[key] = change(value)
        elif key in MANY and isinstance(value, list):
            result[key] = [change(each) for each in value]
        elif key in NAMED and isinstance(value, dict):
            result[key] = {name: change(each) for name, each in value.items()}
        else:
            result[key] = value
    return result


def reference(schema: Any) -> str | None:
    """The `$ref` of a schema that is nothing but a reference with annotations."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        others = [k for k in schema if k != "$ref" and not k.startswith("x-")]
        if ANNOTATIONS.issuperset(others):
            return str(schema["$ref"])
    return None
