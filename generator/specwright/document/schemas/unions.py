"""Unions, and discriminators that tell their members apart (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.discriminator_object import DISCRIMINATOR, mapped, tag_property
from specwright.document.shape import walk
from specwright.json_values import (
    JsonObject,
    JsonValue,
    declared_mapping,
    mapping,
    one_or_more,
    sequence,
    texts,
)
from specwright.pointer import Pointer, join, resolve
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# Types of values without properties; null has none either, but is recognized by itself.
NOT_OBJECTS = ("array", "boolean", "integer", "number", "string")
# The number of nested schemas that are searched for the types of one.
_MOST_UNIONS = 100

_Types = dict[int, frozenset[str] | None]


def unknown_member(document: Document, schema: JsonValue) -> JsonObject | None:
    """Return the schema of an alternative that a union may get later.

    None unless the discriminator identifies every alternative of the union.
    """
    tag = tag_property(schema)
    if not isinstance(schema, dict) or tag is None or not is_told_apart(document, schema):
        return None
    members = sequence(schema.get("oneOf")) or sequence(schema.get("anyOf"))
    if not members or not all(says_its_tag(document, member, tag) for member in members):
        return None
    objects = [mapping(document.follow(member)) for member in members]
    properties = [declared_mapping(object_.get("properties")) for object_ in objects]
    shared = [name for name in properties[0] if all(name in property_ for property_ in properties)]
    alike = {name for name in shared if _is_alike([property_[name] for property_ in properties])}
    required = set.intersection(*(set(texts(object_.get("required"))) for object_ in objects))
    members_of_all: JsonObject = {
        name: properties[0][name]
        if name in alike
        else _open(document, [property_[name] for property_ in properties])
        for name in shared
    }
    return {
        "type": "object",
        "description": f"A value with a `{tag}` that is newer than this package.",
        "properties": {**members_of_all, tag: {"type": "string"}},
        "required": [*sorted({tag} | (required & alike))],
    }


def is_open(schema: JsonObject) -> bool:
    """Return whether a union may have other alternatives than those that it lists."""
    return EXTENSIBLE_ENUM.name in schema


def may_overlap(document: Document, schema: JsonValue) -> bool:
    """Return whether a value may fit several alternatives of a `oneOf`, judged by types."""
    if not isinstance(schema, dict) or DISCRIMINATOR in schema:
        return False
    alternatives = [_types(document, member) for member in sequence(schema.get("oneOf"))]
    known = [types for types in alternatives if types is not None]
    is_shared = len(frozenset().union(*known)) < sum(map(len, known))
    return len(alternatives) > 1 and (len(known) < len(alternatives) or is_shared)


def has_nameless_union(document: Document, schema: JsonObject) -> bool:
    """Return whether an alternative of a `oneOf` is a union without a name in models.

    For Python, `(A | B) | C` has three alternatives.
    """
    return any(
        isinstance(member, dict)
        and (
            sequence(member.get("anyOf"))
            or sequence(member.get("oneOf"))
            or len({*texts(one_or_more(member.get("type")))} - {"null"}) > 1
        )
        and not may_overlap(document, member)
        for member in sequence(schema.get("oneOf"))
    )


def _types(
    document: Document, schema: JsonValue, known: _Types | None = None
) -> frozenset[str] | None:
    """Return the types of a schema's values; None if they are open or the schema is invalid."""
    known = {} if known is None else known
    followed = document.follow(schema)
    if not isinstance(followed, dict) or id(followed) in known or len(known) > _MOST_UNIONS:
        return known.get(id(followed))
    known[id(followed)] = None
    declared = followed.get("type")
    names = texts(one_or_more(declared))
    if declared is None:
        alternatives = sequence(followed.get("anyOf")) or sequence(followed.get("oneOf"))
        of_alternatives = [_types(document, alternative, known) for alternative in alternatives]
        typed = [types for types in of_alternatives if types is not None]
        is_typed = bool(typed) and len(typed) == len(of_alternatives)
        known[id(followed)] = frozenset().union(*typed) if is_typed else None
    elif len(names) == len(one_or_more(declared)):
        known[id(followed)] = frozenset("number" if name == "integer" else name for name in names)
    return known[id(followed)]


