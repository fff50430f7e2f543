"""The schemas that may apply to a value and to its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from specwright.conformance.recording.exchange import readings
from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, applying, held, of_item, of_property
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, join, resolve


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A part of a value.

    Attributes:
        pointer: its place in the value.
        schemas: those that the part around it has for this one.
        applied: these, and all that may apply to the same value.
    """

    pointer: Pointer
    value: JsonValue
    schemas: tuple[Subschema, ...]
    applied: tuple[Subschema, ...]


def in_place(document: Document, schema: Pointer) -> Iterator[tuple[Pointer, JsonObject]]:
    """Yield the schema at a pointer and those that apply with it, each with its pointer."""
    for subschema in applying(document, [subschema_at(document, schema)]):
        if isinstance(subschema.value, dict):
            yield subschema.pointer, subschema.value


def subschema_at(document: Document, schema: Pointer) -> Subschema:
    """Return the schema at a pointer."""
    return Subschema(schema, resolve(document.data, schema))


def any_item(pointer: Pointer) -> Pointer:
    """Return a place in a value, with `*` for the number of an item."""
    return re.sub(r"/\d+(?=/|$)", "/*", pointer)


def value_parts(
    document: Document,
    schema: Subschema,
    value: JsonValue,
    matters: Callable[[Subschema], bool] = lambda _: True,
) -> Iterator[ValuePart]:
    """Yield a value and its parts, at any depth, to which a schema applies.

    Args:
        matters: whether a schema, or one that it holds, is of interest.
    """
    pending: list[tuple[Pointer, list[Subschema], JsonValue]] = [("", [schema], value)]
    # Items of one list have the same schemas.
    known: dict[tuple[Pointer, ...], tuple[Subschema, ...]] = {}
    while pending:
        pointer, schemas, value = pending.pop()
        if not schemas:
            continue
        key = tuple(subschema.pointer for subschema in schemas)
        if key not in known:
            known[key] = tuple(filter(matters, applying(document, schemas)))
        part = ValuePart(pointer, value, tuple(schemas), known[key])
        yield part
        pending += _within(document, part)


def _within(
    document: Document, part: ValuePart
) -> Iterator[tuple[Pointer, list[Subschema], JsonValue]]:
    """Yield the direct parts of a part: names and members, items, or the contents of a text."""
    applied = part.applied
    match part.value:
        case dict(members):
            names = [
                e for subschema in applied for e in held(document, subschema, ["propertyNames"])
            ]
            for name, member in members.items():
                at = part.pointer + join(name)
                if names:
                    yield at, names, name
                yield (
                    at,
                    [e for subschema in applied for e in of_property(document, subschema, name)],
                    member,
                )
        case list(items):
            for index, item in enumerate(items):
                at = part.pointer + join(index)
                yield (
                    at,
                    [e for subschema in applied for e in of_item(document, subschema, index)],
                    item,
                )
        case str(text):
            if content := [
                e for subschema in applied for e in held(document, subschema, ["contentSchema"])
            ]:
                yield from ((part.pointer, content, reading) for reading in readings(text)[1:])
