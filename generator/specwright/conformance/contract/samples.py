"""Sample values for schemas, as simple as the schemas allow."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import jsonschema_rs

from specwright.conformance.contract.alternatives import number
from specwright.conformance.recording.exchange import JsonValue
from specwright.document.model import Document
from specwright.samples.scalars import FORMATS, numbers, texts
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

_DEPTH = 12
# The keywords that limit texts and numbers.
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LIMITS = frozenset(("pattern", "format", "minLength", "maxLength", *_BOUNDS))


def sample(document: Document, schema: Any, depth: int = 0) -> JsonValue:
    """Return a value for a schema; the caller has to check that it fits.

    Values in the document come first: `const`, `examples`, `default`, `enum`.
    """
    schema = document.follow(schema)
    if not isinstance(schema, dict) or depth > _DEPTH:
        return None
    found = _sample(document, schema, depth)
    # A whole float is an integer in JSON Schema (2020-12, core, 4.2.3), but not to many parsers.
    whole = number(found) if schema.get("type") == "integer" else None
    return found if whole is None else whole


def _sample(document: Document, schema: dict[str, Any], depth: int) -> JsonValue:
    for keyword in ("const", "example", "default"):
        if keyword in schema:
            value: JsonValue = schema[keyword]
            return value
    for keyword in ("examples", "enum", EXTENSIBLE_ENUM.name):
        if isinstance(schema.get(keyword), list) and schema[keyword]:
            first: JsonValue = schema[keyword][0]
            return first
    for keyword in ("oneOf", "anyOf"):
        if schema.get(keyword):
            chosen = sample(document, schema[keyword][0], depth + 1)
            return _joined(chosen, _plain(document, schema, depth))
    return _plain(document, schema, depth)


def _plain(document: Document, schema: dict[str, Any], depth: int) -> JsonValue:
    declared = schema.get("type")
    types = declared if isinstance(declared, list) else [declared]
    kind = next((each for each in types if each != "null"), None)
    result: JsonValue = None
    match kind or _implied(schema):
        case "string":
            text = FORMATS.get(str(schema.get("format")), "text")
            result = text.ljust(int(schema.get("minLength", 0)), "x")
            result = result[: int(schema.get("maxLength", len(result)))]
            result = _fitting(schema, result, texts(schema))
        case "integer" | "number" as kind:
            limits = {
                name: value for name in _BOUNDS if (value := number(schema.get(name))) is not None
            }
            least = limits.get("minimum", limits.get("exclusiveMinimum", 0) + 1)
            step = limits.get("multipleOf", 1)
            result = min(-(-least // step) * step, limits.get("maximum", least + step))
            result = _fitting(schema, result, numbers({**schema, **limits}, kind))
        case "boolean":
            result = True
        case "array":
            count = int(schema.get("minItems", 1 if depth < _DEPTH // 2 else 0))
            result = [sample(document, schema.get("items", {}), depth + 1)] * min(count, 20)
        case "object":
            required = schema.get("required", ())
            result = {
                name: sample(document, each, depth + 1)
                for name, each in schema.get("properties", {}).items()
                if name in required
            }
    for part in schema.get("allOf", ()):
        result = _joined(sample(document, part, depth + 1), result)
    return result


def _fitting(schema: dict[str, Any], usual: JsonValue, others: Iterable[JsonValue]) -> JsonValue:
    """Return the usual value, unless the limits of the schema require another one."""
    limits = {name: value for name, value in schema.items() if name in _LIMITS}
    try:
        validator = jsonschema_rs.Draft202012Validator(limits, validate_formats=True)
    except ValueError:
        return usual
    return next(filter(validator.is_valid, chain([usual], others)), usual)


def _implied(schema: dict[str, Any]) -> str | None:
    return "object" if "properties" in schema else None


def _joined(one: JsonValue, other: JsonValue) -> JsonValue:
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **other}
    return one if other is None else other
