"""Values with a discriminator, which names the schema that they fit (OAS 3.1.1, 4.8.25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from specwright.conformance.contract.value_parts import subschema_at
from specwright.document.model import Document
from specwright.document.schemas.applicators import (
    UNIONS,
    WHOLE,
    Subschema,
    held,
    of_item,
    of_property,
    reachable,
    spread,
)
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.discriminators import Discriminator, Discriminators
from specwright.document.schemas.instances import Instances, SchemaMismatch
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, join
from specwright.report.wording import listed

# The most tags to name.
_NAMED = 5


@dataclass(slots=True)
class TaggedValues:
    """A search for tags that are not declared, and for values that do not fit their tag.

    JSON Schema knows nothing of discriminators: where the alternatives inherit from the schema of
    the discriminator, it accepts any tag, and any value that fits the parent.

    Attributes:
        instances: validators of the schemas.
    """

    document: Document
    instances: Instances
    _discriminators: Discriminators = field(init=False)
    _may_be_in: dict[Pointer, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the discriminators of the document."""
        self._discriminators = Discriminators(self.document)

    def problems(self, schema: Pointer, value: JsonValue) -> Iterator[SchemaMismatch]:
        """Yield the reasons why the parts of a value that fits a schema do not fit their tags."""
        whole = subschema_at(self.document, schema)
        if schema not in self._may_be_in:
            parts = reachable(self.document, whole)
            self._may_be_in[schema] = any(self._discriminators.of(part) for part in parts)
        pending: list[tuple[Pointer, list[Subschema], JsonValue]] = [("", [whole], value)]
        while pending and self._may_be_in[schema]:
            pointer, schemas, part = pending.pop()
            certain = [*spread(schemas, partial(self._certain, part))]
            if isinstance(part, dict):
                for known in certain:
                    yield from self._of_tag(known, pointer, part)
            pending += self._within(certain, pointer, part)

    def _within(
        self, certain: list[Subschema], pointer: Pointer, value: JsonValue
    ) -> Iterator[tuple[Pointer, list[Subschema], JsonValue]]:
        """Yield the members or items of a value, each with its place and its schemas."""
        document = self.document
        match value:
            case dict(members):
                for name, member in members.items():
                    schemas = [s for part in certain for s in of_property(document, part, name)]
                    yield pointer + join(name), schemas, member
            case list(items):
                for index, item in enumerate(items):
                    schemas = [s for part in certain for s in of_item(document, part, index)]
                    yield pointer + join(index), schemas, item

    def _certain(self, value: JsonValue, schema: Subschema) -> Iterator[Subschema]:
        """Yield the schemas that a value has to fit because of another one."""
        yield from held(self.document, schema, WHOLE)
        discriminator = self._discriminators.of(schema)
        if discriminator is not None and isinstance(value, dict):
            tagged = _tagged(discriminator, value)
            yield from () if tagged is None else (tagged,)
            return
        for keyword in UNIONS:
            members = held(self.document, schema, [keyword])
            fitting = [member for member in members if self._fits(member, value)]
            yield from fitting if len(fitting) == 1 else ()

    def _fits(self, schema: Subschema, value: JsonValue) -> bool:
        return not any(self.instances.problems(schema.pointer, value))

    def _of_tag(
        self, schema: Subschema, pointer: Pointer, value: JsonObject
    ) -> Iterator[SchemaMismatch]:
        discriminator = self._discriminators.of(schema)
        if discriminator is None:
            return
        tag, tagged = value.get(discriminator.name), _tagged(discriminator, value)
        if tagged is not None:
            for problem in self.instances.problems(tagged.pointer, value):
                message = f"{problem.message} where '{discriminator.name}' is '{tag}'"
                place = pointer + problem.pointer
                yield SchemaMismatch(
                    place, message, problem.missing, problem.keyword, problem.limit
                )
        elif isinstance(tag, str) and discriminator.tags and not self._is_untagged(schema, value):
            known = listed([f"'{name}'" for name in discriminator.tags], _NAMED)
            message = f"'{tag}' is not a tag of the discriminator, which has {known}"
            place = pointer + join(discriminator.name)
            yield SchemaMismatch(place, message, keyword=DISCRIMINATOR)

    def _is_untagged(self, schema: Subschema, value: JsonObject) -> bool:
        """Return whether a value fits an alternative that no tag names, such as an inline one."""
        discriminator = self._discriminators.of(schema)
        named = discriminator.alternatives if discriminator is not None else {}
        return any(
            self.document.end(member.pointer, member.value)[0] not in named
            and self._fits(member, value)
            for member in held(self.document, schema, UNIONS)
        )


def _tagged(discriminator: Discriminator, value: JsonObject) -> Subschema | None:
    """Return the schema that the tag of a value names; None if it names none."""
    tag = value.get(discriminator.name)
    known = discriminator.tags.get(tag) if isinstance(tag, str) else None
    return known or discriminator.default
