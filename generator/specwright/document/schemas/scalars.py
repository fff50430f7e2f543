"""Scalars, arrays and maps that several schemas describe together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

import jsonschema_rs

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.inspection import ANNOTATIONS, is_decimal, unwrapped
from specwright.document.schemas.unions import may_overlap
from specwright.document.shape import BOUNDS, walk
from specwright.errors import InputError
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.pointer import ROOT
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# It opens a list of values, which no other extension does.
_OPEN = EXTENSIBLE_ENUM.name
# The alternatives of several unions, each with each.
_MOST_ALTERNATIVES = 50
_DEEPEST_UNION = 2
# Values in values whose schemas are joined.
_DEEPEST_VALUES = 50
_TYPES = ("array", "boolean", "integer", "number", "object", "string", "null")
_OF_MAPS = frozenset(
    {
        "additionalProperties",
        "maxProperties",
        "minProperties",
        "patternProperties",
        "propertyNames",
        "required",
    }
)


@dataclass(slots=True)
class _Parts:
    """The parts of a schema, merged.

    Attributes:
        words: annotations.
        whole: the constraints of its values, apart from patterns and unions.
        excluded: schemas of values that do not fit, of which a list of values remains.
        is_impossible: whether no value fits them all.
    """

    words: JsonObject = field(default_factory=dict)
    whole: JsonObject = field(default_factory=dict)
    patterns: dict[str, None] = field(default_factory=dict)
    unions: list[tuple[str, list[JsonValue]]] = field(default_factory=list)
    excluded: list[JsonValue] = field(default_factory=list)
    is_impossible: bool = False

    @property
    def is_map(self) -> bool:
        return self.whole.get("type") == "object" or not _OF_MAPS.isdisjoint(self.whole)

    def constraints(self) -> JsonObject:
        """Return a schema of the constraints, with `allOf` for several patterns."""
        match [*self.patterns]:
            case []:
                return self.whole
            case [pattern]:
                return {**self.whole, "pattern": pattern}
            case first, *others:
                several: list[JsonValue] = [{"pattern": pattern} for pattern in others]
                return {**self.whole, "pattern": first, "allOf": several}
        raise AssertionError


def _together(document: Document, schema: JsonValue) -> _Parts | None:
    """Merge the parts of a schema; None if one has properties or an unknown keyword."""
    parts = _Parts()
    for keyword, value in _keywords(document, schema, ()):
        if keyword in ANNOTATIONS:
            parts.words[keyword] = value
        elif keyword == "pattern" and isinstance(value, str):
            parts.patterns[value] = None
        elif keyword in UNIONS and isinstance(value, list):
            if (keyword, value) not in parts.unions:
                parts.unions.append((keyword, value))
        elif keyword == "not" and _lists_values(value):
            parts.excluded.append(value)
        else:
            merge = _BOTH.get(keyword)
            both = None if merge is None else merge(parts.whole.get(keyword, value), value)
            if both is None:
                return None
            parts.is_impossible |= both == [] and keyword != "required"
            parts.whole[keyword] = both
    if parts.excluded and not _lists_values(parts.whole):
        return None
    return parts if parts.is_impossible else _with_listed(parts)


def _lists_values(schema: JsonValue) -> bool:
    return not {"const", "enum"}.isdisjoint(mapping(schema))


def joined(document: Document, schema: JsonValue) -> tuple[JsonObject, tuple[str, ...]] | None:
    """Return a schema with `allOf` or `not` as one without it, and its patterns separately.

    None for a schema without these, for one of objects, and for one with parts that no single
    schema is equivalent to.
    """
    if not isinstance(schema, dict) or {"allOf", "not"}.isdisjoint(schema):
        return None
    parts = _together(document, schema)
    if parts is None or parts.unions or parts.is_impossible or is_decimal(parts.whole):
        return None
    if not parts.constraints():
        return None
    return parts.words | parts.whole, tuple(parts.patterns)


def is_endless(document: Document, schema: JsonObject) -> bool:
    """Return whether a joined schema would hold itself, at any depth.

    `Tree: {items: {allOf: [{$ref: Tree}, {maxItems: 3}]}}` does: its items are joined as well. So
    does one of two parts with items, of which one refers to it.
    """
    whole = joined(document, schema)
    if whole is None:
        return False
    if any(_returns(document, ref, ref, set(), _parts_of) for ref in _parts_of(document, schema)):
        return True
    for ref in _parts_of(document, mapping(whole[0].get("items"))):
        seen = set[str]()
        is_circle = _returns(document, ref, ref, seen, _reference_of)
        if is_circle and any("allOf" in mapping(_target(document, passed)) for passed in seen):
            return True
    return _repeats(document, schema, ())


def _repeats(document: Document, schema: JsonValue, above: tuple[JsonValue, ...]) -> bool:
    """Return whether a joined schema has, at some depth, items or values joined of the same parts.

    Args:
        above: the schemas that it is in.
    """
    whole = joined(document, schema)
    if whole is None:
        return False
    if schema in above or len(above) > _DEEPEST_VALUES:
        return True
    inner = [whole[0].get(keyword) for keyword in ("items", "additionalProperties")]
    return any(_repeats(document, held, (*above, schema)) for held in inner)


def _returns(
    document: Document,
    ref: str,
    to: str,
    seen: set[str],
    references_of: Callable[[Document, JsonObject], Iterator[str]],
) -> bool:
    """Return whether a schema leads back to one by references; note those passed in `seen`."""
    seen.add(ref)
    nodes = walk(_target(document, ref), "schema")
    held = {inner for node in nodes for inner in references_of(document, node.value)}
    return to in held or any(
        _returns(document, inner, to, seen, references_of) for inner in held - seen
    )


def _reference_of(document: Document, schema: JsonObject) -> Iterator[str]:
    """Yield the reference of a schema, also one with nothing beside it."""
    if document.is_local(ref := schema.get("$ref")):
        yield ref


def _parts_of(document: Document, schema: JsonObject) -> Iterator[str]:
    """Yield the references of a schema that has constraints as well: beside them, or in parts."""
    has_siblings = bool(schema.keys() - {"$ref", *ANNOTATIONS})
    for part in (*sequence(schema.get("allOf")), *([schema] if has_siblings else [])):
        if document.is_local(ref := mapping(part).get("$ref")):
            yield ref


def distributed(document: Document, schema: JsonValue) -> JsonValue:
    """Return a union of alternatives with the constraints that a schema has beside its unions.

    Alternatives that these constraints exclude are left out: a schema is false if it has no others,
    and the alternative itself if it has one. A map with `allOf` is one without it.

    None for other schemas without a union or with nothing beside it, and for parts with properties.
    """
    return _distributed(document, schema, 0)


def _distributed(document: Document, schema: JsonValue, depth: int) -> JsonValue:
    parts = _together(document, schema)
    if parts is None or not isinstance(schema, dict) or depth > _DEEPEST_UNION:
        return None
    if parts.is_impossible:
        return False
    if unwrapped(schema)[0] != ROOT:
        return None
    if not parts.unions:
        return _flat(parts) if "allOf" in schema and parts.is_map else None
    beside = parts.constraints()
    (keyword, _), *others = parts.unions
    if not beside and not others and keyword in schema:
        return None
    if others and any(may_overlap(document, {name: listed}) for name, listed in parts.unions):
        return None
    if prod(len(members) for _, members in parts.unions) > _MOST_ALTERNATIVES:
        return None
    combined = [
        _combined(document, beside, combination, depth)
        for combination in product(*(members for _, members in parts.unions))
    ]
    possible = [alternative for alternative in combined if alternative is not False]
    if None in possible:
        return None
    match possible:
        case []:
            return False
        case [dict() as alternative]:
            return parts.words | alternative
    return {**parts.words, ("anyOf" if others else keyword): possible}


def alternatives(document: Document, schema: JsonValue) -> list[JsonObject] | None:
    """Return the schemas without `allOf` that a value has to fit one of; none if it fits none.

    None for a schema of objects, and for one with parts that these are not equivalent to.
    """
    _, schema = unwrapped(schema)
    return _alternatives(document, schema, 0)


def _alternatives(document: Document, schema: JsonValue, depth: int) -> list[JsonObject] | None:
    whole = _distributed(document, schema, depth)
    if whole is False:
        return []
    if whole is None:
        flat = _together(document, schema)
        if flat is None or depth > _DEEPEST_UNION:
            return None
        if not flat.unions:
            # One of several patterns is enough here.
            return [{k: v for k, v in _flat(flat).items() if k != "allOf"}]
        if flat.constraints() or len(flat.unions) > 1:
            return None
        whole = {keyword: [*members] for keyword, members in flat.unions}
    members = [one for keyword in UNIONS for one in sequence(mapping(whole).get(keyword))]
    listed = [_alternatives(document, member, depth + 1) for member in members or [whole]]
    if any(several is None for several in listed):
        return None
    return [one for several in listed for one in several or ()]


def _combined(
    document: Document, beside: JsonObject, members: tuple[JsonValue, ...], depth: int
) -> JsonValue:
    """Return an alternative with constraints: false if it has no values, None if it is unknown."""
    whole: JsonObject = {"allOf": [*([beside] if beside else []), *members]}
    parts = _together(document, whole)
    if parts is None:
        return None
    if parts.is_impossible:
        return False
    if parts.unions:
        return _distributed(document, whole, depth + 1)
    return _flat(parts)


def _flat(parts: _Parts) -> JsonObject:
    return parts.words | parts.constraints()


def _with_listed(parts: _Parts) -> _Parts:
    """Leave only those of the listed values that the other constraints accept, in their place."""
    whole = parts.whole
    limits = {k: v for k, v in parts.constraints().items() if k not in ("const", "format", "type")}
    listed = {"const", "enum"} & whole.keys()
    if not listed or (len(listed) == 1 and limits.keys() <= {"enum"} and not parts.excluded):
        return parts
    excluded: JsonObject = {"not": {"anyOf": parts.excluded}} if parts.excluded else {}
    if any("$ref" in node.value for node in walk({**limits, **excluded}, "schema")):
        return parts
    values = [whole["const"]] if "const" in whole else sequence(whole["enum"])
    try:
        validator = jsonschema_rs.Draft202012Validator({**parts.constraints(), **whole, **excluded})
    except ValueError:
        # The official schema reports it.
        return parts
    kept = [value for value in values if validator.is_valid(value)]
    declared: JsonObject = {k: whole[k] for k in ("format", "type") if k in whole}
    parts.whole = {**declared, "const": kept[0]} if "const" in whole and kept else declared
    if "const" not in whole:
        parts.whole["enum"] = kept
    parts.patterns = {}
    parts.is_impossible = not kept
    return parts


def _keywords(
    document: Document, schema: JsonValue, above: tuple[int, ...]
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the keywords of all parts of a schema, and last those of the schema itself."""
    if schema is True:
        return
    if not isinstance(schema, dict) or id(schema) in above:
        yield ("type", []) if schema is False else ("not", schema)
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


