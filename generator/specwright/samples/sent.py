"""Values as they are sent, and the document that describes them.

The document follows the shared readings of directions and of discriminators, so that samplers and
validators need neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    UNIONS,
    WHOLE,
    Subschema,
    applying,
    held,
    of_item,
    of_property,
    spread,
)
from specwright.document.schemas.discriminators import Discriminator, Discriminators
from specwright.document.schemas.polarity import LeftOut, Polarity, in_direction
from specwright.json_values import JsonObject, JsonValue, mapping, one_or_more, sequence
from specwright.pointer import Pointer, resolve


def of_direction(document: Document, polarity: Polarity) -> Document:
    """Return the document in which no schema accepts a property that its direction lacks.

    Pointers stay as they are.
    """
    left_out = LeftOut(document).properties(polarity)
    if not left_out:
        return document
    document = in_direction(document, polarity)
    data = clone(document.data)
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
            members = held(document, schema, UNIONS)
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
    data = clone(document.data)
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


_Places = tuple[Pointer, ...]


@dataclass(slots=True)
class SentValues:
    """The form in which values are sent.

    Members that their schema forbids by name are left out, and whole numbers are integers where the
    schema says so: many parsers refuse `1.0` (JSON Schema 2020-12, core, 4.2.3).
    """

    document: Document
    # Items of one list have the same schemas, and values of one schema the same members.
    _applying: dict[_Places, tuple[Subschema, ...]] = field(default_factory=dict)
    _members: dict[tuple[_Places, str], list[Subschema] | None] = field(default_factory=dict)

    def sent(self, schemas: Sequence[Subschema], value: JsonValue) -> JsonValue:
        """Return a value of schemas as it is sent."""
        places = tuple(schema.pointer for schema in schemas)
        if places not in self._applying:
            self._applying[places] = tuple(applying(self.document, schemas))
        applied = self._applying[places]
        match value:
            case dict():
                members: JsonObject = {}
                for name, member in value.items():
                    if (places, name) not in self._members:
                        self._members[places, name] = self._of_member(schemas, applied, name)
                    if (of_member := self._members[places, name]) is not None:
                        members[name] = self.sent(of_member, member)
                return members
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

    def _of_member(
        self, schemas: Sequence[Subschema], applied: Sequence[Subschema], name: str
    ) -> list[Subschema] | None:
        """Return the schemas that may apply to a member; None if it is forbidden."""
        certain = [*spread(schemas, lambda schema: held(self.document, schema, WHOLE))]
        is_forbidden = any(_is_without(schema, name) for schema in certain)
        return None if is_forbidden else self._of(applied, name)

    def _of(self, applied: Sequence[Subschema], name: str) -> list[Subschema]:
        return [schema for part in applied for schema in of_property(self.document, part, name)]


def _is_without(schema: Subschema, name: str) -> bool:
    return mapping(mapping(schema.value).get("properties")).get(name) is False


def _is_of_integers(schema: Subschema) -> bool:
    return "integer" in one_or_more(mapping(schema.value).get("type"))
