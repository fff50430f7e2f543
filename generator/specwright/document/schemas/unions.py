"""Unions, and discriminators that tell their members apart (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from typing import Any

from specwright.document.model import Document
from specwright.document.schemas.inspection import discriminator_mapping
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# Types of values without properties; null has none either, but is recognized by itself.
NOT_OBJECTS = ("array", "boolean", "integer", "number", "string")
# The number of nested schemas that are searched for the types of one.
_MOST_UNIONS = 100

_Types = dict[int, frozenset[str] | None]


def unknown_member(document: Document, schema: Any) -> dict[str, Any] | None:
    """Return the schema of an alternative that a union may get later.

    None unless the discriminator identifies every alternative of the union.
    """
    if not isinstance(schema, dict) or not is_told_apart(document, schema):
        return None
    tag = schema["discriminator"]["propertyName"]
    members = _list(schema, "oneOf") or _list(schema, "anyOf")
    if not members or not all(says_its_tag(document, member, tag) for member in members):
        return None
    objects = [document.follow(member) for member in members]
    properties = [object_.get("properties", {}) for object_ in objects]
    shared = [name for name in properties[0] if all(name in property_ for property_ in properties)]
    alike = {name for name in shared if _is_alike([property_[name] for property_ in properties])}
    required = set.intersection(*(set(_list(object_, "required")) for object_ in objects))
    return {
        "type": "object",
        "description": f"A value with a `{tag}` that is newer than this package.",
        "properties": {
            name: properties[0][name]
            if name in alike
            else _open(document, [property_[name] for property_ in properties])
            for name in shared
        }
        | {tag: {"type": "string"}},
        "required": sorted({tag} | (required & alike)),
    }


def is_open(schema: dict[str, Any]) -> bool:
    """Return whether a union may have other alternatives than those that it lists."""
    return EXTENSIBLE_ENUM.name in schema


def may_overlap(document: Document, schema: Any) -> bool:
    """Return whether a value may fit several alternatives of a `oneOf`, judged by types."""
    if not isinstance(schema, dict) or "discriminator" in schema:
        return False
    found = [_types(document, member) for member in _list(schema, "oneOf")]
    known = [types for types in found if types is not None]
    is_shared = len(frozenset().union(*known)) < sum(map(len, known))
    return len(found) > 1 and (len(known) < len(found) or is_shared)


def has_nameless_union(document: Document, schema: dict[str, Any]) -> bool:
    """Return whether an alternative of a `oneOf` is a union without a name in models.

    For Python, `(A | B) | C` has three alternatives.
    """
    return any(
        isinstance(member, dict)
        and (
            _list(member, "anyOf") or _list(member, "oneOf") or isinstance(member.get("type"), list)
        )
        and not may_overlap(document, member)
        for member in _list(schema, "oneOf")
    )


def _types(document: Document, schema: Any, known: _Types | None = None) -> frozenset[str] | None:
    """Return the types of a schema's values; None if they are open or the schema is invalid."""
    known = {} if known is None else known
    followed = document.follow(schema)
    if not isinstance(followed, dict) or id(followed) in known or len(known) > _MOST_UNIONS:
        return known.get(id(followed))
    known[id(followed)] = None
    kinds = followed.get("type")
    if kinds is None:
        alternatives = _list(followed, "anyOf") or _list(followed, "oneOf")
        found = [_types(document, alternative, known) for alternative in alternatives]
        typed = [types for types in found if types is not None]
        is_typed = bool(typed) and len(typed) == len(found)
        known[id(followed)] = frozenset().union(*typed) if is_typed else None
    elif all(isinstance(kind, str) for kind in _listed(kinds)):
        named = ("number" if kind == "integer" else kind for kind in _listed(kinds))
        known[id(followed)] = frozenset(named)
    return known[id(followed)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_alike(schemas: list[Any]) -> bool:
    """Return whether schemas differ only in their descriptions."""
    first, *others = (
        {k: v for k, v in schema.items() if k != "description"}
        if isinstance(schema, dict)
        else schema
        for schema in schemas
    )
    return all(other == first for other in others)


def _open(document: Document, schemas: list[Any]) -> Any:
    """Return a schema for the property of one more alternative, where the known ones differ."""
    followed = [document.follow(schema) for schema in schemas]
    is_object = all(
        isinstance(member, dict) and member.get("type") == "object" for member in followed
    )
    return {"type": ["object", "null"]} if is_object else {}


def is_told_apart(document: Document, schema: dict[str, Any]) -> bool:
    """Return whether a discriminator is usable.

    All alternatives must be able to have the property, and two that list its values must not
    share one, unless a mapping assigns it. If a base lists values for its subtypes, each value
    must be the name of a schema.
    """
    discriminator = schema.get("discriminator")
    tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
    if not isinstance(tag, str) or not tag:
        return False
    members = [*_list(schema, "oneOf"), *_list(schema, "anyOf")]
    kinds = [document.follow(member) for member in members or [schema]]
    if any(isinstance(kind, dict) and kind.get("type") in NOT_OBJECTS for kind in kinds):
        return False
    mapping = discriminator_mapping(schema)
    values = [value for kind in kinds for value in tags(document, kind, tag) or []]
    # A value that is not a string does not name anything.
    unmapped = [value for value in values if not isinstance(value, str) or value not in mapping]
    if members:
        return all(unmapped.count(value) == 1 for value in unmapped)
    names = document.data.get("components", {}).get("schemas", {})
    return all(isinstance(value, str) and value in names for value in unmapped)


def says_its_tag(document: Document, schema: Any, tag: str) -> bool:
    """Return whether an object lists its own values of the tag."""
    return tags(document, schema, tag) is not None


def tags(
    document: Document, schema: Any, tag: str, above: tuple[dict[str, Any], ...] = ()
) -> list[Any] | None:
    """Return the values of the tag that an object lists as its own; None if it lists none."""
    followed = document.follow(schema)
    if not isinstance(followed, dict) or any(followed is parent for parent in above):
        return None
    properties = followed.get("properties")
    declared = document.follow(properties.get(tag)) if isinstance(properties, dict) else None
    if isinstance(declared, dict):
        if "const" in declared:
            return [declared["const"]]
        if "enum" in declared:
            return _list(declared, "enum")
    parts = (tags(document, e, tag, (*above, followed)) for e in _list(followed, "allOf"))
    return next((part for part in parts if part is not None), None)


def _list(schema: dict[str, Any], keyword: str) -> list[Any]:
    """Return the array of a keyword; empty if it is absent or has an invalid shape."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []
