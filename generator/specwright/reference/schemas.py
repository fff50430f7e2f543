"""Schemas for readers: their type in words, their limits, and their properties."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote

from markupsafe import Markup

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema, held
from specwright.document.schemas.discriminators import Discriminator, Discriminators
from specwright.document.schemas.inheritance import parts, properties
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer
from specwright.reference.anchors import segment
from specwright.reference.markdown import prose
from specwright.reference.rules import notes_of_rules
from specwright.text import visible
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_JSON = "application/json"
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
    ("deprecated", "deprecated"),
)
_LACKED = {Polarity.TO_SERVER: "only in responses", Polarity.TO_CLIENT: "only in requests"}
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
        anchor: empty if another field beside it has the name.
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
    anchor: str = ""


def anchored(fields: Iterable[FieldEntry], above: str) -> list[FieldEntry]:
    """Return fields with anchors below another one, at any depth."""
    named: dict[str, FieldEntry] = {}
    result = []
    for field in fields:
        is_first = named.setdefault(field.name, field) is field
        anchor = f"{above}/{segment(field.name)}" if is_first else ""
        inner = anchored(field.inner, anchor) if is_first else field.inner
        result.append(replace(field, anchor=anchor, inner=inner))
    return result


@dataclass(frozen=True)
class Schemas:
    """The schemas of a document."""

    document: Document

    @cached_property
    def _discriminators(self) -> Discriminators:
        return Discriminators(self.document)

    @cached_property
    def _tags(self) -> Mapping[Pointer, Mapping[str, Sequence[str]]]:
        """The tags of each alternative, by their property."""
        tags_of: dict[Pointer, dict[str, list[str]]] = {}
        for schema, discriminator in self._discriminators:
            for pointer, tags in discriminator.alternatives.items():
                if pointer != schema.pointer:
                    known = tags_of.setdefault(pointer, {}).setdefault(discriminator.name, [])
                    known += [tag for tag in tags if tag not in known]
        return tags_of

    def type(self, schema: JsonValue, above: tuple[Pointer, ...] = ()) -> list[Piece]:
        """Return the type in words: the type of JSON, then the name of the model."""
        if not isinstance(schema, dict) or not schema:
            return [Piece("no value" if schema is False else "any value")]
        if self.document.is_local(ref := schema.get("$ref")):
            return self._of_reference(ref, above)
        for key in UNIONS:
            if parts := sequence(schema.get(key)):
                return self._joined(parts, " or ", above)
        if parts := sequence(schema.get("allOf")):
            own = {key: value for key, value in schema.items() if key != "allOf"}
            own_parts = [own] if own.get("properties") else []
            return self._joined([*parts, *own_parts], " and ", above)
        if "const" in schema:
            return [Piece(json.dumps(schema["const"], ensure_ascii=False))]
        kind = _kind(schema)
        if schema.get("contentMediaType") == _JSON:
            content = schema.get("contentSchema")
            described = [Piece(": "), *self.type(content, above)] if content else []
            return [Piece(f"string with {_JSON}"), *described]
        if kind == "array" and schema.get("items"):
            return [Piece("array of "), *self.type(schema["items"], above)]
        values = schema.get("additionalProperties")
        if kind == "object" and values and isinstance(values, dict):
            return [Piece("object of "), *self.type(values, above)]
        format_ = schema.get("format")
        return [Piece(f"{kind} ({format_})" if isinstance(format_, str) else kind)]

    def heirs(self, schema: Subschema) -> list[Piece]:
        """Return the type of the schemas that inherit from one with a discriminator, in words."""
        discriminator = self._discriminators.of(schema)
        if discriminator is None or not discriminator.is_inherited:
            return []
        references: list[JsonValue] = [
            {"$ref": f"#{quote(pointer)}"}
            for pointer in discriminator.alternatives
            if pointer != schema.pointer
        ]
        return [Piece(" or "), *self._joined(references, " or ", ())] if references else []

    def fields(
        self,
        schema: Subschema,
        polarity: Polarity | None = None,
        above: tuple[Pointer, ...] = (),
    ) -> list[FieldEntry]:
        """Return the properties of a schema, those of all its parts and alternatives included.

        Models are followed at the top and in `allOf`; elsewhere their name links to them.

        Args:
            polarity: the direction of the values, which lack some of the properties.
        """
        end = Subschema(*self.document.end(schema.pointer, schema.value))
        if end.pointer in above:
            return []
        above = (*above, end.pointer)
        own = [
            self._field(name, property_.schema, property_.is_required, polarity, above)
            for name, property_ in properties(self.document, end).items()
            if polarity is None or not is_left_out(self.document, property_.declarations, polarity)
        ]
        for part in parts(self.document, end):
            own += self._of_parts(part, polarity, above)
        return own

    def field(
        self,
        name: str,
        schema: Subschema,
        polarity: Polarity,
        *,
        required: bool,
        description: object = None,
    ) -> FieldEntry:
        """Return the field of a parameter or a header."""
        described = mapping(schema.value)
        if isinstance(description, str) and description:
            described = {**described, "description": description}
        return self._field(name, Subschema(schema.pointer, described), required, polarity, ())

    def notes(self, schema: Subschema) -> list[Markup]:
        """Return the demands of a schema on its values, in words."""
        end = Subschema(*self.document.end(schema.pointer, schema.value))
        notes = [*_notes({**mapping(end.value), **mapping(schema.value)})]
        notes += [
            Markup(text)
            for polarity, text in _LACKED.items()
            if is_left_out(self.document, [schema], polarity)
        ]
        if _model_of(mapping(schema.value), self.document) is None:
            notes += self.tags(end)
        return notes

    def tags(self, schema: Subschema) -> Iterator[Markup]:
        """Yield the tags of a schema's values, in words."""
        discriminator = self._discriminators.of(schema)
        if discriminator is not None:
            yield self._meaning(discriminator)
        for name, tags in self._tags.get(schema.pointer, {}).items():
            yield Markup("<code>{}</code> is {}").format(visible(name), _codes(tags))

    def _meaning(self, discriminator: Discriminator) -> Markup:
        """Return the alternatives of each tag, in words."""
        named = Markup("<code>{}</code> is {}")
        meanings = [
            named.format(visible(tag), visible(self._words(schema)))
            for tag, schema in [*discriminator.tags.items()][:_LISTED]
        ]
        if (more := len(discriminator.tags) - _LISTED) > 0:
            meanings.append(Markup("{} more").format(more))
        if discriminator.default is not None:
            words = visible(self._words(discriminator.default))
            meanings.append(Markup("any other value, or none, is {}").format(words))
        listed = Markup(", ").join(meanings) or Markup("no alternative has a tag")
        return Markup("distinguished by <code>{}</code>: {}").format(
            visible(discriminator.name), listed
        )

    def _words(self, schema: Subschema) -> str:
        reference: JsonObject = {"$ref": f"#{quote(schema.pointer)}"}
        return _model_of(reference, self.document) or "".join(
            piece.text for piece in self.type(schema.value)
        )

    def _field(
        self,
        name: str,
        schema: Subschema,
        required: bool,
        polarity: Polarity | None,
        above: tuple[Pointer, ...],
    ) -> FieldEntry:
        described = mapping(schema.value)
        text = described.get("description")
        is_model = _model_of(described, self.document) is not None
        return FieldEntry(
            name=name,
            type=self.type(schema.value, above),
            required=required,
            description=prose(text) if isinstance(text, str) else Markup(),
            notes=self.notes(schema),
            inner=[] if is_model else self._inner(schema, polarity, above),
        )

    def _inner(
        self, schema: Subschema, polarity: Polarity | None, above: tuple[Pointer, ...]
    ) -> list[FieldEntry]:
        value = mapping(schema.value)
        whole = sequence(value.get("allOf"))
        is_named = any(isinstance(e, dict) and _model_of(e, self.document) for e in whole)
        has_own = value.get("$ref") or value.get("properties") or (whole and not is_named)
        if has_own:
            return self.fields(schema, polarity, above)
        return self._of_parts(schema, polarity, above)

    def _of_parts(
        self, schema: Subschema, polarity: Polarity | None, above: tuple[Pointer, ...]
    ) -> list[FieldEntry]:
        """Return the properties of items, values and alternatives that are not models."""
        for part in held(self.document, schema, ("items", "additionalProperties", "contentSchema")):
            if isinstance(part.value, dict) and _model_of(part.value, self.document) is None:
                return self._inner(part, polarity, above)
        fields = []
        for key in UNIONS:
            for number, part in enumerate(held(self.document, schema, [key]), 1):
                if isinstance(part.value, dict) and _model_of(part.value, self.document) is None:
                    inner = self._inner(part, polarity, above)
                    if inner:
                        title = str(part.value.get("title") or f"alternative {number}")
                        type_ = self.type(part.value, above)
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
    return "" if any(schema.get(key) for key in ("allOf", *UNIONS)) else "any value"


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
    yield from notes_of_rules(schema, Place.PROPERTY, Place.SCHEMA)


def _codes(values: Sequence[object]) -> Markup:
    shown = Markup(", ").join(
        Markup("<code>{}</code>").format(_written(value)) for value in values[:_LISTED]
    )
    more = len(values) - _LISTED
    return shown if more <= 0 else shown + f" and {more} more"


def _written(value: object) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
