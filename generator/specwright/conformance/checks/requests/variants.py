"""Values at and around every limit of a schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from specwright.conformance.contract.samples import alternatives, length_limit, number, sample
from specwright.document.model import Document
from specwright.document.operations.sites import is_json
from specwright.json_values import JsonObject, JsonValue, sequence, texts
from specwright.samples.non_validating import CONTENT, written
from specwright.vocabulary.keywords.error import Condition

# Servers refuse longer texts and lists by the size of the body.
_LONGEST = 5_000
# The maximum number of texts that lack one letter.
_SHORTENED = 12
# A larger integer may be another one as a double (IEEE 754).
_MOST_EXACT = 2**53
_INTERNATIONAL = "Zoë 名前 🎒"
# Formats for which every parser rejects a text with a space and no digits.
_CHECKED = frozenset(
    (
        *("date", "date-time", "time", "duration", "uuid"),
        *("email", "hostname", "ipv4", "ipv6", "uri"),
    )
)
# Numbers beyond machine words, and characters that end a text in databases and C.
_ODD: dict[str, tuple[JsonValue, ...]] = {
    "integer": (2**31, 2**63, -(2**63) - 1),
    "number": (2**63, -(2**63) - 1),
    "string": ("null\0character", _INTERNATIONAL),
}
_WRONG_TYPES: dict[str, tuple[JsonValue, ...]] = {
    "string": (17, True, None, {}),
    "integer": ("17", 1.5, True, None),
    "number": ("17", True, None),
    "boolean": ("true", 1, None),
    "array": ({}, "text", None),
    "object": ([], "text", None),
}


@dataclass(frozen=True, slots=True)
class ValueVariant:
    """A value to replace another one, and the error condition that it meets; None if valid.

    Attributes:
        is_same: whether it is the usual value in another form.
    """

    how: str
    value: JsonValue
    condition: Condition | None
    is_same: bool = False


def variants(document: Document, schema: JsonValue, usual: JsonValue) -> Iterator[ValueVariant]:
    """Yield values near a usual one; the caller checks whether they are valid."""
    seen: list[tuple[type, JsonValue]] = []
    for plain in alternatives(document, schema):
        for variant in _variants(document, plain, usual):
            # In Python, 1 and True are equal.
            kind = type(variant.value), variant.value
            if kind not in seen:
                seen.append(kind)
                yield variant


def _variants(document: Document, schema: JsonObject, usual: JsonValue) -> Iterator[ValueVariant]:
    kind = _kind(schema)
    for wrong in _WRONG_TYPES.get(kind, ()):
        yield ValueVariant(
            f"{json.dumps(wrong)} for a value of type {kind}", wrong, Condition.INVALID_VALUE
        )
    if "enum" in schema or "const" in schema:
        listed = sequence(schema.get("enum", [schema.get("const")]))
        for value in listed:
            yield ValueVariant(f"'{value}'", value, None)
        if kind == "string":
            yield ValueVariant(
                "a value that is not in the list", "no-such-value", Condition.INVALID_VALUE
            )
            yield from _in_another_case(texts(listed))
        return
    if kind in ("integer", "number"):
        yield from _numbers(schema, kind, number(usual) or 0)
    if kind == "string" and CONTENT.keys().isdisjoint(schema):
        yield from _texts(schema, usual if isinstance(usual, str) else "text")
    elif kind == "string":
        yield from _encoded(document, schema)
    if kind == "array":
        yield from _arrays(document, schema)


def _in_another_case(listed: list[str]) -> Iterator[ValueVariant]:
    """Yield one of the listed values in another case; of several with one meaning, none."""
    for value in listed:
        other = value.lower() if value.isupper() else value.upper()
        if other != value and other not in listed:
            how = f"'{other}', a listed value in another case,"
            yield ValueVariant(how, other, Condition.INVALID_VALUE, is_same=True)
            return


def odd(document: Document, schema: JsonValue) -> tuple[JsonValue, ...]:
    """Return values that a server may accept or refuse, but must not fail at."""
    return tuple(
        dict.fromkeys(
            value
            for plain in alternatives(document, schema)
            if "enum" not in plain and "const" not in plain
            for value in _ODD.get(_kind(plain), ())
        )
    )


def _kind(schema: JsonObject) -> str:
    declared = schema.get("type")
    return declared if isinstance(declared, str) else ""


def _numbers(schema: JsonObject, kind: str, usual: float) -> Iterator[ValueVariant]:
    if kind == "integer" and abs(usual) <= _MOST_EXACT:
        # With a point, it is still an integer (JSON Schema 2020-12, validation, 6.1.1).
        yield ValueVariant(f"{float(usual)}", float(usual), None, is_same=True)
    for keyword, step, inward in (("minimum", -1, math.ceil), ("maximum", 1, math.floor)):
        limit = number(schema.get(keyword))
        if limit is not None:
            limit = inward(limit) if kind == "integer" else limit
            yield ValueVariant(f"{limit}, the {keyword},", limit, None)
            yield ValueVariant(f"{limit + step}", limit + step, Condition.OUT_OF_RANGE)
    for keyword, step in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        limit = number(schema.get(keyword))
        if limit is not None:
            yield ValueVariant(f"{limit}, the {keyword},", limit, Condition.OUT_OF_RANGE)
            yield ValueVariant(f"{limit + step}", limit + step, None)
    multiple = number(schema.get("multipleOf"))
    if multiple is not None and multiple != 1:
        beside = usual + (1 if kind == "integer" else multiple / 2)
        yield ValueVariant(
            f"{beside}, not in steps of {multiple},", beside, Condition.INVALID_VALUE
        )


def _texts(schema: JsonObject, usual: str) -> Iterator[ValueVariant]:
    least, most = length_limit(schema, "minLength", 0), length_limit(schema, "maxLength", _LONGEST)
    if schema.get("format") in _CHECKED:
        wrong = f"no {schema['format']}"
        yield ValueVariant(f"'{wrong}'", wrong, Condition.INVALID_VALUE)
    if schema.get("format") == "date-time":
        yield from _elsewhere(usual)
    if "format" not in schema:
        for limit, beyond in ((least, least - 1), (most, most + 1)):
            yield from _lengths(usual, limit, beyond)
        yield ValueVariant(f"'{_INTERNATIONAL}'", _INTERNATIONAL, None)
    elif schema["format"] == "uri" and "://" in usual:
        # A longer path is still a path; a longer host would be another server.
        path = "" if "/" in usual.partition("://")[2] else "/"
        yield from _lengths(usual + path, most, most + 1)
    if "pattern" in schema:
        near = [f"{usual[:1]} {usual[1:]}", f"{usual[:1]}ü{usual[1:]}", "-", *_shortened(usual)]
        near.append(usual + usual[-1:])
        for text in dict.fromkeys(near):
            if least <= len(text) <= most:
                how = "a text that the pattern refuses"
                yield ValueVariant(how, text, Condition.INVALID_VALUE)


def _encoded(document: Document, schema: JsonObject) -> Iterator[ValueVariant]:
    """Yield a text with content of the declared media type; a picture cannot be made."""
    media_type = schema.get("contentMediaType", "text/plain")
    content: JsonValue = _INTERNATIONAL
    if "contentSchema" in schema:
        content = sample(document, schema["contentSchema"])
    elif not is_json(str(media_type)) and not str(media_type).startswith("text/"):
        return
    text = written(schema, content)
    if text is not None:
        yield ValueVariant(f"'{text}'", text, None)


def _elsewhere(usual: str) -> Iterator[ValueVariant]:
    """Yield the same point in time with another offset (RFC 3339, 4.2)."""
    with suppress(ValueError):
        moment = datetime.fromisoformat(usual)
        if moment.tzinfo is not None:
            offset = timedelta(hours=2) if moment.utcoffset() == timedelta(0) else timedelta(0)
            text = moment.astimezone(timezone(offset)).isoformat()
            yield ValueVariant(f"'{text}'", text, None, is_same=True)


def _lengths(usual: str, limit: int, beyond: int) -> Iterator[ValueVariant]:
    """Yield a text of the length at a limit, and one of the length beyond it."""
    if 0 <= beyond <= _LONGEST:
        yield ValueVariant(f"a text of {limit}", _of_length(usual, limit), None)
        beside = _of_length(usual, beyond)
        yield ValueVariant(f"a text of {beyond}", beside, Condition.INVALID_LENGTH)


def _of_length(usual: str, length: int) -> str:
    return usual[:length].ljust(length, "a")


def _shortened(usual: str) -> Iterator[str]:
    """Yield the text without one of its first letters."""
    for index in range(min(len(usual), _SHORTENED)):
        yield usual[:index] + usual[index + 1 :]


def _arrays(document: Document, schema: JsonObject) -> Iterator[ValueVariant]:
    value = sample(document, schema.get("items", {"type": "string"}))
    for keyword, step in (("minItems", -1), ("maxItems", 1)):
        limit = number(schema.get(keyword))
        if isinstance(limit, int) and 0 <= limit + step <= _LONGEST:
            yield ValueVariant(
                f"a list of {limit + step}", [value] * (limit + step), Condition.INVALID_LENGTH
            )
