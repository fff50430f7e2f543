"""JSON types of values that are sent as text: of a parameter's value, and of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from specwright.document.model import Document
from specwright.document.schemas.inspection import listed_values
from specwright.document.schemas.value_types import structure
from specwright.ir.model.values import Kind
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.text import Text

MAX_DEPTH = 4
ALTERNATIVES = ("oneOf", "anyOf", "allOf")
COMPOSITE = (Kind.ARRAY, Kind.OBJECT)
_BY_TYPE = {str: "string", bool: "boolean", int: "integer", float: "number"}


@dataclass(frozen=True, slots=True)
class Kinds:
    """The JSON types of a value as text.

    Attributes:
        inner: the types of items and members that are not text, by names joined with dots; `*`
            means any item, and any member that is not named.
        alone: the type of a value that is neither array nor object, if it may be one.
    """

    kind: Kind
    inner: dict[Text, Kind]
    alone: Kind | None


def kinds(document: Document, schema: JsonValue, *, depth: int = 1) -> Kinds:
    """Return the JSON types of values of a schema, and of their parts up to this depth."""
    alternatives = list(_alternatives(document, schema, ()))
    kind, described = next(
        (
            kind_and_type
            for wanted in COMPOSITE
            for kind_and_type in alternatives
            if kind_and_type[0] is wanted
        ),
        alternatives[0] if alternatives else (Kind.ANY, {}),
    )
    if kind not in COMPOSITE:
        # Each integer is a number.
        is_number = kind is Kind.INTEGER and any(k is Kind.NUMBER for k, _ in alternatives)
        return Kinds(Kind.NUMBER if is_number else kind, {}, None)
    inner: dict[Text, Kind] = {}
    for name, member in _members(kind, described) if depth else ():
        below = kinds(document, member, depth=depth - 1)
        if below.kind is not Kind.STRING:
            inner[Text(name)] = below.kind
        inner |= {
            Text(f"{name}.{path.raw}"): inner_kind for path, inner_kind in below.inner.items()
        }
    return Kinds(kind, inner, next((k for k, _ in alternatives if k not in COMPOSITE), None))


def _members(kind: Kind, schema: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    if kind is Kind.OBJECT:
        yield from mapping(schema.get("properties")).items()
    others = schema.get("items" if kind is Kind.ARRAY else "additionalProperties")
    if isinstance(others, dict):
        yield "*", others


def _alternatives(
    document: Document, schema: JsonValue, above: tuple[int, ...]
) -> Iterator[tuple[Kind, JsonObject]]:
    """Yield the types that a value may have, except null, each with its schema."""
    schema = document.follow(schema)
    # An alternative that is the whole schema again adds nothing.
    if not isinstance(schema, dict) or id(schema) in above:
        return
    keyword = next((alternative for alternative in ALTERNATIVES if schema.get(alternative)), None)
    if schema.get("type") is None and keyword is not None:
        below = [
            [*_alternatives(document, member, (*above, id(schema)))]
            for member in sequence(schema[keyword])
        ]
        if keyword == "allOf":
            # One part names the type, and others may only limit its values.
            typed = (part for part in below if any(kind is not Kind.ANY for kind, _ in part))
            below = [next(typed, below[0])]
        yield from chain.from_iterable(below)
        return
    types = schema.get("type")
    for name in one_or_more(types):
        if name != "null":
            yield _kind(name, schema), schema


def _kind(name: JsonValue, schema: JsonObject) -> Kind:
    if name is None and (values := listed_values(schema)):
        types = {type(value) for value in values}
        name = _BY_TYPE.get(types.pop()) if len(types) == 1 else None
    elif name is None:
        name = next(iter(structure(schema)), None)
    return Kind(name) if name in set(Kind) else Kind.ANY