def _is_alike(schemas: list[JsonValue]) -> bool:
    """Return whether schemas differ only in their descriptions."""
    first, *others = (
        {k: v for k, v in schema.items() if k != "description"}
        if isinstance(schema, dict)
        else schema
        for schema in schemas
    )
    return all(other == first for other in others)


def _open(document: Document, schemas: list[JsonValue]) -> JsonValue:
    """Return a schema for the property of one more alternative, where the known ones differ."""
    followed = [document.follow(schema) for schema in schemas]
    is_object = all(
        isinstance(member, dict) and member.get("type") == "object" for member in followed
    )
    return {"type": ["object", "null"]} if is_object else {}


def circular_alternatives(document: Document) -> list[Pointer]:
    """Return alternatives of unions that lead back to the union, so that no type is behind them.

    Whether a value fits them is undefined (JSON Schema 2020-12, core, 9.4.1). Without those that
    are returned, all unions have an end.
    """
    unions = {
        node.pointer: [
            node.pointer + join(keyword, number)
            for keyword in UNIONS
            for number, member in enumerate(sequence(node.value.get(keyword)))
            if "$ref" in mapping(member)
        ]
        for node in walk(document.data)
        if node.kind == "schema" and not node.value.keys().isdisjoint(UNIONS)
    }
    ends = {
        member: document.end(member, resolve(document.data, member))[0]
        for members in unions.values()
        for member in members
    }
    circular = []
    for union, members in unions.items():
        for member in members:
            if _reaches(ends[member], union, unions, ends):
                del ends[member]
                circular.append(member)
    return circular


def _reaches(
    start: Pointer,
    end: Pointer,
    unions: Mapping[Pointer, Sequence[Pointer]],
    ends: Mapping[Pointer, Pointer],
) -> bool:
    """Return whether a union is a schema, or one of its alternatives, at any depth."""
    pending, seen = [start], {start}
    while pending:
        pointer = pending.pop()
        if pointer == end:
            return True
        further = {ends[member] for member in unions.get(pointer, ()) if member in ends} - seen
        seen |= further
        pending += further
    return False


def is_told_apart(document: Document, schema: JsonObject) -> bool:
    """Return whether a discriminator is usable.

    All alternatives must be able to have the property, and two that list its values must not
    share one, unless a mapping assigns it. If a base lists values for its subtypes, each value
    must be the name of a schema.
    """
    tag = tag_property(schema)
    if tag is None:
        return False
    members = [*sequence(schema.get("oneOf")), *sequence(schema.get("anyOf"))]
    kinds = [document.follow(member) for member in members or [schema]]
    if any(isinstance(kind, dict) and kind.get("type") in NOT_OBJECTS for kind in kinds):
        return False
    known = mapped(schema)
    values = [value for kind in kinds for value in tags(document, kind, tag) or []]
    # A value that is not a string does not name anything.
    unmapped = [value for value in values if not isinstance(value, str) or value not in known]
    if members:
        return all(unmapped.count(value) == 1 for value in unmapped)
    names = mapping(mapping(document.data.get("components")).get("schemas"))
    return all(isinstance(value, str) and value in names for value in unmapped)


def says_its_tag(document: Document, schema: JsonValue, tag: str) -> bool:
    """Return whether an object lists its own values of the tag."""
    return tags(document, schema, tag) is not None


def tags(document: Document, schema: JsonValue, tag: str) -> list[JsonValue] | None:
    """Return the values of the tag that an object lists as its own; None if it lists none."""
    pending, seen = [schema], set[int]()
    while pending:
        followed = document.follow(pending.pop())
        if not isinstance(followed, dict) or id(followed) in seen:
            continue
        seen.add(id(followed))
        declared = document.follow(mapping(followed.get("properties")).get(tag))
        if isinstance(declared, dict):
            if "const" in declared:
                return [declared["const"]]
            if "enum" in declared:
                return sequence(declared.get("enum"))
        pending += sequence(followed.get("allOf"))[::-1]
    return None
