"""Members of a response that are only for requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.contract.value_parts import value_parts
from specwright.conformance.recording.exchange import JsonValue
from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema, applying, reachable
from specwright.pointer import Pointer, resolve

WRITE_ONLY = BehaviourRule(
    "write-only",
    BehaviourCategory.SHAPE,
    "A member that is only for requests (`writeOnly`), such as a password, is not in a response.",
    example='GET /users/7 -> 200 {"id": 7, "password": "…"}, and `password` is writeOnly',
    advice="Leave the member out of responses, or remove `writeOnly` if clients may read it.",
    weight=15,
    judge=judge_shape,
)


@dataclass(slots=True)
class WriteOnly:
    """A search for members that a response must not have (JSON Schema 2020-12, validation, 9.4)."""

    document: Document
    _may_have: dict[Pointer, bool] = field(default_factory=dict)

    def may_have(self, schema: Pointer) -> bool:
        """Return whether a value of a schema may have such members, to parse no other."""
        if schema not in self._may_have:
            parts = reachable(self.document, self._at(schema))
            self._may_have[schema] = any(map(_is_write_only, parts))
        return self._may_have[schema]

    def members(self, schema: Pointer, value: JsonValue) -> Iterator[tuple[Pointer, Pointer]]:
        """Yield the places of such members, in the value and in the document.

        Null, and a text of asterisks, tell nothing.
        If alternatives of a union declare a member differently, nothing tells which one it is.
        """
        for part in value_parts(self.document, self._at(schema), value):
            is_told = part.pointer and not _tells_nothing(part.value)
            if is_told and all(map(self._is_marked, part.schemas)):
                yield part.pointer, part.schemas[0].pointer

    def _at(self, schema: Pointer) -> Subschema:
        return Subschema(schema, resolve(self.document.data, schema))

    def _is_marked(self, schema: Subschema) -> bool:
        return any(map(_is_write_only, applying(self.document, [schema])))


def _tells_nothing(value: JsonValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip("*"))


def _is_write_only(schema: Subschema) -> bool:
    return isinstance(schema.value, dict) and schema.value.get("writeOnly") is True
