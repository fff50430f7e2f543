"""Values that a schema is likely to accept, to try them on another one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

from specwright.compare.absolute import Side
from specwright.compare.matching import matching
from specwright.pointer import resolve
from specwright.vocabulary.keywords.once import ONCE

MOST = 200
_LONGEST = 2_000
_DEEPEST = 6
_PER_SCHEMA = 24

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uri-reference": "/a",
    "uuid": "3f1c2b7e-8a54-4d5e-9c1b-2a6f0e7d9b10",
    "json-pointer": "/a",
    "regex": "a",
    "byte": "YQ==",
}
_TEXTS = ("a", "", "A", "0", "a b", "\u00e9", "1.50", "abcdefgh", *dict.fromkeys(_FORMATS.values()))
_ALL_TYPES = ("null", "string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True, slots=True)
class Samples:
    """Values for schemas whose references lead into either side."""

    sides: tuple[Side, Side]

    def of(self, schema: Any) -> Iterator[Any]:
        """Some values, the simplest first."""
        return islice(self._values(schema, 0), MOST)

    def _values(self, schema: Any, depth: int) -> Iterator[Any]:
        if schema is False or depth > _DEEPEST:
            return
        merged = self._merged(schema, depth)
        if "const" in merged:
            yield merged["const"]
            return
        if isinstance(merged.get("enum"), list):
            yield from merged["enum"]
            return
        if merged.get(ONCE.name) is not True:
            for examples in (merged.get("examples"), [merged.get("example")]):
                yield from (each for each in examples or () if each is not None)
        choices = [*(merged.get("anyOf") or ()), *(merged.get("oneOf") or ())]
        for choice in choices:
            rest = {k: v for k, v in merged.items() if k not in ("anyOf", "oneOf")}
            yield from self._some({"allOf": [rest, choice]}, depth + 1)
        kinds = merged.get("type") or (_implied(merged) if not choices else ())
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            yield from self._of_type(kind, merged, depth)

    def _some(self, schema: Any, depth: int) -> Iterator[Any]:
        return islice(self._values(schema, depth), _PER_SCHEMA)

    def _merged(self, schema: Any, depth: int) -> dict[str, Any]:
        """The keywords of a schema and of all that it is put together from, the last one wins."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return {}
        parts = [schema]
        if isinstance(schema.get("$ref"), str):
            parts.append(self._merged(self._target(schema["$ref"]), depth + 1))
        parts += [self._merged(each, depth + 1) for each in schema.get("allOf") or ()]
        merged: dict[str, Any] = {}
        for part in reversed(parts):
            for name, value in part.items():
                if name == "properties" and isinstance(value, dict):
                    merged[name] = {**merged.get(name, {}), **value}
                elif name == "required" and isinstance(value, list):
                    merged[name] = [*merged.get(name, ()), *value]
                elif name not in ("$ref", "allOf"):
                    merged[name] = value
        return merged

    def _target(self, ref: str) -> Any:
        address, _, fragment = ref.partition("#")
        for side in self.sides:
            if side.address == address:
                with suppress(KeyError, ValueError):
                    return side.absolute(resolve(side.document.data, unquote(fragment)))
        return None

    def _of_type(self, kind: str, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        match kind:
            case "null":
                yield None
            case "boolean":
                yield from (True, False)
            case "integer" | "number":
                yield from _numbers(schema, kind)
            case "string":
                yield from _texts(schema)
            case "array":
                yield from self._arrays(schema, depth)
            case "object":
                yield from self._objects(schema, depth)

    def _arrays(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        prefix = schema.get("prefixItems") or []
        start = [next(self._values(each, depth + 1), None) for each in prefix]
        yield start
        items = list(self._some(schema.get("items", True), depth + 1))
        contained = list(self._some(schema.get("contains", False), depth + 1))
        members = [*contained, *items] or ["a"]
        for count in _around(schema, "minItems", "maxItems", "minContains", "maxContains"):
            yield [*start, *(members[n % len(members)] for n in range(count))][: max(count, 1)]
            yield [*start, *([members[0]] * count)]
            yield list(range(count))
        yield from ([*start, member] for member in members)

    def _objects(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        declared = schema.get("properties") or {}
        named = {name for name in schema.get("required") or () if isinstance(name, str)}
        values = {
            name: list(self._some(declared.get(name, True), depth + 1))
            for name in dict.fromkeys((*sorted(named), *islice(declared, _PER_SCHEMA)))
        }
        least = {name: values[name][0] for name in values if name in named and values[name]}
        yield least
        full = {name: each[0] for name, each in values.items() if each}
        yield full
        for name in named:
            yield {key: value for key, value in full.items() if key != name}
        for name, each in values.items():
            yield from ({**least, name: value} for value in each)
            yield {key: value for key, value in full.items() if key != name}
        for pattern, child in (schema.get("patternProperties") or {}).items():
            for value in islice(self._values(child, depth + 1), 3):
                yield {**least, matching(pattern) or "a": value}
            yield from ({**least, matching(pattern) or "a": value} for value in (None, "a", 1))
        rest = schema.get("additionalProperties", True)
        for value in islice(self._values(rest, depth + 1), 3):
            yield {**least, "unknown": value}
            yield {**full, "unknown": value, "UNKNOWN": value}
        for count in _around(schema, "minProperties", "maxProperties"):
            yield {**least, **{f"p{n}": 1 for n in range(count - len(least))}}


def _implied(schema: dict[str, Any]) -> tuple[str, ...]:
    """The types that the keywords of a schema are about, else all."""
    if "properties" in schema or "required" in schema or "propertyNames" in schema:
        return ("object",)
    if "items" in schema or "prefixItems" in schema:
        return ("array",)
    return _ALL_TYPES


def _around(schema: dict[str, Any], *names: str) -> Iterator[int]:
    limits = [schema[n] for n in names if isinstance(schema.get(n), int)]
    counts = [*limits, *(limit + step for limit in limits for step in (-1, 1)), 0, 1, 2]
    return (n for n in dict.fromkeys(counts) if 0 <= n <= _LONGEST)


def _texts(schema: dict[str, Any]) -> Iterator[str]:
    if isinstance(schema.get("pattern"), str):
        text = matching(schema["pattern"])
        if text is not None:
            yield from (text, f"{text}{text}", f"{text} ", f"{text}a")
    if schema.get("format") in _FORMATS:
        yield _FORMATS[schema["format"]]
    if "minLength" in schema or "maxLength" in schema:
        yield from ("a" * count for count in _around(schema, "minLength", "maxLength"))
    yield from _TEXTS


def _numbers(schema: dict[str, Any], kind: str) -> Iterator[float]:
    limits = [
        schema[name]
        for name in ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
        if isinstance(schema.get(name), int | float) and not isinstance(schema[name], bool)
    ]
    found = [*limits, 1, 0, -1, *(limit + step for limit in limits for step in (-1, 1))]
    if kind == "number":
        found += [0.5, *(limit + step for limit in limits for step in (-0.5, 0.5))]
    found += [2**31, -(2**31) - 1]
    yield from (n for n in dict.fromkeys(found) if math.isfinite(n))
