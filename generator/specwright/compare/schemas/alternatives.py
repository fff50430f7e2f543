"""The matching alternatives of two unions, regardless of order, names and annotations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from specwright.compare.schemas.flatten import (
    FlatSchema,
    Subschemas,
    flatten,
    is_note,
    types,
)
from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema, applying
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.discriminators import Discriminator
from specwright.document.schemas.polarity import Polarity
from specwright.document.shape import OBJECTS
from specwright.json_values import (
    JsonObject,
    JsonValue,
    declared_mapping,
    declared_sequence,
    mapping,
    sequence,
)
from specwright.pointer import Pointer, join, resolve, split
from specwright.samples.sides import Side

# Lists in which the order does not matter.
_SETS = ("enum", "required", "type")
# With this likeness or more, two schemas count as the same one.
_ALIKE = 0.5
# With one of these, undeclared properties are not simply left open.
_LIMITS_OF_PROPERTIES = frozenset(
    (
        *("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties"),
    )
)


# Without slots, as cached properties need a `__dict__`.
@dataclass(frozen=True)
class Alternative:
    """One of the schemas of a union; a schema that is not a union is its only alternative."""

    document: Document
    places: Subschemas
    polarity: Polarity

    @cached_property
    def flat(self) -> FlatSchema:
        return flatten(self.document, self.places, self.polarity)

    @cached_property
    def meaning(self) -> str:
        """The schema as JSON without annotations, order and the names of references."""
        ends = [self.document.end(place.pointer, place.value)[1] for place in self.places]
        return json.dumps([_meaning(end) for end in ends], sort_keys=True, default=str)

    @property
    def end(self) -> Pointer:
        """The place of the schema itself, behind its references."""
        return self.document.end(self.places[0].pointer, self.places[0].value)[0]

    @property
    def reference(self) -> Pointer | None:
        """The pointer of the component that it refers to, if any."""
        value = self.places[0].value
        ref = value.get("$ref") if isinstance(value, dict) else None
        return self.document.target(ref) if self.document.is_local(ref) else None

    @property
    def name(self) -> str:
        """The display name, also if nothing in the document names it."""
        return self.declared_name or ("object" if self.properties else "any value")

    @property
    def declared_name(self) -> str:
        """The component, the title, the value or the type; empty without any of these."""
        if self.reference is not None:
            return split(self.reference)[-1]
        for keyword in ("title", "const", "enum", "type"):
            if keyword in self.flat.keywords:
                value = self.flat.keywords[keyword]
                return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return ""

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The declared types; an integer counts as a number."""
        declared = types(self.flat.keywords.get("type"))
        return frozenset("number" if type_ == "integer" else type_ for type_ in declared)

    @cached_property
    def tags(self) -> dict[str, str]:
        """The properties that allow only one value, with that value."""
        tags = {}
        for (keyword, name), places in self.flat.children.items():
            if keyword == "properties":
                values = _enumeration(flatten(self.document, places, self.polarity))
                if values is not None and len(values) == 1:
                    tags[name] = values[0]
        return tags

    @property
    def is_null(self) -> bool:
        return types(self.flat.keywords.get("type")) == ["null"]

    @property
    def values(self) -> list[str] | None:
        """The values, if they are listed one by one."""
        return _enumeration(self.flat)

    @property
    def properties(self) -> set[str]:
        declared = {name for keyword, name in self.flat.children if keyword == "properties"}
        return declared | self.flat.required

    @cached_property
    def named_properties(self) -> frozenset[str]:
        """The properties that an open object names anywhere; empty for other schemas."""
        parts = [
            subschema.value
            for subschema in applying(self.document, self.places)
            if isinstance(subschema.value, dict)
        ]
        if any(_LIMITS_OF_PROPERTIES & part.keys() for part in parts):
            return frozenset()
        return frozenset(
            str(name)
            for part in parts
            for name in (
                *declared_mapping(part.get("properties")),
                *declared_sequence(part.get("required")),
            )
        )

    def closed_schema(self, side: Side, around: Iterable[str] = ()) -> JsonObject | bool:
        """Return the schema without values that have properties it does not name.

        A new property of an open object is not a change of the schema.

        Args:
            around: the properties that the schema around the union names.
        """
        whole = side.whole(self.places)
        if not self.named_properties:
            return whole
        properties: JsonObject = dict.fromkeys(sorted({*self.named_properties, *around}), True)
        return {"allOf": [whole, {"properties": properties, "additionalProperties": False}]}

    def sent_tags(self, discriminator: Discriminator) -> set[str]:
        """Return the tags that it is sent with; empty if its schema has the tag."""
        if discriminator.name in self.tags:
            return set()
        return chosen_tags(self.end, self.known_tags(discriminator))

    def known_tags(self, discriminator: Discriminator) -> set[str]:
        """Return the tags by which a receiver knows it."""
        implied = [] if self.reference is None else [self.name]
        return {*discriminator.alternatives.get(self.end, ()), *implied}

    def may_accept(self, sender: Alternative) -> bool:
        """Return whether a value of another schema, with its named properties only, may match."""
        required = self.flat.required
        named = sender.named_properties
        if sender.kinds == {"object"} and named and required - named:
            return False
        distinguishing = required | sender.flat.required
        return not _is_of_another_kind(self, sender) and all(
            sender.tags.get(name, tag) == tag or name not in distinguishing
            for name, tag in self.tags.items()
        )


