"""Helpers to rewrite and to inspect schemas."""

from __future__ import annotations

from collections.abc import Callable

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.polarity import MARKS
from specwright.document.shape import OBJECTS
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
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
        "summary",
        "title",
        *MARKS,
    ]
)

_OBJECT = (None, "object", ["object", "null"], ["null", "object"])
_OF_ARRAYS = frozenset({"items", "maxItems", "minItems", "uniqueItems"})


def listed_values(schema: JsonObject) -> list[JsonValue]:
    """Return the only values that `const` or `enum` allows; empty if there are others."""
    return [schema["const"]] if "const" in schema else sequence(schema.get("enum"))


def map_children(
    schema: JsonObject, change: Callable[[JsonValue, Pointer], JsonValue]
) -> JsonObject:
    """Return a copy of a schema with `change` applied to each direct subschema.

    `change` also gets the pointer from the schema to the subschema.
    """
    result: JsonObject = {}
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


def without_xml(schema: JsonValue) -> JsonValue:
    """Return a schema without the names of elements and attributes, which no value has."""
    if not isinstance(schema, dict):
        return schema
    plain = map_children(schema, lambda part, _: without_xml(part))
    return {keyword: value for keyword, value in plain.items() if keyword != "xml"}


def reference(schema: object) -> str | None:
    """Return the `$ref` of a schema that is only a reference with annotations."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        others = [k for k in schema if k != "$ref" and not k.startswith("x-")]
        if ANNOTATIONS.issuperset(others):
            return str(schema["$ref"])
    return None


def unwrapped(schema: JsonValue) -> tuple[Pointer, JsonValue]:
    """Return the only part of an `allOf` with constraints, and the pointer to it.

    Annotations around it and beside it are merged into it: the wrapper is there because `$ref`
    had no siblings before OpenAPI 3.1. JsonValue other schema is returned as it is.
    """
    if not isinstance(schema, dict) or not isinstance(parts := schema.get("allOf"), list):
        return ROOT, schema
    around = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
    if not _only_describes(around):
        return ROOT, schema
    constraining = [number for number, part in enumerate(parts) if not _only_describes(part)]
    if len(constraining) != 1 or not isinstance(parts[constraining[0]], dict):
        return ROOT, schema
    describing = [part for number, part in enumerate(parts) if number != constraining[0]]
    whole: JsonObject = {}
    for part in (*describing, parts[constraining[0]], around):
        whole |= mapping(part)
    return join("allOf", constraining[0]), whole


def _only_describes(schema: object) -> bool:
    return isinstance(schema, dict) and all(k in ANNOTATIONS or k.startswith("x-") for k in schema)


def is_decimal(schema: object) -> bool:
    """Return whether a schema describes a decimal number in a string, or null."""
    if not isinstance(schema, dict) or schema.get("format") != "decimal":
        return False
    return [type_ for type_ in one_or_more(schema.get("type")) if type_ != "null"] == ["string"]


def checked_pattern(schema: JsonObject) -> Pattern | None:
    """Return the pattern of a text as models check it; None if they cannot check one."""
    pattern = schema.get("pattern")
    tree = parsed(pattern) if isinstance(pattern, str) else None
    # Of a number, only the text could be checked against a look-ahead.
    return None if tree and is_decimal(schema) and (tree.like or tree.unlike) else tree


def has_checked_names(schema: JsonObject) -> bool:
    """Return whether models check the `patternProperties` of a schema.

    They check one pattern that all names have to match.
    """
    names = mapping(schema.get("patternProperties"))
    return (
        len(names) == 1
        and schema.get("additionalProperties") is False
        and ("properties" not in schema)
    )


def describes_other_names(schema: JsonValue) -> bool:
    """Return whether a schema has schemas for members of an object that it does not name."""
    others = mapping(schema).get("additionalProperties"), mapping(schema).get("patternProperties")
    return any(isinstance(other, dict) and other for other in others)


def is_class(document: Document, schema: JsonValue) -> bool:
    """Return whether a schema within another one becomes a class of its own."""
    if not isinstance(schema, dict) or "$ref" in schema or schema.get("type") not in _OBJECT:
        return False
    if mapping(schema.get("properties")):
        return True
    objects = [part for part in sequence(schema.get("allOf")) if has_properties(document, part)]
    return len(objects) > 1 or any(reference(object_) is None for object_ in objects)


def has_properties(document: Document, schema: JsonValue, above: tuple[int, ...] = ()) -> bool:
    """Return whether a schema declares properties, itself or in a part of its `allOf`."""
    followed = document.follow(schema)
    if not isinstance(followed, dict) or id(followed) in above:
        return False
    above = (*above, id(followed))
    return bool(followed.get("properties")) or any(
        has_properties(document, part, above) for part in sequence(followed.get("allOf"))
    )


def is_counted(schema: object) -> bool:
    """Return whether a schema limits the number of an object's members and names none of them."""
    if not isinstance(schema, dict) or "properties" in schema:
        return False
    types = [type_ for type_ in one_or_more(schema.get("type")) if type_ != "null"]
    return types == ["object"] and not {"minProperties", "maxProperties"}.isdisjoint(schema)


def allows_null(document: Document, schema: JsonValue, above: tuple[int, ...] = ()) -> bool:
    """Return whether null is a value of a schema, as far as its structure shows."""
    if not isinstance(schema, dict):
        return schema is not False
    if id(schema) in above:
        return True
    above = (*above, id(schema))
    inner = {
        keyword: [allows_null(document, part, above) for part in parts]
        for keyword in ("allOf", *UNIONS)
        if isinstance(parts := schema.get(keyword), list)
    }
    ref = schema.get("$ref")
    return (
        (not isinstance(ref, str) or allows_null(document, document.resolve(ref), above))
        and ("type" not in schema or "null" in one_or_more(schema["type"]))
        and ("const" not in schema or schema["const"] is None)
        and ("enum" not in schema or None in one_or_more(schema["enum"]))
        and all(inner.get("allOf", ()))
        and any(inner.get("anyOf", (True,)))
        and any(inner.get("oneOf", (True,)))
    )


def is_binary(schema: JsonObject) -> bool:
    """Return whether a schema describes raw bytes, which JSON cannot express.

    OpenAPI 3.0 marks them by a format, 3.1 by a media type without an encoding (4.8.14.3).
    """
    if "string" not in one_or_more(schema.get("type")):
        return False
    media_type = schema.get("contentMediaType")
    is_bytes = (
        isinstance(media_type, str)
        and "contentEncoding" not in schema
        and medium_of(media_type).is_binary
    )
    return schema.get("format") == "binary" or is_bytes


def with_items_in_alternatives(schema: JsonObject) -> JsonObject:
    """Return a schema with keywords for arrays moved into its alternatives that are arrays."""
    moved = {k: schema[k] for k in _OF_ARRAYS & schema.keys()}
    unions = {k: v for k in UNIONS if isinstance(v := schema.get(k), list)}
    if not moved or not unions or "type" in schema:
        return schema
    rest = {k: v for k, v in schema.items() if k not in moved}
    return rest | {
        keyword: [
            {**moved, **part} if isinstance(part, dict) and part.get("type") == "array" else part
            for part in parts
        ]
        for keyword, parts in unions.items()
    }
