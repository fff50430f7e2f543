"""The direction of a value, and the properties that objects lack in it.

A `readOnly` property occurs only in responses, a `writeOnly` one only in requests (OAS 3.1.1,
4.8.24; JSON Schema Validation 2020-12, 9.4), and neither is required where it does not occur.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    IN_PLACE,
    UNIONS,
    WHOLE,
    Subschema,
    held,
    spread,
)
from specwright.document.shape import walk
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, resolve, unescape


class Polarity(StrEnum):
    """The direction of a value between an API and its clients."""

    TO_SERVER = "sent by clients"
    TO_CLIENT = "sent by the API"

    @property
    def mark(self) -> str:
        """The keyword of properties that values in this direction lack."""
        return "readOnly" if self is Polarity.TO_SERVER else "writeOnly"


MARKS = tuple(polarity.mark for polarity in Polarity)

_DIRECTIONAL = frozenset((*WHOLE, *UNIONS, *MARKS))
_REFERENCE = frozenset({"$ref"})
_HELD = join("properties")


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
    directional = [schema for schema in schemas if _may_be_marked(document, schema.value)]
    whole = spread(directional, lambda schema: held(document, schema, WHOLE))
    marks = (_mark(document, part, polarity, above) for part in whole)
    return next((mark for mark in marks if mark is not None), None)


def _may_be_marked(document: Document, schema: JsonValue) -> bool:
    keywords = _DIRECTIONAL & mapping(schema).keys()
    while keywords == _REFERENCE and document.is_local(ref := mapping(schema)["$ref"]):
        schema = document.resolve(ref)
        keywords = _DIRECTIONAL & mapping(schema).keys()
    return bool(keywords)


def _mark(
    document: Document, schema: Subschema, polarity: Polarity, above: frozenset[Pointer]
) -> Pointer | None:
    if mapping(schema.value).get(polarity.mark) is True:
        return schema.pointer + join(polarity.mark)
    if schema.pointer in above:
        return None
    above |= {schema.pointer}
    for keyword in UNIONS:
        marks = [
            mark_of(document, [member], polarity, above)
            for member in held(document, schema, [keyword])
            if mapping(member.value).get("type") != "null"
        ]
        if marks and None not in marks:
            return marks[0]
    return None


@dataclass(frozen=True)
class LeftOut:
    """The properties that a document declares or requires, and values lack in one direction.

    Pointers are those of schemas. The document is read once for both directions.
    """

    document: Document

    @cached_property
    def _schemas(self) -> Mapping[Pointer, Subschema]:
        return {
            node.pointer: Subschema(node.pointer, node.value)
            for node in walk(self.document.data)
            if node.kind == "schema"
        }

    @cached_property
    def _users(self) -> tuple[Mapping[Pointer, Set[Pointer]], Mapping[Pointer, Set[Pointer]]]:
        """The schemas that each one is a part of in any way, and those of which it is a whole."""
        users: dict[Pointer, set[Pointer]] = defaultdict(set)
        wholes: dict[Pointer, set[Pointer]] = defaultdict(set)
        for schema in spread(self._schemas.values(), self._parts):
            for keyword in IN_PLACE:
                for part in held(self.document, schema, [keyword]):
                    users[part.pointer].add(schema.pointer)
                    if keyword in WHOLE:
                        wholes[part.pointer].add(schema.pointer)
        return users, wholes

    def _parts(self, schema: Subschema) -> Iterator[Subschema]:
        return held(self.document, schema, IN_PLACE)

    def properties(self, polarity: Polarity) -> Mapping[Pointer, Set[str]]:
        """Return the names of properties that values lack, by the schema that declares them."""
        return self._names[polarity]

    @cached_property
    def _names(self) -> Mapping[Polarity, Mapping[Pointer, Set[str]]]:
        return {polarity: self._found(polarity) for polarity in Polarity}

    def _found(self, polarity: Polarity) -> Mapping[Pointer, Set[str]]:
        marked = [
            pointer
            for pointer, schema in self._schemas.items()
            if mapping(schema.value).get(polarity.mark) is True
        ]
        names_of: dict[Pointer, set[str]] = {}
        # Only these can have the mark, themselves or through others.
        for pointer in _above(marked, self._users[0]) if marked else ():
            holder, name = _holder(pointer)
            declared = _properties(self._schemas[holder].value) if holder in self._schemas else {}
            if name in declared and is_left_out(
                self.document, [Subschema(pointer, declared[name])], polarity
            ):
                names_of.setdefault(holder, set()).add(name)
        return names_of

    def requirements(self, polarity: Polarity) -> Mapping[Pointer, Set[str]]:
        """Return the names of properties that values lack, by the schema that requires them.

        The property may be declared by the schema itself, by one that applies with it, or by one
        of which it is a part.
        """
        unrequired: dict[Pointer, set[str]] = defaultdict(set)
        for owner, names in self.properties(polarity).items():
            users, wholes = self._users
            for user in _above([owner], users):
                unrequired[user] |= names
            for whole in _above([owner], wholes):
                start = Subschema(whole, resolve(self.document.data, whole))
                for part in spread([start], self._parts):
                    unrequired[part.pointer] |= {
                        name
                        for name in names
                        if part.pointer == owner or name not in _properties(part.value)
                    }
        return {
            pointer: names & required
            for pointer, names in unrequired.items()
            if not names.isdisjoint(required := _required(self.document, pointer))
        }


def in_direction(document: Document, polarity: Polarity) -> Document:
    """Return the document for one direction, without requirements that its values cannot meet.

    Pointers stay as they are.
    """
    unrequired = LeftOut(document).requirements(polarity)
    if not unrequired:
        return document
    data = clone(document.data)
    for pointer, names in unrequired.items():
        schema = mapping(resolve(data, pointer))
        schema["required"] = [n for n in sequence(schema.get("required")) if n not in names]
    return document.with_data(data)


def _above(pointers: Iterable[Pointer], users: Mapping[Pointer, Set[Pointer]]) -> Iterator[Pointer]:
    """Yield schemas and those that they are a part of, at any depth, each once."""
    pending = [*pointers]
    seen = {*pending}
    while pending:
        yield (current := pending.pop())
        new = users.get(current, set()) - seen
        seen |= new
        pending += new


def _holder(pointer: Pointer) -> tuple[Pointer, str]:
    """Return the place of the schema that has a property, and the property's name."""
    place, _, token = pointer.rpartition("/")
    return place.removesuffix(_HELD), unescape(token)


def _properties(schema: JsonValue) -> Mapping[str, JsonValue]:
    return mapping(mapping(schema).get("properties"))


def _required(document: Document, pointer: Pointer) -> set[str]:
    required = mapping(resolve(document.data, pointer)).get("required")
    return {name for name in sequence(required) if isinstance(name, str)}