def chosen_tags(pointer: Pointer, tags: set[str]) -> set[str]:
    """Return the tags that senders use for a schema: its name only if there is no other."""
    return tags - {split(pointer)[-1]} or tags


def alternatives(
    document: Document, choices: list[Subschema], polarity: Polarity
) -> list[Alternative]:
    """Return the alternatives of a union, with those of nested unions."""
    members: list[Alternative] = []
    stack = choices[::-1]
    seen: set[str] = set()
    while stack:
        place = stack.pop()
        pointer, value = document.end(place.pointer, place.value)
        inner = _union(value)
        if inner is None:
            members.append(Alternative(document, (place,), polarity))
        elif pointer not in seen:
            seen.add(pointer)
            at = pointer + join(inner)
            stack += [
                Subschema(at + join(n), choice)
                for n, choice in enumerate(sequence(mapping(value)[inner]))
            ][::-1]
    return members


def by_type(document: Document, places: Subschemas, polarity: Polarity) -> list[Alternative]:
    """Return a schema as one alternative for each of its types."""
    if len(places) == 1:
        pointer, value = document.end(places[0].pointer, places[0].value)
        if _union(value) is not None:
            # A union of one is the alternative in it.
            return alternatives(document, [*places], polarity)
        kinds = types(mapping(value).get("type"))
        if len(kinds) > 1:
            parts = [Subschema(pointer, {**mapping(value), "type": kind}) for kind in kinds]
            return [Alternative(document, (part,), polarity) for part in parts]
    return [Alternative(document, places, polarity)]


def partners(
    base: Sequence[Alternative], revision: Sequence[Alternative]
) -> Iterator[tuple[int, int]]:
    """Yield the indexes of matching alternatives in the revision (first) and the base (second)."""
    by_meaning: defaultdict[str, list[int]] = defaultdict(list)
    for index, alternative in enumerate(base):
        by_meaning[alternative.meaning].append(index)
    unmatched = []
    free = set(range(len(base)))
    for index, alternative in enumerate(revision):
        if by_meaning[alternative.meaning]:
            partner = by_meaning[alternative.meaning].pop(0)
            free.remove(partner)
            yield index, partner
        else:
            unmatched.append(index)
    if all(alternative.values is not None for alternative in (*base, *revision)):
        # The remaining values are compared as one set.
        return
    likely = sorted(
        (-likeness, abs(new - old), new, old)
        for new in unmatched
        for old in sorted(free)
        if (likeness := _likeness(base[old], revision[new])) > 0
    )
    done: set[int] = set()
    for *_, new, old in likely:
        if new not in done and old in free:
            done.add(new)
            free.remove(old)
            yield new, old


def is_another(one: Alternative, other: Alternative) -> bool:
    """Return whether references name different components, and not one that was renamed."""
    places = one.reference, other.reference
    return (
        None not in places
        and places[0] != places[1]
        and _has(one.document, places[1])
        and _has(other.document, places[0])
        and _likeness(one, other) < _ALIKE
    )


def _has(document: Document, pointer: Pointer | None) -> bool:
    try:
        resolve(document.data, pointer or "")
    except (KeyError, ValueError):
        return False
    return True


def _likeness(one: Alternative, other: Alternative) -> float:
    """Return how likely it is that one schema became the other, from 0 (not at all) to 1."""
    if _is_of_another_kind(one, other):
        return 0
    if any(other.tags.get(name, tag) != tag for name, tag in one.tags.items()):
        return 0
    if one.reference is not None and one.reference == other.reference:
        return 1
    if one.values is not None and other.values is not None:
        return len({*one.values} & {*other.values}) / len({*one.values, *other.values, ""})
    if one.properties or other.properties:
        shared = len(one.properties & other.properties)
        return shared / len(one.properties | other.properties)
    return 0.1 if one.kinds and other.kinds else 0


def _is_of_another_kind(one: Alternative, other: Alternative) -> bool:
    return bool(one.kinds and other.kinds) and not one.kinds & other.kinds


def _union(value: JsonValue) -> str | None:
    """Return the keyword of a schema that consists only of a union."""
    if not isinstance(value, dict):
        return None
    names = [name for name in value if not is_note(name) and name != DISCRIMINATOR]
    is_union = len(names) == 1 and names[0] in UNIONS and isinstance(value[names[0]], list)
    return names[0] if is_union else None


def _enumeration(flat: FlatSchema) -> list[str] | None:
    values = [flat.keywords["const"]] if "const" in flat.keywords else flat.keywords.get("enum")
    return (
        [json.dumps(value, sort_keys=True) for value in values]
        if isinstance(values, list)
        else None
    )


def _meaning(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    meaning: JsonObject = {}
    for name, value in schema.items():
        match OBJECTS["schema"].get(name), value:
            case _ if is_note(name):
                pass
            case "schema", dict():
                meaning[name] = _meaning(value)
            case "schema[]", list():
                members = [_meaning(member) for member in value]
                meaning[name] = members if name == "prefixItems" else _in_order(members)
            case "schema{}", dict():
                meaning[name] = {key: _meaning(member) for key, member in value.items()}
            case _, list() if name in _SETS:
                meaning[name] = _in_order(value)
            case _ if name == "const":
                meaning["enum"] = [value]
            case _:
                meaning[name] = value
    return meaning


def _in_order(values: list[JsonValue]) -> list[JsonValue]:
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True, default=str))
