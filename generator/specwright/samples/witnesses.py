"""Values that the schemas of one document accept, found within a limit of tries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from jsonschema_rs import Validator

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.document.schemas.validators import UNUSABLE, Schema
from specwright.json_values import JsonObject, JsonValue, sequence
from specwright.pointer import Pointer, resolve
from specwright.samples.compiled import Compiled
from specwright.samples.non_validating import ENFORCED, Tagged
from specwright.samples.sampler import MOST_PARTS, Sampler, is_hidden, size
from specwright.samples.sent import SentValues, tagged
from specwright.samples.sides import Side

# The maximum number of schemas tried for one value. Without it, a schema that contains itself in
# several places is tried a hundred thousand times.
_TRIES = 2_000


class _TooManyTriesError(Exception):
    """No value was found within the limit of tries."""


class _Counted(Compiled):
    """Schemas with a limit of tries, which is not a time limit, as results must be reproducible."""

    def __init__(self, sides: tuple[Side, ...]) -> None:
        super().__init__(sides, {**ENFORCED, DISCRIMINATOR: Tagged})
        self.tries = 0
        # Nine in ten tries of one document repeat a schema.
        self._validators: dict[str, Validator] = {}

    def validator(self, schema: Schema | bool) -> Validator:
        self.tries += 1
        if self.tries > _TRIES:
            raise _TooManyTriesError
        written = json.dumps(schema)
        if written not in self._validators:
            self._validators[written] = super().validator(schema)
        return self._validators[written]


class _Shown(Sampler):
    """Values of one document, in which its own examples and defaults come first.

    Args:
        heirs: the schemas that inherit from the schema of a discriminator, by its reference.
    """

    def __init__(
        self,
        compiled: Compiled,
        heirs: Mapping[str, Sequence[JsonObject]],
        *,
        repairs: bool,
    ) -> None:
        super().__init__(compiled, repairs=repairs)
        self._heirs = heirs

    def _shown(self, schema: JsonObject) -> Iterator[JsonValue]:
        if not is_hidden(schema):
            yield from sequence(schema.get("examples"))
            if "example" in schema:
                yield schema["example"]
            default = schema.get("default")
            if default is not None and not isinstance(default, dict | list):
                yield default

    def _inherited(self, schema: JsonValue, depth: int) -> Iterator[JsonValue]:
        for heir in self._heirs.get(self.named(schema) or "", ()):
            yield from self._some(heir, depth + 1)

    def _of_items(self, values: Iterable[JsonValue]) -> list[JsonValue]:
        # A value with more parts than are counted is the last choice.
        return sorted(values, key=lambda value: size(value) % MOST_PARTS, reverse=True)


class Witnesses:
    """The witnesses of a document's schemas, each made on first use."""

    def __init__(self, document: Document) -> None:
        self._side = Side(document, "urn:document")
        self._sender = SentValues(document)
        self._samplers: dict[bool, Sampler] = {}

    @cached_property
    def _compiled(self) -> _Counted:
        return _Counted((self._side,))

    @cached_property
    def _sampled(self) -> tuple[_Counted, Mapping[str, Sequence[JsonObject]]]:
        document, heirs = tagged(self._side.document)
        side = replace(self._side, document=document)
        compiled = self._compiled if document is self._side.document else _Counted((side,))
        references = {
            str(side.reference(base)["$ref"]): [*map(side.reference, places)]
            for base, places in heirs.items()
        }
        return compiled, references

    def of(self, schema: Pointer) -> Sequence[JsonValue]:
        """Return values of a schema as they are sent: the largest first."""
        # Most schemas have values that need no repair, which takes hundreds of times longer.
        results = (self._found(schema, repairs) for repairs in (False, True))
        values = next((values for values in results if values), ())
        return [self.sent(schema, value) for value in sorted(values, key=size, reverse=True)]

    def _found(self, schema: Pointer, repairs: bool) -> Sequence[JsonValue]:
        """Return the values that are found with or without repairs; none after too many tries."""
        compiled, heirs = self._sampled
        compiled.tries = 0
        sampler = self._samplers.setdefault(repairs, _Shown(compiled, heirs, repairs=repairs))
        try:
            return sampler.witnesses(self._side.reference(schema))
        except _TooManyTriesError:
            # The sampler was interrupted in the middle of a schema.
            del self._samplers[repairs]
            return ()

    def is_valid(self, schema: Pointer, value: JsonValue) -> bool:
        """Return whether the schema accepts a value; False if it cannot be compiled."""
        return self._accepts(self._side.reference(schema), value)

    def fits_beside(self, schema: JsonObject, keyword: str, value: JsonValue) -> bool:
        """Return whether a schema of the document accepts a value, but for one of its keywords."""
        others: JsonObject = {
            name: self._side.absolute(member) for name, member in schema.items() if name != keyword
        }
        return self._accepts(others, value)

    def _accepts(self, schema: JsonObject, value: JsonValue) -> bool:
        self._compiled.tries = 0
        try:
            return self._compiled.validator(schema).is_valid(value)
        except UNUSABLE:
            return False

    def sent(self, schema: Pointer, value: JsonValue) -> JsonValue:
        """Return a value of the schema as it is sent."""
        place = Subschema(schema, resolve(self._side.document.data, schema))
        return self._sender.sent([place], value)
