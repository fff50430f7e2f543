"""Discriminators: the alternatives of a schema by the tags of their values (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from specwright.document.model import Document
from specwright.document.schemas.applicators import REFERENCES, UNIONS, Subschema, held, spread
from specwright.document.schemas.discriminator_object import (
    DISCRIMINATOR,
    default_target,
    mapped,
    tag_property,
)
from specwright.document.schemas.unions import tags
from specwright.document.shape import walk
from specwright.json_values import mapping, texts
from specwright.pointer import Pointer, join, resolve, split

COMPONENTS = join("components", "schemas")


@dataclass(frozen=True, slots=True)
class Discriminator:
    """A property with the name of the schema of its object as its value.

    Attributes:
        pointer: that of the Discriminator Object.
        name: the property.
        tags: its values, each with its schema; those of one schema that a mapping or the schema
            itself declares come before the name of the component, which counts as well.
        default: the schema of objects without the property or with another value (OAS 3.2.0,
            4.25.1).
        is_inherited: whether the alternatives refer to the schema of the discriminator, by
            `allOf`, and not the other way round.
    """

    pointer: Pointer
    name: str
    tags: Mapping[str, Subschema]
    default: Subschema | None
    is_inherited: bool

    @property
    def targets(self) -> dict[Pointer, Subschema]:
        """The schemas that values have, by their place: the alternatives, and the default."""
        schemas = [*self.tags.values(), *([self.default] if self.default else [])]
        return {schema.pointer: schema for schema in schemas}

    @property
    def alternatives(self) -> dict[Pointer, tuple[str, ...]]:
        """The tags of each alternative."""
        alternatives: dict[Pointer, tuple[str, ...]] = {}
        for tag, schema in self.tags.items():
            alternatives[schema.pointer] = (*alternatives.get(schema.pointer, ()), tag)
        return alternatives


@dataclass(frozen=True)
class Discriminators:
    """The discriminators of a document, each read once."""

    document: Document
    _known: dict[Pointer, Discriminator] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Subschema, Discriminator]]:
        """Yield the schemas that have a discriminator, each with its own."""
        for node in walk(self.document.data):
            if node.kind == "schema" and DISCRIMINATOR in node.value:
                schema = Subschema(node.pointer, node.value)
                if discriminator := self.of(schema):
                    yield schema, discriminator

    def of(self, schema: Subschema) -> Discriminator | None:
        """Return the discriminator of a schema; None if it has none, or one without a property."""
        name = tag_property(schema.value)
        if name is None:
            return None
        if schema.pointer not in self._known:
            self._known[schema.pointer] = self._read(schema, name)
        return self._known[schema.pointer]

    def _read(self, schema: Subschema, name: str) -> Discriminator:
        value = mapping(schema.value)
        members = [*held(self.document, schema, UNIONS)]
        alternatives = [self._end(member) for member in members]
        if not members:
            alternatives = [schema, *self._children(schema.pointer)]
        tagged: dict[str, Subschema] = {}
        for tag, target in mapped(value).items():
            named = self.target(target)
            if named is not None:
                tagged[tag] = named
        declared = [*self._declared(alternatives, name)]
        if not members:
            # Values of a base that name no heir are its own, and come last.
            declared = [*declared[1:], (schema, self._rest(schema, name, declared, tagged))]
        for alternative, own in declared:
            for tag in own:
                tagged.setdefault(tag, alternative)
        default = default_target(value)
        return Discriminator(
            schema.pointer + join(DISCRIMINATOR),
            name,
            tagged,
            None if default is None else self.target(default),
            not members,
        )

    def _declared(
        self, alternatives: list[Subschema], name: str
    ) -> Iterator[tuple[Subschema, list[str]]]:
        """Yield each alternative with the tags that its schema gives it.

        These are values of the property that it lists alone, or else its name as a component.
        """
        listed = [
            tags(self.document, mapping(alternative.value), name) for alternative in alternatives
        ]
        times = Counter(value for values in listed for value in texts(values or []))
        for alternative, values in zip(alternatives, listed, strict=True):
            own = texts(values or [])
            if len(values or ()) > 1:
                own = [value for value in own if times[value] == 1]
            component = self._component(alternative.pointer)
            if not own and component is not None and (values is None or component in values):
                own = [component]
            yield alternative, own

    def _rest(
        self,
        base: Subschema,
        name: str,
        declared: list[tuple[Subschema, list[str]]],
        mapped: Mapping[str, Subschema],
    ) -> list[str]:
        """Return the tags of a base: those that it lists, without those of its heirs."""
        listed = tags(self.document, mapping(base.value), name)
        if listed is None:
            return declared[0][1]
        of_heirs = {tag for _, own in declared[1:] for tag in own} | mapped.keys()
        return [tag for tag in texts(listed) if tag not in of_heirs]

    @staticmethod
    def _component(pointer: Pointer) -> str | None:
        match split(pointer):
            case ("components", "schemas", key):
                return key
        return None

    def _end(self, schema: Subschema) -> Subschema:
        return Subschema(*self.document.end(schema.pointer, schema.value))

    def target(self, target: str) -> Subschema | None:
        """Return the schema that a mapping names, by its component or by a reference."""
        components = mapping(mapping(self.document.data.get("components")).get("schemas"))
        if target in components:
            return Subschema(COMPONENTS + join(target), components[target])
        pointer = self.document.target(target)
        if "#" not in target or not self.document.has(pointer):
            return None
        return Subschema(pointer, resolve(self.document.data, pointer))

    def is_base(self, schema: Pointer) -> bool:
        """Return whether components refer to a schema by `allOf`."""
        return schema in self._heirs

    def _children(self, parent: Pointer) -> Iterator[Subschema]:
        """Yield the components that are a schema by `allOf`, themselves or through others."""
        own = Subschema(parent, resolve(self.document.data, parent))
        _, *children = spread([own], lambda schema: self._heirs.get(schema.pointer, []))
        yield from children

    @cached_property
    def _heirs(self) -> Mapping[Pointer, list[Subschema]]:
        """The components with an `allOf` that refers to each schema."""
        components = mapping(mapping(self.document.data.get("components")).get("schemas"))
        heirs: dict[Pointer, list[Subschema]] = defaultdict(list)
        for key, value in components.items():
            schema = Subschema(COMPONENTS + join(key), value)
            for part in held(self.document, schema, ["allOf"]):
                for base in held(self.document, part, REFERENCES):
                    heirs[base.pointer].append(schema)
        return heirs
