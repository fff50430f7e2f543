"""Schemas of server-sent events: their names, and the data of each (OpenAPI 3.2.0, 4.14.4).

An event is an object with the fields `data`, `event`, `id` and `retry`. Its data is a text, or
JSON: by `contentMediaType` with the schema in `contentSchema`, or because its own schema allows no
text, as frameworks write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    UNIONS,
    WHOLE,
    Subschema,
    held,
    spread,
)
from specwright.document.schemas.inspection import listed_values
from specwright.document.schemas.value_types import ValueTypes
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join

FIELDS = frozenset({"data", "event", "id", "retry"})
_JSON = "application/json"
# Of one schema; events of a schema with more have data of any kind.
_MOST_ALTERNATIVES = 1_000

# Schemas that apply together.
_Parts = tuple[Subschema, ...]


@dataclass(frozen=True, slots=True)
class EventSchema:
    """The schema of events with certain names.

    Attributes:
        names: the values of `event`; empty if any name is possible.
        is_json: whether the data is JSON; else it is a text.
        data: the schema of this JSON, or of the text; None if it may be any.
        is_bare: whether the schema of the field describes the JSON, and not the text of it.
    """

    names: tuple[str, ...] = ()
    is_json: bool = False
    data: Subschema | None = None
    is_bare: bool = False

    @property
    def json_schema(self) -> Subschema | None:
        """The schema of the JSON in the data; None if it may be any value, and for a text."""
        return self.data if self.is_json else None

    def has_name(self, name: JsonValue) -> bool:
        """Return whether events of this kind may have a name."""
        return not self.names or name in self.names


def fields_of_event(document: Document, schema: Subschema) -> frozenset[str]:
    """Return the names of the properties that the alternatives of a schema declare."""
    parts = spread([schema], lambda part: held(document, part, (*WHOLE, *UNIONS)))
    properties = (mapping(mapping(part.value).get("properties")) for part in parts)
    return frozenset(name for names in properties for name in names)


def event_schemas(document: Document, schema: Subschema) -> tuple[EventSchema, ...]:
    """Return the events that the schema of whole events describes; those of JSON first."""
    types = ValueTypes(document)
    events: list[EventSchema] = []
    for parts in _alternatives(document, schema, frozenset()):
        event = _event(document, types, parts)
        if event not in events:
            events.append(event)
    return tuple(sorted(events, key=lambda event: not event.is_json))


def _event(document: Document, types: ValueTypes, parts: _Parts) -> EventSchema:
    names: list[JsonValue] | None = None
    for part in _whole(document, _of_field(parts, "event")):
        if listed := listed_values(mapping(part.value)):
            names = [name for name in listed if names is None or name in names]
    named = tuple(name for name in names or () if isinstance(name, str))
    own = [*_of_field(parts, "data")]
    data = [*_whole(document, own)]
    keywords = {name: value for part in data for name, value in mapping(part.value).items()}
    if keywords.get("contentMediaType") == _JSON and "contentEncoding" not in keywords:
        described = [schema for part in data for schema in held(document, part, ["contentSchema"])]
        return EventSchema(named, True, described[-1] if described else None)
    of_data = types.of(own)
    # The alternatives of a schema come after what they share.
    is_bare = bool(of_data) and "string" not in of_data
    return EventSchema(named, is_bare, own[-1] if own else None, is_bare)


def _of_field(parts: _Parts, name: str) -> Iterator[Subschema]:
    """Yield the schemas that some schemas have for a field of an event."""
    for part in parts:
        fields = mapping(mapping(part.value).get("properties"))
        if name in fields:
            yield Subschema(part.pointer + join("properties", name), fields[name])


def _whole(document: Document, schemas: Iterable[Subschema]) -> Iterator[Subschema]:
    """Yield schemas, and all that apply wherever they do."""
    return spread(schemas, lambda part: held(document, part, WHOLE))


def _alternatives(
    document: Document, schema: Subschema, above: frozenset[Pointer]
) -> Sequence[_Parts]:
    """Return the schemas that apply together, for each choice of alternatives."""
    if schema.pointer in above:
        return [()]
    above |= {schema.pointer}
    choices: list[Sequence[_Parts]] = [[(schema,)]]
    choices += [_alternatives(document, part, above) for part in held(document, schema, WHOLE)]
    for keyword in UNIONS:
        parts = held(document, schema, [keyword])
        union = [*chain.from_iterable(_alternatives(document, part, above) for part in parts)]
        choices += [union] if union else []
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > _MOST_ALTERNATIVES:
        return [(schema,)]
    return [sum(combined, ()) for combined in product(*choices)]
