"""Values as they are sent, and the document that describes them.

The document follows the shared readings of directions and of discriminators, so that samplers and
validators need neither.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    REFERENCES,
    Subschema,
    applying,
    held,
    of_item,
    of_property,
    spread,
)
from specwright.document.schemas.discriminators import Discriminator, Discriminators
from specwright.document.schemas.polarity import Polarity, in_direction, lacking
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.pointer import Pointer, resolve

# Keywords whose schemas apply to all values of the schema around them.
_WHOLE = (*REFERENCES, "allOf")


def of_direction(document: Document, polarity: Polarity) -> Document:
    """Return the document in which no schema accepts a property that its direction lacks.

    Pointers stay as they are.
    """
    left_out = lacking(document, polarity)
    if not left_out:
        return document
    document = in_direction(document, polarity)
    data = copy.deepcopy(document.data)
    # Innermost schemas first: one of them may be in a property that is left out.
    for pointer, names in sorted(left_out.items(), key=lambda entry: -entry[0].count("/")):
        properties = mapping(mapping(resolve(data, pointer)).get("properties"))
        properties.update(dict.fromkeys(names, False))
    return document.with_data(data)


def tagged(document: Document) -> tuple[Document, Mapping[Pointer, Sequence[Pointer]]]:
    """Return the document in which the alternatives of discriminators require their tags.

    Pointers stay as they are. Beside it are the alternatives of each schema from which they
    inherit.
    """
    constraints: list[tuple[Pointer, JsonObject]] = []
    heirs: dict[Pointer, Sequence[Pointer]] = {}
    for schema, discriminator in Discriminators(document):
        alternatives = discriminator.alternatives
        if discriminator.is_inherited:
            heirs[schema.pointer] = [place for place in alternatives if place != schema.pointer]
            below = {place: _descendants(document, place, alternatives) for place in alternatives}
            places = {place: (place, *below[place]) for place in alternatives}
        else:
            members = held(document, schema, ("oneOf", "anyOf"))
            places = {
                member.pointer: (document.end(member.pointer, member.value)[0],)
                for member in members
            }
        for place, owners in places.items():
            tags = [tag for owner in owners for tag in alternatives.get(owner, ())]
            if tags and not _is_default(discriminator, owners[0]):
                constraints.append((place, _with_tag(discriminator.name, tags)))
    if not constraints:
        return document, heirs
    data = copy.deepcopy(document.data)
    for place, constraint in constraints:
        schema_value = mapping(resolve(data, place))
        schema_value["allOf"] = [constraint, *sequence(schema_value.get("allOf"))]
    return document.with_data(data), heirs


def _descendants(
    document: Document, place: Pointer, alternatives: Iterable[Pointer]
) -> list[Pointer]:
    """Return the alternatives that inherit from another one."""
    return [
        other
        for other in alternatives
        if other != place
        and any(
            schema.pointer == place
            for schema in applying(document, [Subschema(other, resolve(document.data, other))])
        )
    ]


def _is_default(discriminator: Discriminator, place: Pointer) -> bool:
    return discriminator.default is not None and discriminator.default.pointer == place


def _with_tag(name: str, tags: Sequence[str]) -> JsonObject:
    return {"properties": {name: {"enum": [*tags]}}, "required": [name]}


@dataclass(slots=True)
class SentValues:
    """The form in which values are sent.

    Members that their schema forbids by name are left out, and whole numbers are integers where the
    schema says so: many parsers refuse `1.0` (JSON Schema 2020-12, core, 4.2.3).
    """

    document: Document
    # Items of one list have the same schemas.
    _applying: dict[tuple[Pointer, ...], tuple[Subschema, ...]] = field(default_factory=dict)

    def sent(self, schemas: Sequence[Subschema], value: JsonValue) -> JsonValue:
        """Return a value of schemas as it is sent."""
        key = tuple(schema.pointer for schema in schemas)
        if key not in self._applying:
            self._applying[key] = tuple(applying(self.document, schemas))
        applied = self._applying[key]
        match value:
            case dict():
                certain = [*spread(schemas, lambda schema: held(self.document, schema, _WHOLE))]
                return {
                    name: self.sent(self._of(applied, name), member)
                    for name, member in value.items()
                    if not any(_is_without(schema, name) for schema in certain)
                }
            case list():
                return [
                    self.sent(
                        [
                            schema
                            for part in applied
                            for schema in of_item(self.document, part, index)
                        ],
                        item,
                    )
                    for index, item in enumerate(value)
                ]
            case float() if value.is_integer() and any(map(_is_of_integers, applied)):
                return int(value)
        return value

    def _of(self, applied: Sequence[Subschema], name: str) -> list[Subschema]:
        return [schema for part in applied for schema in of_property(self.document, part, name)]


def _is_without(schema: Subschema, name: str) -> bool:
    return mapping(mapping(schema.value).get("properties")).get(name) is False


def _is_of_integers(schema: Subschema) -> bool:
    return "integer" in one_or_more(mapping(schema.value).get("type"))
