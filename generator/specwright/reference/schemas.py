"""Schemas for readers: their type in words, their limits, and their properties."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from specwright.document.model import Document
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer
from specwright.reference.markdown import prose
from specwright.reference.rules import notes_of_rules
from specwright.text import visible
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_MODELS = "/components/schemas/"
_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("minProperties", "at least {} properties"),
    ("maxProperties", "at most {} properties"),
)
_FLAGS = (
    ("uniqueItems", "no two items are equal"),
    ("readOnly", "only in responses"),
    ("writeOnly", "only in requests"),
    ("deprecated", "deprecated"),
)
_UNION = ("oneOf", "anyOf")
# Values of an enumeration that are listed; generated documents have thousands.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the words for a type; with a model, the name of that model."""

    text: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """A parameter, a header or a property.

    Attributes:
        place: the place of a parameter in the request; empty for properties.
        inner: the properties of its value, if no model has them.
        value: an example as text, for a required parameter.
        form: the way from text to a part of a query: `text`, `list`, or `raw` for the part itself.
    """

    name: str
    type: Sequence[Piece]
    required: bool
    description: Markup
    notes: Sequence[Markup]
    inner: Sequence[FieldEntry] = ()
    place: str = ""
    value: str = ""
    form: str = "text"


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas of a document."""

    document: Document

    def type(self, schema: JsonValue, above: tuple[Pointer, ...] = ()) -> list[Piece]:
        """Return the type in words: the type of JSON, then the name of the model."""
        if not isinstance(schema, dict) or not schema:
            return [Piece("no value" if schema is False else "any value")]
        if self.document.is_local(ref := schema.get("$ref")):
            return self._of_reference(ref, above)
        for key in _UNION:
            if parts := sequence(schema.get(key)):
                return self._joined(parts, " or ", above)
        if parts := sequence(schema.get("allOf")):
            own = {key: value for key, value in schema.items() if key != "allOf"}
            own_parts = [own] if own.get("properties") else []
            return self._joined([*parts, *own_parts], " and ", above)
        if "const" in schema:
            return [Piece(json.dumps(schema["const"], ensure_ascii=False))]
        kind = _kind(schema)
        if kind == "array" and schema.get("items"):
            return [Piece("array of "), *self.type(schema["items"], above)]
        values = schema.get("additionalProperties")
        if kind == "object" and values and isinstance(values, dict):
            return [Piece("object of "), *self.type(values, above)]
        format_ = schema.get("format")
        return [Piece(f"{kind} ({format_})" if isinstance(format_, str) else kind)]

    def fields(self, schema: JsonValue, above: tuple[Pointer, ...] = ()) -> list[FieldEntry]:
        """Return the properties of a schema, those of all its parts and alternatives included.

        Models are followed at the top and in `allOf`; elsewhere their name links to them.
        """
        pointer, target = self.document.end("", schema)
        if not isinstance(target, dict) or (pointer and pointer in above):
            return []
        above = (*above, pointer) if pointer else above
        required = sequence(target.get("required"))
        own = [
            self._field(name, property_, name in required, above)
            for name, property_ in mapping(target.get("properties")).items()
        ]
        for part in sequence(target.get("allOf")):
            own += [field for field in self.fields(part, above) if field.name not in _names(own)]
        return [*own, *self._of_parts(target, above)]

    def field(
        self, name: str, schema: JsonValue, *, required: bool, description: object = None
    ) -> FieldEntry:
        """Return the field of a parameter or a header."""
        described = mapping(schema)
        if isinstance(description, str) and description:
            described = {**described, "description": description}
        return self._field(name, described, required, ())

    def notes(self, schema: JsonValue) -> list[Markup]:
        """Return the demands of a schema on its values, in words."""
        followed = self.document.follow(schema)
        return list(_notes({**followed, **mapping(schema)})) if isinstance(followed, dict) else []

    def _field(
        self, name: str, schema: JsonValue, required: bool, above: tuple[Pointer, ...]
    ) -> FieldEntry:
        described = schema if isinstance(schema, dict) else {}
        text = described.get("description")
        is_model = _model_of(described, self.document) is not None
        return FieldEntry(
            name=name,
            type=self.type(schema, above),
            required=required,
            description=prose(text) if isinstance(text, str) else Markup(),
            notes=self.notes(described),
            inner=[] if is_model else self._inner(described, above),
        )

    def _inner(self, schema: JsonObject, above: tuple[Pointer, ...]) -> list[FieldEntry]:
        parts = sequence(schema.get("allOf"))
        is_named = any(isinstance(e, dict) and _model_of(e, self.document) for e in parts)
        has_own = schema.get("$ref") or schema.get("properties") or (parts and not is_named)
        return self.fields(schema, above) if has_own else self._of_parts(schema, above)

    def _of_parts(self, schema: JsonObject, above: tuple[Pointer, ...]) -> list[FieldEntry]:
        """Return the properties of items, values and alternatives that are not models."""
        for key in ("items", "additionalProperties"):
            part = schema.get(key)
            if isinstance(part, dict) and _model_of(part, self.document) is None:
                return self._inner(part, above)
        fields = []
        for key in _UNION:
            for number, part in enumerate(sequence(schema.get(key)), 1):
                if isinstance(part, dict) and _model_of(part, self.document) is None:
                    inner = self._inner(part, above)
                    if inner:
                        title = str(part.get("title") or f"alternative {number}")
                        type_ = self.type(part, above)
                        fields.append(FieldEntry(title, type_, False, Markup(), (), inner))
        return fields

    def _of_reference(self, ref: str, above: tuple[Pointer, ...]) -> list[Piece]:
        model = _model_of({"$ref": ref}, self.document)
        pointer, target = self.document.end("", {"$ref": ref})
        if model is None:
            return [Piece("object")] if pointer in above else self.type(target, (*above, pointer))
        kind = _kind(target) if isinstance(target, dict) else ""
        return [Piece(f"{kind} " if kind else ""), Piece(model, model)]

    def _joined(
        self, parts: Sequence[JsonValue], word: str, above: tuple[Pointer, ...]
    ) -> list[Piece]:
        shown: list[list[Piece]] = []
        for part in parts:
            pieces = self.type(part, above)
            if pieces not in shown and (word == " or " or pieces != [Piece("any value")]):
                shown.append(pieces)
        first, *others = shown or [[Piece("any value")]]
        return [*first, *(piece for pieces in others for piece in (Piece(word), *pieces))]


def _names(fields: Sequence[FieldEntry]) -> set[str]:
    return {field.name for field in fields}


def _model_of(schema: JsonObject, document: Document) -> str | None:
    """Return the name of the model that a schema refers to, if it is one."""
    ref = schema.get("$ref")
    pointer = document.target(ref) if document.is_local(ref) else ""
    name = pointer.removeprefix(_MODELS)
    is_model = pointer.startswith(_MODELS) and "/" not in name
    return name.replace("~1", "/").replace("~0", "~") if is_model else None


def _kind(schema: JsonObject) -> str:
    """Return the JSON type in words; empty for a union or several parts."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    return "" if any(schema.get(key) for key in (*_UNION, "allOf")) else "any value"


def _notes(schema: JsonObject) -> Iterator[Markup]:
    for name, text in _LIMITS:
        # OpenAPI 3.0 has booleans here, which are gone after the upgrade.
        if name in schema:
            yield Markup(text).format(visible(str(schema[name])))
    for name, text in _FLAGS:
        if schema.get(name) is True:
            yield Markup(text)
    if isinstance(pattern := schema.get("pattern"), str):
        yield Markup("matches <code>{}</code>").format(visible(pattern))
    if "default" in schema:
        yield Markup("default <code>{}</code>").format(_written(schema["default"]))
    if isinstance(values := schema.get("enum"), list):
        yield Markup("one of {}").format(_codes(values))
    if isinstance(values := schema.get(EXTENSIBLE_ENUM.name), list):
        yield Markup("{}; more may be added").format(_codes(values))
    yield from notes_of_rules(schema)


def _codes(values: Sequence[object]) -> Markup:
    shown = Markup(", ").join(
        Markup("<code>{}</code>").format(_written(value)) for value in values[:_LISTED]
    )
    more = len(values) - _LISTED
    return shown if more <= 0 else shown + f" and {more} more"


def _written(value: object) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
