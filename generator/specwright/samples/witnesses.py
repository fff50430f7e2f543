"""Values that the schemas of one document accept, found within a limit of tries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from jsonschema_rs import Validator

from specwright.document.model import Document
from specwright.json_values import JsonValue
from specwright.pointer import Pointer
from specwright.samples.compiled import UNUSABLE, Compiled, Schema
from specwright.samples.non_validating import ENFORCED, Tagged
from specwright.samples.sampler import Sampler, size
from specwright.samples.sides import Side

# The maximum number of schemas tried for one value. Without it, a schema that contains itself in
# several places is tried a hundred thousand times.
_TRIES = 2_000


class _TooManyTriesError(Exception):
    """No value was found within the limit of tries."""


class _Counted(Compiled):
    """Schemas with a limit of tries, which is not a time limit, as results must be reproducible."""

    keywords: ClassVar = {**ENFORCED, "discriminator": Tagged}

    def __init__(self, sides: tuple[Side, ...]) -> None:
        super().__init__(sides)
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


class Witnesses:
    """The witnesses of a document's schemas, each made on first use."""

    def __init__(self, document: Document) -> None:
        self._side = Side(document, "urn:document")

    @cached_property
    def _compiled(self) -> _Counted:
        return _Counted((self._side,))

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self._compiled)

    def of(self, schema: Pointer) -> Sequence[JsonValue]:
        """Return values of a schema, the largest first."""
        self._compiled.tries = 0
        try:
            values = self._sampler.witnesses(self._side.reference(schema))
        except _TooManyTriesError:
            # The sampler was interrupted in the middle of a schema.
            del self._sampler
            values = ()
        return sorted(values, key=size, reverse=True)

    def is_valid(self, schema: Pointer, value: JsonValue) -> bool:
        """Return whether the schema accepts a value; False if it cannot be compiled."""
        self._compiled.tries = 0
        try:
            return self._compiled.validator(self._side.reference(schema)).is_valid(value)
        except UNUSABLE:
            return False
