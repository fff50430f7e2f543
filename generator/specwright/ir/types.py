"""Python annotations for schemas, as people would write them by hand."""

from __future__ import annotations

from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.operations.naming import is_from_place
from specwright.document.schemas.inspection import is_binary, listed_values, reference, unwrapped
from specwright.document.schemas.scalars import joined
from specwright.ir.index import ModelIndex
from specwright.ir.kinds import ALTERNATIVES
from specwright.ir.model.values import TypeRef
from specwright.json_values import JsonObject, JsonValue, sequence
from specwright.pointer import Pointer, join, split
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
FORMATS = {
    "date-time": "datetime.datetime",
    "date": "datetime.date",
    "time": "datetime.time",
    "uuid": "uuid.UUID",
}
_TYPES_OF_VALUES: dict[type, str] = {str: "string", bool: "boolean", int: "integer"}
MAX_DEPTH = 8
# Longer types hide the rest of a signature.
LONGEST = 60
VALUE_KEYWORDS = ("enum", "const", *ALTERNATIVES, EXTENSIBLE_ENUM.name)


@dataclass(frozen=True, slots=True)
class Types:
    """The Python types of the schemas of a document."""

    document: Document
    index: ModelIndex

    def slot(self, pointer: Pointer, schema: JsonValue) -> TypeRef:
        """Return the type of a schema, with the model that validates it."""
        target = self._target(pointer, schema)
        model = self.index.get(target)
        return TypeRef(
            self.annotation(pointer, schema),
            None if model is None else model.name,
            model is not None and model.is_class,
        )

    def annotation(
        self, pointer: Pointer, schema: JsonValue, above: tuple[Pointer, ...] = ()
    ) -> str:
        """Return the annotation of a schema: the name of a class, or a plain scalar's Python type.

        A schema within itself is annotated by its name, and so is one that is nested too deeply.
        """
        step, schema = unwrapped(schema)
        pointer += step
        whole = joined(self.document, schema)
        schema = schema if whole is None else whole[0]
        if not isinstance(schema, dict):
            return "object"
        ref = reference(schema)
        if ref is not None:
            target = self.document.target(ref)
            return self.annotation(target, self.document.resolve(ref), above)
        model = self.index.get(pointer)
        named = "object" if model is None else f"models.{model.name}"
        if (model and model.is_class) or pointer in above or len(above) == MAX_DEPTH:
            return named
        has_values = model is not None and any(keyword in schema for keyword in VALUE_KEYWORDS)
        if has_values and not self._may_be_written(pointer, schema):
            return named
        written = self._written(pointer, schema, (*above, pointer))
        return named if has_values and (written == "object" or len(written) > LONGEST) else written

    def _may_be_written(self, pointer: Pointer, schema: JsonObject) -> bool:
        """Return whether a written type is more informative than the name of its alias."""
        if EXTENSIBLE_ENUM.name in schema:
            return False
        return is_from_place(split(pointer)[-1]) or all(map(self._is_scalar, _members(schema)))

    def _is_scalar(self, schema: JsonValue) -> bool:
        followed = self.document.follow(schema)
        if not isinstance(followed, dict) or any(
            value_keyword in followed for value_keyword in VALUE_KEYWORDS
        ):
            return False
        kinds = followed.get("type")
        return all(kind in SCALARS for kind in (kinds if isinstance(kinds, list) else [str(kinds)]))

    def _written(self, pointer: Pointer, schema: JsonObject, above: tuple[Pointer, ...]) -> str:
        types = schema.get("type", _type_of_values(schema))
        if isinstance(types, str):
            return self._single(pointer, schema, types, above)
        if isinstance(types, list) and types:
            parts = [self._single(pointer, schema, str(type_), above) for type_ in types]
            return " | ".join(sorted(set(parts), key=lambda p: (p == "None", parts.index(p))))
        return self._alternatives(pointer, schema, above)

    def _single(
        self, pointer: Pointer, schema: JsonObject, name: str, above: tuple[Pointer, ...]
    ) -> str:
        if name == "string" and is_binary(schema):
            return "FileTypes"
        if name == "string":
            texts = [ascii(value) for value in listed_values(schema) if isinstance(value, str)]
            if texts:
                return f"Literal[{', '.join(texts)}]"
            if schema.get("format") == "decimal" and self.index.get(pointer):
                return "decimal.Decimal"
            return FORMATS.get(str(schema.get("format")), "str")
        if name in ("boolean", "integer") and isinstance(const := schema.get("const"), int):
            return f"Literal[{const}]"
        if name == "array":
            items = self.annotation(pointer + "/items", schema.get("items"), above)
            return f"Sequence[{items}]"
        if name == "object":
            member = schema.get("additionalProperties")
            inner = self.annotation(pointer + "/additionalProperties", member, above)
            return f"Mapping[str, {inner}]"
        return SCALARS.get(name, "object")

    def _alternatives(
        self, pointer: Pointer, schema: JsonObject, above: tuple[Pointer, ...]
    ) -> str:
        """Return the union of the alternatives of a schema, with None last, or `object`."""
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

    def _target(self, pointer: Pointer, schema: JsonValue) -> Pointer:
        ref = reference(schema)
        if ref is None:
            return pointer
        return self.document.target(ref)


def _type_of_values(schema: JsonObject) -> str | None:
    """Return the type that all listed values have; None if they differ, or are not plain."""
    types = {_TYPES_OF_VALUES.get(type(value)) for value in listed_values(schema)}
    return types.pop() if len(types) == 1 else None


def _members(schema: JsonObject) -> list[JsonValue]:
    """Return the alternatives of a union, or the schema itself if it is something else."""
    return sequence(schema.get("oneOf")) or sequence(schema.get("anyOf")) or [schema]
