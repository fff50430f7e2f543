"""Unions whose members are told apart by one of their properties (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from typing import Any

from specwright.document.model import Document
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# Types of values that have no properties; null has none either, and is told apart by itself.
NOT_OBJECTS = ("array", "boolean", "integer", "number", "string")


def open_member(document: Document, schema: Any) -> dict[str, Any] | None:
    """The schema of what an open union may hold later; None for one that is not open."""
    if not isinstance(schema, dict) or EXTENSIBLE_ENUM.name not in schema:
        return None
    if not is_told_apart(document, schema):
        return None
    tag = schema["discriminator"]["propertyName"]
    members = _list(schema, "oneOf") or _list(schema, "anyOf")
    if not all(_says_its_tag(document, member, tag) for member in members):
        return None
    return {
        "type": "object",
        "description": f"A value whose `{tag}` is newer than this package.",
        "properties": {tag: {"type": "string"}},
        "required": [tag],
    }


def is_told_apart(document: Document, schema: dict[str, Any]) -> bool:
    """Whether a discriminator can do its work: all alternatives may have the property."""
    discriminator = schema.get("discriminator")
    tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
    if not isinstance(tag, str) or not tag:
        return False
    members = [*_list(schema, "oneOf"), *_list(schema, "anyOf")]
    kinds = [document.follow(each) for each in members or [schema]]
    return not any(isinstance(each, dict) and each.get("type") in NOT_OBJECTS for each in kinds)


def _says_its_tag(
    document: Document, schema: Any, tag: str, above: tuple[dict[str, Any], ...] = ()
) -> bool:
    """Whether an object says by itself which values of the tag are its own."""
    followed = document.follow(schema)
    if not isinstance(followed, dict) or any(followed is each for each in above):
        return False
    properties = followed.get("properties")
    declared = document.follow(properties.get(tag)) if isinstance(properties, dict) else None
    if isinstance(declared, dict) and ("const" in declared or "enum" in declared):
        return True
    parts = _list(followed, "allOf")
    return any(_says_its_tag(document, part, tag, (*above, followed)) for part in parts)


def _list(schema: dict[str, Any], keyword: str) -> list[Any]:
    """Return the array of a keyword; empty if it is absent or has the wrong shape."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []
