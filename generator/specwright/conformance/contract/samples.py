"""Sample values for schemas: a simple one, distinct ones, and the alternatives of a schema."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product

import jsonschema_rs

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS, Subschema
from specwright.document.schemas.polarity import Polarity, is_left_out
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.samples.non_validating import CONTENT, written
from specwright.samples.scalars import FORMATS, numbers, texts
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_DEPTH, _UNION_DEPTH = 12, 8
# Optional members of deeper objects are left out: a recursive schema has them at every level.
_WHOLE_DEPTH = 4
# The keywords that limit texts and numbers.
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LIMITS = frozenset(("pattern", "format", "minLength", "maxLength", *_BOUNDS))
# The most alternatives of a schema; nested unions multiply.
_MOST_ALTERNATIVES = 20


def sample(document: Document, schema: JsonValue, *, is_whole: bool = False) -> JsonValue:
    """Return a value for a schema; the caller has to check that it fits.

    Values in the document come first: `const`, `examples`, `default`, `enum`.

    Args:
        is_whole: objects have their optional members, too, except for read-only ones.
    """
    return _Sampler(document, is_whole).sample(schema, 0)


@dataclass(frozen=True, slots=True)
class _Sampler:
    document: Document
    is_whole: bool

    def sample(self, schema: JsonValue, depth: int) -> JsonValue:
        schema = self.document.follow(schema)
        if not isinstance(schema, dict) or depth > _DEPTH:
            return None
        value = self._sample(schema, depth)
        # A whole float is an integer in JSON Schema (2020-12, core, 4.2.3), but not to many
        # parsers.
        whole = number(value) if schema.get("type") == "integer" else None
        return value if whole is None else whole

    def _sample(self, schema: JsonObject, depth: int) -> JsonValue:
        for keyword in ("const", "example", "default"):
            if keyword in schema and not (self.is_whole and schema[keyword] is None):
                value: JsonValue = schema[keyword]
                return value
        for keyword in ("examples", "enum", EXTENSIBLE_ENUM.name):
            for first in sequence(schema.get(keyword)):
                return first
        for keyword in UNIONS:
            for alternative in sequence(schema.get(keyword)):
                chosen = self.sample(alternative, depth + 1)
                return _joined(chosen, self._plain(schema, depth))
        return self._plain(schema, depth)

    def _plain(self, schema: JsonObject, depth: int) -> JsonValue:
        declared = schema.get("type")
        types = declared if isinstance(declared, list) else [declared]
        kind = next((type_ for type_ in types if type_ != "null"), None)
        result: JsonValue = None
        match kind or _implied(schema):
            case "string":
                text = FORMATS.get(str(schema.get("format")), "text")
                result = text.ljust(length_limit(schema, "minLength", 0), "x")
                result = result[: length_limit(schema, "maxLength", len(result))]
                others = texts(schema)
                if not CONTENT.keys().isdisjoint(schema):
                    others = chain(self._encoded(schema, depth), others)
                    result = next(others)
                result = _fitting(schema, result, others)
            case "integer" | "number" as kind:
                limits = {
                    name: value
                    for name in _BOUNDS
                    if (value := number(schema.get(name))) is not None
                }
                least = limits.get("minimum", limits.get("exclusiveMinimum", 0) + 1)
                step = limits.get("multipleOf", 1)
                result = min(-(-least // step) * step, limits.get("maximum", least + step))
                result = _fitting(schema, result, numbers({**schema, **limits}, kind))
            case "boolean":
                result = True
            case "array":
                count = length_limit(schema, "minItems", 1 if depth < _DEPTH // 2 else 0)
                result = [self.sample(schema.get("items", {}), depth + 1)] * min(count, 20)
            case "object":
                required = sequence(schema.get("required"))
                result = {
                    name: self.sample(each, depth + 1)
                    for name, each in mapping(schema.get("properties")).items()
                    if name in required or self._is_shown(each, depth)
                }
        for part in sequence(schema.get("allOf")):
            result = _joined(self.sample(part, depth + 1), result)
        return result

    def _encoded(self, schema: JsonObject, depth: int) -> Iterator[str]:
        """Yield texts with content of the declared media type and encoding."""
        is_declared = "contentSchema" in schema
        content = self.sample(schema["contentSchema"], depth + 1) if is_declared else "text"
        lengths = (length_limit(schema, name, 0) for name in ("minLength", "maxLength"))
        for whole in (content, *("x" * length for length in lengths)):
            text = written(schema, whole)
            yield "text" if text is None else text

    def _is_shown(self, schema: JsonValue, depth: int) -> bool:
        """Return whether an optional member with a schema is part of the value."""
        if not self.is_whole or depth > _WHOLE_DEPTH:
            return False
        return not is_left_out(self.document, [Subschema("", schema)], Polarity.TO_SERVER)


def _fitting(schema: JsonObject, usual: JsonValue, others: Iterable[JsonValue]) -> JsonValue:
    """Return the usual value, unless the limits of the schema require another one."""
    limits = {name: value for name, value in schema.items() if name in _LIMITS}
    try:
        validator = jsonschema_rs.Draft202012Validator(limits, validate_formats=True)
    except ValueError:
        return usual
    return next(filter(validator.is_valid, chain([usual], others)), usual)


def _implied(schema: JsonObject) -> str | None:
    return "object" if "properties" in schema else None


def _joined(one: JsonValue, other: JsonValue) -> JsonValue:
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **other}
    return one if other is None else other


def distinct(document: Document, schema: JsonValue) -> Iterator[JsonValue]:
    """Yield values of one schema that a server does not treat as equal.

    None for unsupported schemas; the caller has to check that they fit.
    """
    for alternative in alternatives(document, schema):
        yield from _distinct(alternative)


def _distinct(schema: dict[str, JsonValue]) -> tuple[JsonValue, ...]:
    # The transitions between the states of an enumeration are up to the server.
    match {"type": None} if isinstance(schema.get("enum"), list) else schema:
        case {"type": "string"} if "format" not in schema and "pattern" not in schema:
            contents = ("first text", "another one", "ab", "cd")
            encoded = (written(schema, content) for content in contents)
            return tuple(text for text in encoded if text is not None)
        case {"type": "integer" | "number"}:
            return (7, 8, 1, 2)
        case {"type": "boolean"}:
            return (True, False)
    return ()


def alternatives(document: Document, schema: JsonValue) -> list[JsonObject]:
    """Return the alternatives of a schema: each choice of union members and types.

    They only suggest values to try: a value is validated against the schema itself.
    """
    return list(_alternatives(document, schema, 0))[:_MOST_ALTERNATIVES]


def _alternatives(document: Document, schema: JsonValue, depth: int) -> Iterator[JsonObject]:
    schema = document.follow(schema)
    if not isinstance(schema, dict) or depth > _UNION_DEPTH:
        return
    own = {name: each for name, each in schema.items() if name not in ("allOf", *UNIONS)}
    parts = [[member] for member in _members(schema, "allOf")]
    parts += [plain for keyword in UNIONS if (plain := _members(schema, keyword))]
    choices = [
        [plain for member in part for plain in _alternatives(document, member, depth + 1)] or [{}]
        for part in parts
    ]
    for chosen in product(*choices):
        merged = {name: each for part in (own, *chosen) for name, each in part.items()}
        types = merged.get("type")
        for kind in types if isinstance(types, list) else [types]:
            yield merged if kind is None else {**merged, "type": kind}


def _members(schema: JsonObject, keyword: str) -> list[JsonValue]:
    members = schema.get(keyword)
    return members if isinstance(members, list) else []


def length_limit(schema: JsonObject, keyword: str, default: int) -> int:
    """Return the value of a keyword that counts characters or items."""
    count = number(schema.get(keyword))
    return default if count is None else int(count)


def number(value: object) -> int | float | None:
    """Return a finite number, as an integer if it is whole; None for any other value."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value
