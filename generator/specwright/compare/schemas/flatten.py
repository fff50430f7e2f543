"""Schemas as one set of keywords, with references and `allOf` merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from specwright.document.model import Document
from specwright.document.schemas.applicators import REFERENCES, UNIONS, Subschema, held, spread
from specwright.document.schemas.inspection import ANNOTATIONS
from specwright.document.schemas.polarity import Polarity, mark_of
from specwright.document.shape import BOUNDS
from specwright.document.sources.upgrade import CONTENT_FORMATS
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence, texts
from specwright.pointer import Pointer, join, resolve

# The keyword and the name of a subschema, such as a member of `properties`.
ChildKey = tuple[str, str]
# Keywords that hold alternatives.
# Keywords whose subschemas are compared one by one; others are proven as a whole.
_SINGLE = ("items", "additionalProperties", "contains", "propertyNames", "contentSchema")
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_LISTED = ("prefixItems",)
# For these, a schema that accepts everything has no effect.
_OPEN = ("items", "additionalProperties", "propertyNames", "unevaluatedProperties")
# Keywords with a meaning that depends on other keywords of the same schema.
_CONTAINING = frozenset(("contains", "minContains", "maxContains"))
_CONDITIONAL = frozenset(("if", "then", "else"))
_SIBLINGS: Mapping[str, frozenset[str]] = {
    "items": frozenset(("prefixItems",)),
    "prefixItems": frozenset(("items", "prefixItems")),
    **dict.fromkeys(_CONTAINING, _CONTAINING),
    **dict.fromkeys(_CONDITIONAL, _CONDITIONAL),
}


# A schema in the walk: all of these apply.
Subschemas = tuple[Subschema, ...]


@dataclass(slots=True)
class FlatSchema:
    """The keywords of a schema for one polarity.

    Attributes:
        parts: the objects that it was merged from.
        keywords: its own keywords, without subschemas.
        where: the place of each keyword.
        children: the subschemas by keyword and name; all places of one apply.
        choices: the alternatives of `anyOf` and `oneOf`.
        hidden: properties that only the other side sends, with the place that says so.
        null: the place of null, if it is an alternative to the rest of the schema.
    """

    places: Subschemas
    parts: tuple[Pointer, ...] = ()
    keywords: JsonObject = field(default_factory=dict)
    where: dict[str, Pointer] = field(default_factory=dict)
    children: dict[ChildKey, Subschemas] = field(default_factory=dict)
    choices: dict[str, list[Subschema]] = field(default_factory=dict)
    hidden: Mapping[str, Pointer] = field(default_factory=dict)
    null: Pointer | None = None

    @property
    def pointer(self) -> Pointer:
        """The place of the schema as a whole."""
        return self.places[0].pointer

    def place(self, keyword: str, other: FlatSchema) -> Pointer:
        """Return the place of a keyword, or else the place that it would have, as in `other`."""
        if keyword in self.where:
            return self.where[keyword]
        owner = other.where[keyword].rpartition("/")[0] if keyword in other.where else None
        return owner if owner in self.parts else self.pointer

    @property
    def required(self) -> frozenset[str]:
        return frozenset(texts(self.keywords.get("required")))


def flatten(
    document: Document,
    places: Subschemas,
    polarity: Polarity,
    above: frozenset[Pointer] = frozenset(),
) -> FlatSchema:
    """Merge the schemas at all places into one set of keywords, for one polarity.

    Args:
        above: the alternatives that contain this one, to stop at cycles.
    """
    parts = list(_parts(document, places))
    inner = nullable(parts[0]) if len(parts) == 1 else None
    if inner is not None and inner.pointer not in above:
        flat = flatten(document, (inner,), polarity, above | {inner.pointer})
        kinds = types(flat.keywords.get("type"))
        if kinds and not flat.choices and not {"not", "allOf", "if", "const"} & set(flat.keywords):
            flat.keywords["type"] = [*kinds, "null"] if "null" not in kinds else [*kinds]
            if isinstance(values := flat.keywords.get("enum"), list):
                flat.keywords["enum"] = [*values, None]
            flat.places = places
            flat.parts = (parts[0].pointer, *flat.parts)
            flat.null = inner.pointer.rpartition("/")[0]
            for name, value in mapping(parts[0].value).items():
                if name not in UNIONS:
                    flat.keywords[name] = value
                    flat.where[name] = parts[0].pointer + join(name)
            return flat
    flat = FlatSchema(places, tuple(part.pointer for part in parts))
    for part in parts:
        others = [mapping(sibling.value) for sibling in parts if sibling is not part]
        if _merges(mapping(part.value), others):
            _add_part(flat, document, part)
        elif resolve(document.data, part.pointer) is part.value:
            apart = sum(keyword == "allOf" for keyword, _ in flat.children)
            _add_child(flat, ("allOf", str(apart)), part)
        else:
            _add_residue(flat, part.pointer, mapping(part.value))
    _drop_hidden(flat, document, polarity)
    return flat


def _parts(document: Document, schemas: Subschemas) -> Iterator[Subschema]:
    """Yield the objects that a schema consists of, each once, to stop at cycles."""

    def components(schema: Subschema) -> list[Subschema]:
        return list(held(document, schema, _composing(document, schema.value)))

    for schema in spread(schemas, components):
        if schema.value is False:
            yield Subschema(schema.pointer, {"not": {}})
        elif isinstance(schema.value, dict):
            composing = _composing(document, schema.value)
            own = {name: value for name, value in schema.value.items() if name not in composing}
            if own or not components(schema):
                # An unchanged part is yielded as the document's own object.
                yield Subschema(schema.pointer, own) if composing else schema


def _composing(document: Document, value: JsonValue) -> list[str]:
    """Return the keywords with schemas that all apply unconditionally to the same value."""
    if not isinstance(value, dict):
        return []
    lists = {name: len(member) for name, member in value.items() if isinstance(member, list)}
    return [
        *(name for name in REFERENCES if document.is_local(value.get(name))),
        *(["allOf"] if "allOf" in lists else []),
        *(name for name in UNIONS if lists.get(name) == 1),
    ]


def nullable(part: Subschema) -> Subschema | None:
    """Return the only alternative to null, if a schema consists of just these two."""
    schema = mapping(part.value)
    for name in UNIONS:
        choices = schema.get(name)
        if (
            isinstance(choices, list)
            and len(choices) == 2
            and any(map(_is_null, choices))
            and all(other == name or is_note(other) for other in schema)
        ):
            index = 1 - [*map(_is_null, choices)].index(True)
            return Subschema(part.pointer + join(name, index), choices[index])
    return None


def _is_null(schema: JsonValue) -> bool:
    """Return whether a schema is `type: null`, regardless of annotations."""
    return isinstance(schema, dict) and {
        name: value for name, value in schema.items() if not is_note(name)
    } == {"type": "null"}


def is_note(keyword: str) -> bool:
    """Return whether a keyword does not constrain the values of a schema."""
    return keyword in ANNOTATIONS or keyword.startswith("x-")


def _merges(part: JsonObject, others: list[JsonObject]) -> bool:
    """Return whether a part means the same when merged with the keywords of others."""
    if any(
        _SIBLINGS[name] & other.keys() for name in _SIBLINGS if name in part for other in others
    ):
        return False
    if part.get("additionalProperties") in (None, True, {}):
        return True
    named = {name for other in others for name in mapping(other.get("properties"))}
    return named <= mapping(part.get("properties")).keys() and "patternProperties" not in part


def _add_part(flat: FlatSchema, document: Document, part: Subschema) -> None:
    schema = mapping(part.value)
    for name, value in schema.items():
        at = part.pointer + join(name)
        if name in _OPEN and document.follow(value) in (True, {}):
            continue
        if name in _SINGLE and isinstance(value, dict):
            _add_child(flat, (name, ""), Subschema(at, value))
        elif name in _NAMED and isinstance(value, dict):
            for key, child in value.items():
                _add_child(flat, (name, key), Subschema(at + join(key), child))
        elif name in _LISTED and isinstance(value, list):
            for index, child in enumerate(value):
                _add_child(flat, (name, str(index)), Subschema(at + join(index), child))
        elif name in UNIONS and isinstance(value, list) and name not in flat.choices:
            flat.choices[name] = [
                Subschema(at + join(index), choice) for index, choice in enumerate(value)
            ]
        elif name == "format" and str(value) in CONTENT_FORMATS:
            keyword, content = CONTENT_FORMATS[str(value)]
            _add_keyword(flat, keyword, schema.get(keyword, content), at)
        else:
            _add_keyword(flat, name, value, at)


def _add_child(flat: FlatSchema, key: ChildKey, place: Subschema) -> None:
    flat.children[key] = (*flat.children.get(key, ()), place)
    flat.where.setdefault(key[0], place.pointer)


def _add_keyword(flat: FlatSchema, name: str, value: JsonValue, at: Pointer) -> None:
    if name not in flat.keywords or flat.keywords[name] == value:
        flat.keywords[name] = value
        flat.where.setdefault(name, at)
    elif name in _MERGED:
        try:
            flat.keywords[name] = _MERGED[name](flat.keywords[name], value)
        except TypeError:
            _add_residue(flat, at, {name: value})
    elif not is_note(name):
        _add_residue(flat, at, {name: value})


def _add_residue(flat: FlatSchema, at: Pointer, value: JsonObject) -> None:
    sequence(flat.keywords.setdefault("allOf", [])).append(value)
    flat.where.setdefault("allOf", at)


def _drop_hidden(flat: FlatSchema, document: Document, polarity: Polarity) -> None:
    """Remove properties that only the other side sends; they may be present, and are ignored."""
    flat.hidden = {
        name: mark
        for (keyword, name), places in flat.children.items()
        if keyword == "properties"
        for mark in [mark_of(document, places, polarity)]
        if mark is not None
    }
    for name in flat.hidden:
        del flat.children["properties", name]
    if flat.hidden and "required" in flat.keywords:
        flat.keywords["required"] = [*sorted(flat.required - flat.hidden.keys())]


def types(value: JsonValue) -> list[str]:
    """Return the names in a `type`, one or several."""
    return texts(one_or_more(value))


def _both_types(first: JsonValue, second: JsonValue) -> JsonValue:
    mine, others = types(first), types(second)
    shared = [kind for kind in mine if kind in others or (kind == "integer" and "number" in others)]
    is_number = "number" in mine and "integer" not in shared
    return [*shared, *(kind for kind in others if kind == "integer" and is_number)]


def _names_of_both(first: JsonValue, second: JsonValue) -> JsonValue:
    mine, others = _array(first), _array(second)
    return [*mine, *(name for name in others if name not in mine)]


def _values_of_both(first: JsonValue, second: JsonValue) -> JsonValue:
    others = _array(second)
    return [value for value in _array(first) if value in others]


def _array(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _bound(choose: Callable[[float, float], float]) -> Callable[[JsonValue, JsonValue], JsonValue]:
    def chosen(first: JsonValue, second: JsonValue) -> JsonValue:
        if not isinstance(first, int | float) or not isinstance(second, int | float):
            raise TypeError
        return choose(first, second)

    return chosen


# Keywords for which two values can be merged into one; a TypeError if one of them is invalid.
_MERGED: Mapping[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "type": _both_types,
    "required": _names_of_both,
    "enum": _values_of_both,
    **{name: _bound(choose) for name, choose in BOUNDS.items()},
}
