"""The direction of a value, and the properties that objects lack in it.

A `readOnly` property occurs only in responses, a `writeOnly` one only in requests (OAS 3.1.1,
4.8.24; JSON Schema Validation 2020-12, 9.4), and neither is required where it does not occur.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import StrEnum

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    IN_PLACE,
    REFERENCES,
    Subschema,
    held,
    spread,
)
from specwright.document.shape import walk
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, resolve


class Polarity(StrEnum):
    """The direction of a value between an API and its clients."""

    TO_SERVER = "sent by clients"
    TO_CLIENT = "sent by the API"

    @property
    def mark(self) -> str:
        """The keyword of properties that values in this direction lack."""
        return "readOnly" if self is Polarity.TO_SERVER else "writeOnly"


MARKS = tuple(polarity.mark for polarity in Polarity)

_WHOLE = (*REFERENCES, "allOf")
_UNIONS = ("anyOf", "oneOf")
_DIRECTIONAL = frozenset((*_WHOLE, *_UNIONS, *MARKS))


def is_left_out(document: Document, schemas: Iterable[Subschema], polarity: Polarity) -> bool:
    """Return whether a property with these schemas is left out of values in this direction."""
    return mark_of(document, schemas, polarity) is not None


def mark_of(
    document: Document,
    schemas: Iterable[Subschema],
    polarity: Polarity,
    above: frozenset[Pointer] = frozenset(),
) -> Pointer | None:
    """Return the place of the keyword that leaves a property with these schemas out, if any.

    One of them says so itself, or by a `$ref`, a part of its `allOf`, or all of its alternatives
    but null.

    Args:
        above: the schemas of which these are alternatives, to stop at cycles.
    """
    # Most properties have no such keyword, neither themselves nor through other schemas.
    directional = [s for s in schemas if not _DIRECTIONAL.isdisjoint(mapping(s.value))]
    whole = spread(directional, lambda schema: held(document, schema, _WHOLE))
    marks = (_mark(document, part, polarity, above) for part in whole)
    return next((mark for mark in marks if mark is not None), None)


def _mark(
    document: Document, schema: Subschema, polarity: Polarity, above: frozenset[Pointer]
) -> Pointer | None:
    if mapping(schema.value).get(polarity.mark) is True:
        return schema.pointer + join(polarity.mark)
    if schema.pointer in above:
        return None
    above |= {schema.pointer}
    for keyword in _UNIONS:
        marks = [
            mark_of(document, [member], polarity, above)
            for member in held(document, schema, [keyword])
            if mapping(member.value).get("type") != "null"
        ]
        if marks and None not in marks:
            return marks[0]
    return None


def lacking(document: Document, polarity: Polarity) -> Mapping[Pointer, Set[str]]:
    """Return the names of properties that values in this direction lack, by their schema."""
    schemas = _schemas(document)
    if not any(mapping(schema.value).get(polarity.mark) is True for schema in schemas):
        return {}
    names_of: dict[Pointer, set[str]] = {}
    for schema in schemas:
        for name, value in _properties(schema.value).items():
            place = Subschema(schema.pointer + join("properties", name), value)
            if is_left_out(document, [place], polarity):
                names_of.setdefault(schema.pointer, set()).add(name)
    return names_of


def _schemas(document: Document) -> list[Subschema]:
    return [
        Subschema(node.pointer, node.value) for node in walk(document.data) if node.kind == "schema"
    ]


def in_direction(document: Document, polarity: Polarity) -> Document:
    """Return the document for one direction, without requirements that its values cannot meet.

    Pointers stay as they are.
    """
    unrequired = not_required(document, lacking(document, polarity))
    if not unrequired:
        return document
    data = copy.deepcopy(document.data)
    for pointer, names in unrequired.items():
        schema = mapping(resolve(data, pointer))
        schema["required"] = [n for n in sequence(schema.get("required")) if n not in names]
    return document.with_data(data)


def not_required(
    document: Document, lacking: Mapping[Pointer, Set[str]]
) -> Mapping[Pointer, Set[str]]:
    """Return the names that schemas require, and that values in one direction lack.

    The property may be declared by the schema itself, by one that applies with it, or by one of
    which it is a part.
    """
    if not lacking:
        return {}
    users: dict[Pointer, set[Pointer]] = defaultdict(set)
    wholes: dict[Pointer, set[Pointer]] = defaultdict(set)
    for schema in _schemas(document):
        for keyword in IN_PLACE:
            for part in held(document, schema, [keyword]):
                users[part.pointer].add(schema.pointer)
                if keyword in _WHOLE:
                    wholes[part.pointer].add(schema.pointer)
    unrequired: dict[Pointer, set[str]] = defaultdict(set)
    for owner, names in lacking.items():
        for user in _above(owner, users):
            unrequired[user] |= names
        for whole in _above(owner, wholes):
            start = Subschema(whole, resolve(document.data, whole))
            for part in spread([start], lambda schema: held(document, schema, IN_PLACE)):
                unrequired[part.pointer] |= {
                    name
                    for name in names
                    if part.pointer == owner or name not in _properties(part.value)
                }
    return {
        pointer: names & required
        for pointer, names in unrequired.items()
        if not names.isdisjoint(required := _required(document, pointer))
    }


def _above(pointer: Pointer, users: Mapping[Pointer, Set[Pointer]]) -> Iterator[Pointer]:
    """Yield a schema and those that it is a part of, at any depth."""
    seen = {pointer}
    pending = [pointer]
    while pending:
        yield (current := pending.pop())
        new = users.get(current, set()) - seen
        seen |= new
        pending += new


def _properties(schema: JsonValue) -> Mapping[str, JsonValue]:
    return mapping(mapping(schema).get("properties"))


def _required(document: Document, pointer: Pointer) -> set[str]:
    required = mapping(resolve(document.data, pointer)).get("required")
    return {name for name in sequence(required) if isinstance(name, str)}
