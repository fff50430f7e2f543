"""Descriptions of the types of fields, for editors that show only the name of an alias."""

from __future__ import annotations

import re

from specwright.document.model import Document
from specwright.document.schemas.inspection import reference
from specwright.document.sources.upgrade import CONTENT_FORMATS
from specwright.json_values import JsonObject, JsonValue, mapping, sequence, texts
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM

# More values than this are a page of documentation, not a hint.
MOST_VALUES = 12
FORMATS = {"decimal": "A `Decimal`.", "date-time": "A `datetime`.", "date": "A `date`."}

_WORD = re.compile(r"[\w.:/-]{1,40}")


def hidden_by_name(document: Document, schema: JsonValue) -> str:
    """Return the values or the Python type behind a reference to a scalar, or an empty string."""
    target = _target(document, schema)
    values = target.get("enum"), target.get(EXTENSIBLE_ENUM.name)
    closed, known = (texts(value) if _is_short(value) else [] for value in values)
    if closed:
        return f"One of {_listed(closed)}."
    if known:
        return f"One of {_listed(known)}, or a later value."
    return FORMATS.get(str(target.get("format")), "") if target.get("type") == "string" else ""


def encoding(document: Document, schema: JsonValue) -> str:
    """Return the encoding of a text with bytes, or an empty string: models do not decode it."""
    target = mapping(document.follow(schema))
    _, of_format = CONTENT_FORMATS.get(str(target.get("format")), ("", ""))
    name = target.get("contentEncoding", of_format)
    return f"Text in {name}." if name in ("base64", "base64url", "base32", "base16") else ""


def _target(document: Document, schema: JsonValue) -> JsonObject:
    """Return the schema that a property refers to, alone or as its only alternative to null."""
    if isinstance(schema, dict) and reference(schema) is None:
        members = sequence(schema.get("anyOf")) or sequence(schema.get("oneOf"))
        references = [member for member in members if reference(member) is not None]
        schema = references[0] if len(references) == 1 and len(members) == 2 else None
    return mapping(document.follow(schema))


def _is_short(values: JsonValue) -> bool:
    return (
        isinstance(values, list)
        and 0 < len(values) <= MOST_VALUES
        and all(isinstance(value, str) and _WORD.fullmatch(value) for value in values)
    )


def _listed(values: list[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)
