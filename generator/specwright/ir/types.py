"""Python annotations for schemas, as people would write them by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from specwright.document.model import Document
from specwright.document.schemas import is_binary, reference
from specwright.ir.index import ModelIndex
from specwright.ir.kinds import ALTERNATIVES
from specwright.ir.model import TypeRef
from specwright.pointer import Pointer, join
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
FORMATS = {
    "date-time": "datetime.datetime",
    "date": "datetime.date",
    "time": "datetime.time",
    "uuid": "uuid.UUID",
}
MAX_DEPTH = 8
VALUE_KEYWORDS = ("enum", "const", *ALTERNATIVES, EXTENSIBLE_ENUM.name)


@dataclass(frozen=True, slots=True)
class Types:
    """Answers what the Python type of a schema of this document is."""

    document: Document
    index: ModelIndex

    def slot(self, pointer: Pointer, schema: Any) -> TypeRef:
        """The type of a schema, with the model that validates it."""
        target = self._target(pointer, schema)
        model = self.index.get(target)
        return TypeRef(
            self.annotation(pointer, schema),
            None if model is None else model.name,
            model is not None and model.is_class,
        )

    def annotation(self, pointer: Pointer, schema: Any, above: tuple[Pointer, ...] = ()) -> str:
        """The annotation of a schema: a class by its name, a plain scalar by its Python type.

        Inside itself, a schema is called by its name, and so is one that lies too deep.
        """
        if not isinstance(schema, dict):
            return "object"
        ref = reference(schema)
        if ref is not None:
            target = self.document.target(ref)
            return self.annotation(target, self.document.resolve(ref), above)
        model = self.index.get(pointer)
        named = model is not None and (model.is_class or any(k in schema for k in VALUE_KEYWORDS))
        if named or pointer in above or len(above) == MAX_DEPTH:
            return "object" if model is None else f"models.{model.name}"
        above = (*above, pointer)
        types = schema.get("type")
        if isinstance(types, str):
            return self._single(pointer, schema, types, above)
        if isinstance(types, list) and types:
            parts = [self._single(pointer, schema, str(each), above) for each in types]
            return " | ".join(sorted(set(parts), key=lambda p: (p == "None", parts.index(p))))
        return self._alternatives(pointer, schema, above)

    def _single(
        self, pointer: Pointer, schema: dict[str, Any], name: str, above: tuple[Pointer, ...]
    ) -> str:
        if "enum" in schema and all(isinstance(v, str) for v in schema["enum"]):
            values = ", ".join(ascii(value) for value in schema["enum"])
            return f"Literal[{values}]"
        if name == "string" and is_binary(schema):
            return "_files.FileTypes"
        if name == "string":
            if schema.get("format") == "decimal" and self.index.get(pointer):
                return "decimal.Decimal"
            return FORMATS.get(str(schema.get("format")), "str")
        if name == "array":
            items = self.annotation(pointer + "/items", schema.get("items"), above)
            return f"Sequence[{items}]"
        if name == "object":
            member = schema.get("additionalProperties")
            inner = self.annotation(pointer + "/additionalProperties", member, above)
            return f"Mapping[str, {inner}]"
        return SCALARS.get(name, "object")

    def _alternatives(
        self, pointer: Pointer, schema: dict[str, Any], above: tuple[Pointer, ...]
    ) -> str:
        """`X | None` for the usual ways to say that a value may be null, else anything."""
        for keyword in ALTERNATIVES:
            members = schema.get(keyword)
            if isinstance(members, list) and members:
                parts = [
                    self.annotation(pointer + join(keyword, number), member, above)
                    for number, member in enumerate(members)
                ]
                if keyword == "allOf" and len(parts) > 1:
                    return "object"
                unique = sorted(set(parts), key=lambda p: (p == "None", parts.index(p)))
                return "object" if "object" in unique else " | ".join(unique)
        return "object"

    def _target(self, pointer: Pointer, schema: Any) -> Pointer:
        ref = reference(schema)
        if ref is None:
            return pointer
        return self.document.target(ref)
