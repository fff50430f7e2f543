"""Helpers to rewrite and to inspect schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specwright.document.model import Document
from specwright.document.shape import OBJECTS
from specwright.patterns import Pattern, parsed
from specwright.pointer import ROOT, Pointer, join
from specwright.runtime.shared.media.table import medium_of

# Keywords beside `$ref` that do not change which values are valid.
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

_OF_ARRAYS = frozenset({"items", "maxItems", "minItems", "uniqueItems"})


def map_children(schema: dict[str, Any], change: Callable[[Any, Pointer], Any]) -> dict[str, Any]:
    """Return a copy of a schema with `change` applied to each direct subschema.

    `change` also gets the pointer from the schema to the subschema.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        match OBJECTS["schema"].get(key), value:
            case "schema", dict():
                result[key] = change(value, join(key))
            case "schema[]", list():
                result[key] = [change(each, join(key, at)) for at, each in enumerate(value)]
            case "schema{}", dict():
                result[key] = {name: change(each, join(key, name)) for name, each in value.items()}
            case _:
                result[key] = value
    return result


def discriminator_mapping(schema: dict[str, Any]) -> dict[str, str]:
    """Return the references of a schema's discriminator by tag, as written in the document."""
    discriminator = schema.get("discriminator")
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    return mapping if isinstance(mapping, dict) else {}


def reference(schema: Any) -> str | None:
    """Return the `$ref` of a schema that is only a reference with annotations."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        others = [k for k in schema if k != "$ref" and not k.startswith("x-")]
        if ANNOTATIONS.issuperset(others):
            return str(schema["$ref"])
    return None


def unwrapped(schema: Any) -> tuple[Pointer, Any]:
    """Return the only part of an `allOf` with constraints, and the pointer to it.

    Annotations around it and beside it are merged into it: the wrapper is there because `$ref`
    had no siblings before OpenAPI 3.1. Any other schema is returned as it is.
    """
    parts = schema.get("allOf") if isinstance(schema, dict) else None
    around = {} if not isinstance(parts, list) else {k: schema[k] for k in schema if k != "allOf"}
    if not isinstance(parts, list) or not _only_describes(around):
        return ROOT, schema
    told = [number for number, part in enumerate(parts) if not _only_describes(part)]
    if len(told) != 1 or not isinstance(parts[told[0]], dict):
        return ROOT, schema
    words = [part for number, part in enumerate(parts) if number != told[0]]
    whole: dict[str, Any] = {}
    for word in (*words, parts[told[0]], around):
        whole |= word
    return join("allOf", told[0]), whole


def _only_describes(schema: Any) -> bool:
    return isinstance(schema, dict) and all(k in ANNOTATIONS or k.startswith("x-") for k in schema)


def is_decimal(schema: Any) -> bool:
    """Return whether a schema describes a decimal number in a string, or null."""
    if not isinstance(schema, dict) or schema.get("format") != "decimal":
        return False
    return [type_ for type_ in _listed(schema.get("type")) if type_ != "null"] == ["string"]


def checked_pattern(schema: dict[str, Any]) -> Pattern | None:
    """Return the pattern of a text as models check it; None if they cannot check one."""
    pattern = schema.get("pattern")
    found = parsed(pattern) if isinstance(pattern, str) else None
    # Of a number, only the text could be checked against a look-ahead.
    return None if found and is_decimal(schema) and (found.like or found.unlike) else found


def is_counted(schema: Any) -> bool:
    """Return whether a schema limits the number of an object's members and names none of them."""
    if not isinstance(schema, dict) or "properties" in schema:
        return False
    is_object = [type_ for type_ in _listed(schema.get("type")) if type_ != "null"] == ["object"]
    return is_object and not {"minProperties", "maxProperties"}.isdisjoint(schema)


def allows_null(document: Document, schema: Any, above: tuple[int, ...] = ()) -> bool:
    """Return whether null is a value of a schema, as far as its structure shows."""
    if not isinstance(schema, dict):
        return schema is not False
    if id(schema) in above:
        return True
    above = (*above, id(schema))
    inner = {
        keyword: [allows_null(document, member, above) for member in schema[keyword]]
        for keyword in ("allOf", "anyOf", "oneOf")
        if isinstance(schema.get(keyword), list)
    }
    ref = schema.get("$ref")
    return (
        (not isinstance(ref, str) or allows_null(document, document.resolve(ref), above))
        and ("type" not in schema or "null" in _listed(schema["type"]))
        and ("const" not in schema or schema["const"] is None)
        and ("enum" not in schema or None in _listed(schema["enum"]))
        and all(inner.get("allOf", ()))
        and any(inner.get("anyOf", (True,)))
        and any(inner.get("oneOf", (True,)))
    )


def is_binary(schema: dict[str, Any]) -> bool:
    """Return whether a schema describes raw bytes, which JSON cannot express.

    OpenAPI 3.0 marks them by a format, 3.1 by a media type without an encoding (4.8.14.3).
    """
    if "string" not in _listed(schema.get("type")):
        return False
    media_type = schema.get("contentMediaType")
    is_bytes = (
        isinstance(media_type, str)
        and "contentEncoding" not in schema
        and medium_of(media_type).is_binary
    )
    return schema.get("format") == "binary" or is_bytes


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def with_items_in_alternatives(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with keywords for arrays moved into its alternatives that are arrays."""
    moved = {k: schema[k] for k in _OF_ARRAYS & schema.keys()}
    alternatives = [k for k in ("anyOf", "oneOf") if isinstance(schema.get(k), list)]
    if not moved or not alternatives or "type" in schema:
        return schema
    rest = {k: v for k, v in schema.items() if k not in moved}
    return rest | {
        k: [{**moved, **e} if e.get("type") == "array" else e for e in schema[k]]
        for k in alternatives
    }
