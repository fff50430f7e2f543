"""Members that only requests have (`writeOnly`: JSON Schema 2020-12, validation, 9.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.conformance.contract.value_parts import subschema_at, value_parts
from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, reachable
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.json_values import JsonValue
from specwright.pointer import Pointer, split


@dataclass(slots=True)
class WriteOnlyMembers:
    """A search for members that a response must not have."""

    document: Document
    _may_be_in: dict[Pointer, bool] = field(default_factory=dict)

    def may_be_in(self, schema: Pointer) -> bool:
        """Return whether a value of a schema may have such members, to parse no other."""
        if schema not in self._may_be_in:
            parts = reachable(self.document, subschema_at(self.document, schema))
            self._may_be_in[schema] = any(map(self._is_marked, parts))
        return self._may_be_in[schema]

    def of(self, schema: Pointer, value: JsonValue) -> Iterator[tuple[Pointer, Pointer]]:
        """Yield the places of such members, in the value and in the document.

        Null, and a text of asterisks, disclose nothing. If alternatives of a union declare a
        member differently, it is not known which one the value is.
        """
        for part in value_parts(self.document, subschema_at(self.document, schema), value):
            is_disclosed = part.pointer and not _is_hidden(part.value)
            if is_disclosed and all(map(self._is_marked, part.schemas)):
                yield part.pointer, part.schemas[0].pointer

    def _is_marked(self, schema: Subschema) -> bool:
        # Items are not left out: the keyword is about properties (OpenAPI 3.0.4, 4.7.24.1).
        is_property = split(schema.pointer)[-2:-1] == ("properties",)
        return is_property and is_left_out(self.document, [schema], Polarity.TO_CLIENT)


def is_masked(value: JsonValue) -> bool:
    """Return whether a value is asterisks in place of a text."""
    return isinstance(value, str) and set(value) == {"*"}


def _is_hidden(value: JsonValue) -> bool:
    return value is None or value == "" or is_masked(value)
