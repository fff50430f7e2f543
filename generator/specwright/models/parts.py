"""Names of inline schemas that become classes, each from the place of the schema.

A name is that of the component, or of the place in an operation, and a word for each step down
from there, joined by `_`. Names of components have no `_` inside, so an addition to a document
cannot take any of these names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.operations.naming import part_name, property_word
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.discriminator_object import tag_property
from specwright.document.schemas.inspection import is_class, is_counted, is_decimal, unwrapped
from specwright.document.schemas.unions import may_overlap
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.names import pascal, words
from specwright.pointer import Pointer, join

_ONE = {"items": "Item", "additionalProperties": "Value"}
# A title with more words is a sentence.
_LONGEST_TITLE = 5


@dataclass(frozen=True, slots=True)
class SchemaPart:
    """A schema within another one.

    Attributes:
        has_name: whether it becomes a class or an alias of its own.
    """

    pointer: Pointer
    name: str
    has_name: bool


def parts(
    document: Document, pointer: Pointer, name: str, schema: JsonValue
) -> Iterator[SchemaPart]:
    """Yield the schemas within a schema with their names, at any depth."""
    for step, word, child, is_separate in _children(document, name, schema):
        within, child = unwrapped(child)
        has_name = is_separate and _has_name(document, child)
        part = SchemaPart(pointer + step + within, part_name(name, word), has_name)
        yield part
        yield from parts(document, part.pointer, part.name, child)


def _children(
    document: Document, name: str, schema: JsonValue
) -> Iterator[tuple[Pointer, str, JsonValue, bool]]:
    """Yield the steps down from a schema, a word for each, and whether the child is separate."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in _ONE:
            yield join(keyword), _ONE[keyword], value, True
        elif keyword == "properties" and isinstance(value, dict):
            for key, child in value.items():
                yield join(keyword, key), property_word(key, name), child, True
        elif keyword == "$defs" and isinstance(value, dict):
            for key, child in value.items():
                yield join(keyword, key), pascal(key), child, False
        elif keyword == "patternProperties" and isinstance(value, dict):
            for key, child in value.items():
                yield join(keyword, key), "Value", child, True
        elif keyword == "prefixItems" and isinstance(value, list):
            for index, child in enumerate(value):
                yield join(keyword, index), f"Item{index}", child, True
        elif keyword == "allOf" and isinstance(value, list):
            for index, child in enumerate(value):
                yield join(keyword, index), "", child, False
        elif keyword in UNIONS and isinstance(value, list):
            is_union = not {"properties", "allOf", *UNIONS} - {keyword} & schema.keys()
            members = _members(document, schema, value)
            for index, (child, word) in enumerate(zip(value, members, strict=True)):
                yield join(keyword, index), word, child, is_union


def _has_name(document: Document, schema: JsonValue) -> bool:
    return (
        is_class(document, schema)
        or is_decimal(schema)
        or is_counted(schema)
        or may_overlap(document, schema)
    )


def _members(document: Document, union: JsonObject, members: list[JsonValue]) -> list[str]:
    """Return a word for each alternative: its name, or a property that sets it apart."""
    is_nullable = len(members) == 2 and {"type": "null"} in members
    names: list[str] = []
    required: dict[str, set[str]] = {}
    for member in members:
        word = _called(document, union, member)
        own = _properties(member)
        if not word and own and not is_nullable:
            word = "With" + pascal(own[0])
        if word in required:
            new = next((name for name in own if name not in required[word]), None)
            word += "" if new is None else "With" + pascal(new)
        required.setdefault(word, set()).update(
            texts(mapping(member).get("required")) if own else ()
        )
        names.append(word)
    return names


def _properties(member: JsonValue) -> list[str]:
    """Return the properties of an alternative, the required ones first."""
    declared = mapping(member)
    return list(
        dict.fromkeys((*texts(declared.get("required")), *mapping(declared.get("properties"))))
    )


def _called(document: Document, union: JsonObject, member: JsonValue) -> str:
    if not isinstance(member, dict):
        return ""
    title = member.get("title")
    if isinstance(title, str) and 0 < len(words(title)) <= _LONGEST_TITLE:
        return pascal(title)
    properties = member.get("properties")
    tag = _tag(document, union, properties) if isinstance(properties, dict) else None
    return "" if tag is None else pascal(tag)


def _tag(document: Document, union: JsonObject, properties: JsonObject) -> str | None:
    """Return the only value that a property of an alternative may have."""
    first = tag_property(union)
    for name in sorted(properties, key=lambda name: name != first):
        declared = document.follow(properties[name])
        if isinstance(declared, dict):
            values = [declared["const"]] if "const" in declared else sequence(declared.get("enum"))
            if len(values) == 1 and isinstance(values[0], str) and words(values[0]):
                return values[0]
    return None
