"""Values around every limit of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.conformance.recording.exchange import JsonValue
from specwright.vocabulary.keywords.error import Condition

# Longer texts and lists are for servers to refuse by the size of the body.
_LONGEST = 5_000
# Of the texts that lack one letter.
_SHORTENED = 12
_INTERNATIONAL = "Zoë 名前 🎒"
# Numbers that are no machine words, and characters that databases and C end a text with.
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
class Variant:
    """A value in the place of another one, and the condition that it meets; None where it fits."""

    how: str
    value: JsonValue
    condition: Condition | None


def variants(schema: dict[str, Any], usual: JsonValue) -> Iterator[Variant]:
    """Values beside a usual one; whether they fit is checked before they are sent."""
    kind = _kind(schema)
    for wrong in _WRONG_TYPES.get(kind, ()):
        yield Variant(f"{wrong!r} for a {kind}", wrong, Condition.INVALID_VALUE)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        for value in values:
            yield Variant(f"'{value}'", value, None)
        if kind == "string":
            yield Variant("a value out of the list", "no-such-value", Condition.INVALID_VALUE)
        return
    if kind in ("integer", "number"):
        yield from _numbers(schema)
    if kind == "string":
        yield from _texts(schema, usual if isinstance(usual, str) else "text")
    if kind == "array":
        yield from _arrays(schema)


def odd(schema: dict[str, Any]) -> tuple[JsonValue, ...]:
    """Values that a server may take or refuse, but must not fail at."""
    return () if "enum" in schema or "const" in schema else _ODD.get(_kind(schema), ())


def _kind(schema: dict[str, Any]) -> str:
    declared = schema.get("type")
    return declared if isinstance(declared, str) else ""


def _numbers(schema: dict[str, Any]) -> Iterator[Variant]:
    for keyword, step in (("minimum", -1), ("maximum", 1)):
        if isinstance(schema.get(keyword), int):
            limit = schema[keyword]
            yield Variant(f"{limit}, the {keyword},", limit, None)
            yield Variant(f"{limit + step}", limit + step, Condition.OUT_OF_RANGE)


def _texts(schema: dict[str, Any], usual: str) -> Iterator[Variant]:
    least, most = schema.get("minLength", 0), schema.get("maxLength", _LONGEST)
    if "format" not in schema:
        for limit, beyond in ((least, least - 1), (most, most + 1)):
            if 0 <= beyond <= _LONGEST:
                yield Variant(f"a text of {limit}", _of_length(usual, limit), None)
                beside = _of_length(usual, beyond)
                yield Variant(f"a text of {beyond}", beside, Condition.INVALID_LENGTH)
        yield Variant(f"'{_INTERNATIONAL}'", _INTERNATIONAL, None)
    if "pattern" in schema:
        near = [f"{usual[:1]} {usual[1:]}", f"{usual[:1]}ü{usual[1:]}", "-", *_shortened(usual)]
        for text in dict.fromkeys(near):
            if least <= len(text) <= most:
                how = "a text that the pattern refuses"
                yield Variant(how, text, Condition.INVALID_VALUE)


def _of_length(usual: str, length: int) -> str:
    return usual[:length].ljust(length, "a")


def _shortened(usual: str) -> Iterator[str]:
    """The text without one of its first letters."""
    for index in range(min(len(usual), _SHORTENED)):
        yield usual[:index] + usual[index + 1 :]


def _arrays(schema: dict[str, Any]) -> Iterator[Variant]:
    item = schema.get("items") if isinstance(schema.get("items"), dict) else {}
    value = (item or {}).get("enum", ["text"])[0]
    for keyword, step in (("minItems", -1), ("maxItems", 1)):
        limit = schema.get(keyword)
        if isinstance(limit, int) and 0 <= limit + step <= _LONGEST:
            yield Variant(
                f"a list of {limit + step}", [value] * (limit + step), Condition.INVALID_LENGTH
            )
