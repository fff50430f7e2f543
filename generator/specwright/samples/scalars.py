"""Texts and numbers that a schema is likely to accept, judging by its own keywords."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from specwright.json_values import JsonObject
from specwright.samples.matching import matching

_LONGEST = 2_000
# A value for each format, in the form that most parsers accept.
FORMATS = {
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
    "decimal": "1.50",
}
_TEXTS = ("a", "", "A", "0", "a b", "\u00e9", "1.50", "abcdefgh", *dict.fromkeys(FORMATS.values()))


def around(schema: JsonObject, *names: str) -> Iterator[int]:
    """Yield counts at and next to the limits of a schema, then common ones."""
    limits = [limit for name in names if isinstance(limit := schema.get(name), int)]
    counts = [*limits, *(limit + step for limit in limits for step in (-1, 1)), 0, 1, 2]
    return (n for n in dict.fromkeys(counts) if 0 <= n <= _LONGEST)


def texts(schema: JsonObject) -> Iterator[str]:
    """Yield texts by the pattern, the format and the lengths of a schema, then common ones."""
    pattern, format_ = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str):
        text = matching(pattern)
        if text is not None:
            yield from (text, f"{text}{text}", f"{text} ", f"{text}a")
    if isinstance(format_, str) and format_ in FORMATS:
        yield FORMATS[format_]
    if "minLength" in schema or "maxLength" in schema:
        yield from ("a" * count for count in around(schema, "minLength", "maxLength"))
    yield from _TEXTS


def numbers(schema: JsonObject, kind: str) -> Iterator[float]:
    """Yield numbers of a type at and next to the limits of a schema, and common ones."""
    limits = [
        limit
        for name in ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
        if isinstance(limit := schema.get(name), int | float)
        and not isinstance(limit, bool)
        and math.isfinite(limit)
    ]
    steps = _multiples(schema, limits)
    if kind == "integer":
        limits = [
            near
            for limit in limits
            for near in dict.fromkeys((math.ceil(limit), math.floor(limit)))
        ]
    values: list[float] = [
        *limits,
        1,
        0,
        -1,
        *(limit + step for limit in limits for step in (-1, 1)),
    ]
    if kind == "number":
        values += [0.5, *(limit + step for limit in limits for step in (-0.5, 0.5))]
        values += [(one + other) / 2 for one, other in pairwise(sorted(limits))]
    values += [*steps, 2**31, -(2**31) - 1]
    yield from (n for n in dict.fromkeys(values) if math.isfinite(n))


def _multiples(schema: JsonObject, limits: list[float]) -> list[float]:
    """Return multiples of a schema's step next to its limits."""
    step = schema.get("multipleOf")
    if isinstance(step, bool) or not isinstance(step, int | float) or not step > 0:
        return []
    exact = Decimal(str(step))
    counts = [Decimal(str(limit)) // exact + near for limit in limits for near in (-1, 0, 1)]
    return [_number(count * exact) for count in counts]


def _number(value: Decimal) -> float:
    return int(value) if value == value.to_integral_value() else float(value)