def _const(one: JsonValue, other: JsonValue) -> JsonValue:
    return one if _are_equal(one, other) else []


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
    return [known for known in one if any(_are_equal(known, value) for value in other)]


def _types(one: JsonValue, other: JsonValue) -> JsonValue:
    several = [_with_integers(values) for values in (one, other)]
    common = [type_ for type_ in _TYPES if all(type_ in types for types in several)]
    if not all(type_ in _TYPES for types in several for type_ in types):
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
    if False in (one, other):
        return False
    return one if other in (True, {}) else {"allOf": [one, other]}


def _names(one: JsonValue, other: JsonValue) -> JsonValue:
    if not isinstance(one, list) or not isinstance(other, list):
        return None
    return [*one, *(name for name in other if name not in one)]


def _either(one: JsonValue, other: JsonValue) -> JsonValue:
    return one is True or other is True


# One value of a keyword in place of two; None without an equivalent.
_BOTH: dict[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "additionalProperties": _items,
    "const": _const,
    "contentEncoding": _same,
    "contentMediaType": _same,
    "enum": _values,
    "format": _same,
    "items": _items,
    "multipleOf": _same,
    "patternProperties": _same,
    "prefixItems": _same,
    "propertyNames": _same,
    "required": _names,
    "type": _types,
    "uniqueItems": _either,
    **{name: _bound(choose) for name, choose in BOUNDS.items()},
}
