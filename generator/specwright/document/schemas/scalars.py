"""Scalars and arrays that several schemas describe together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specwright.document.model import Document
from specwright.document.schemas.inspection import ANNOTATIONS, is_decimal
from specwright.document.shape import BOUNDS
from specwright.errors import InputError
from specwright.json_values import JsonObject, JsonValue, one_or_more
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# It opens a list of values, which no other extension does.
_OPEN = EXTENSIBLE_ENUM.name
_TYPES = ("array", "boolean", "integer", "number", "string", "null")


def joined(document: Document, schema: JsonValue) -> tuple[JsonObject, tuple[str, ...]] | None:
    """Return a schema with `allOf` as one without it, and its patterns separately.

    None for a schema without `allOf`, for one of objects, and for one with parts that no single
    schema is equivalent to.
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("allOf"), list):
        return None
    words: JsonObject = {}
    whole: JsonObject = {}
    patterns: dict[str, None] = {}
    for keyword, value in _keywords(document, schema, ()):
        if keyword in ANNOTATIONS:
            words[keyword] = value
            continue
        if keyword == "pattern" and isinstance(value, str):
            patterns[value] = None
            continue
        merge = _BOTH.get(keyword)
        both = None if merge is None else merge(whole.get(keyword, value), value)
        if both is None:
            return None
        whole[keyword] = both
    if "type" not in whole or {"const", "enum"} <= whole.keys() or is_decimal(whole):
        return None
    return words | whole, tuple(patterns)


def _keywords(
    document: Document, schema: JsonValue, above: tuple[int, ...]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the keywords of all parts of a schema, and last those of the schema itself."""
    if not isinstance(schema, dict) or id(schema) in above:
        yield "not", schema
        return
    above = (*above, id(schema))
    rest = {k: v for k, v in schema.items() if k == _OPEN or not k.startswith("x-")}
    if isinstance(parts := rest.get("allOf"), list):
        del rest["allOf"]
        for part in parts:
            yield from _keywords(document, part, above)
    if document.is_local(ref := rest.get("$ref")):
        del rest["$ref"]
        yield from _keywords(document, _target(document, ref), above)
    yield from rest.items()


def _target(document: Document, ref: str) -> JsonValue:
    try:
        return document.resolve(ref)
    except InputError:
        return None


def _same(one: JsonValue, other: JsonValue) -> JsonValue:
    return one if _are_equal(one, other) else None


def _are_equal(one: JsonValue, other: JsonValue) -> bool:
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def _bound(
    choose: Callable[[float, float], float],
) -> Callable[[JsonValue, JsonValue], float | None]:
    def chosen(one: JsonValue, other: JsonValue) -> float | None:
        if isinstance(one, int | float) and isinstance(other, int | float):
            return choose(one, other)
        return None

    return chosen


def _values(one: JsonValue, other: JsonValue) -> JsonValue:
    if not isinstance(one, list) or not isinstance(other, list):
        return None
    return [known for known in one if any(_are_equal(known, value) for value in other)] or None


def _types(one: JsonValue, other: JsonValue) -> JsonValue:
    several = [_with_integers(values) for values in (one, other)]
    common = [type_ for type_ in _TYPES if all(type_ in types for types in several)]
    if not common or not all(type_ in _TYPES for types in several for type_ in types):
        return None
    if "number" in common:
        common.remove("integer")
    return common[0] if len(common) == 1 else [*common]


def _with_integers(types: JsonValue) -> list[JsonValue]:
    listed = one_or_more(types)
    return [*listed, "integer"] if "number" in listed else listed


def _items(one: JsonValue, other: JsonValue) -> JsonValue:
    if one in (True, {}) or _are_equal(one, other):
        return other
    return one if other in (True, {}) else {"allOf": [one, other]}


def _either(one: JsonValue, other: JsonValue) -> JsonValue:
    return one is True or other is True


# One value of a keyword in place of two; None without an equivalent.
_BOTH: dict[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "const": _same,
    "enum": _values,
    "format": _same,
    "items": _items,
    "multipleOf": _same,
    "prefixItems": _same,
    "type": _types,
    "uniqueItems": _either,
    **{name: _bound(choose) for name, choose in BOUNDS.items() if not name.endswith("Properties")},
}
