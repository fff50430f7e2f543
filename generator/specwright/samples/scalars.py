"""Texts and numbers that a schema is likely to accept, judging by its own keywords."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise

from specwright.json_values import JsonObject, mapping, sequence
from specwright.samples.expressions import expression
from specwright.samples.languages import (
    ANYTHING,
    Language,
    UndecidedError,
    complement,
    intersection,
    of_length,
    some,
)

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
# Other texts of a format, and of the formats that often have a pattern, too: the usual ones first.
_DAY = r"\d{3}[1-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_LABEL = "[a-z](?:[a-z0-9-]{0,60}[a-z0-9])?"
_URL = (
    r"[a-z][a-z0-9+.-]*://[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[1-9]\d{0,3})?(?:[/?][A-Za-z0-9./?=&_-]*)?"
)
_OF_FORMATS = {
    "date": (r"^2026-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$", f"^{_DAY}$"),
    "date-time": (r"^2026-01-31T12:[0-5]\d:00Z$", f"^{_DAY}T{_TIME}$"),
    "time": (r"^12:[0-5]\d:00Z$", f"^{_TIME}$"),
    "duration": (r"^P[1-9]\d{0,3}D$", r"^P(?:T[1-9]\d{0,3}[HMS]|[1-9]\d{0,3}[WMY])$"),
    "email": (
        r"^[a-z]{1,64}@example\.com$",
        rf"^[a-z][a-z0-9._+-]{{0,50}}[a-z0-9]?@{_LABEL}(?:\.{_LABEL})*$",
    ),
    "hostname": (r"^[a-z]{1,60}\.example\.com$", rf"^{_LABEL}(?:\.{_LABEL})*$"),
    "ipv4": (r"^192\.0\.2\.[1-9]\d?$", r"^(?:\d|[1-9]\d|1\d\d)(?:\.(?:\d|[1-9]\d|1\d\d)){3}$"),
    "ipv6": ("^2001:db8::[1-9a-f]{1,4}$", "^(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$"),
    "uri": ("^https://example\\.com/[a-z0-9]*$", f"^{_URL}$", "^[a-z]+:[A-Za-z0-9:._/-]+$"),
    "uri-reference": ("^/[a-z]+$", "^(?:/[A-Za-z0-9._-]*)*$", f"^{_URL}$"),
    "uuid": (
        "^3f1c2b7e-8a54-4d5e-9c1b-2a6f0e7d9b[0-9a-f]{2}$",
        "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    ),
    "json-pointer": ("^/[a-z]+$", "^(?:/[A-Za-z0-9_-]*)*$"),
    "byte": ("^(?:[A-Za-z0-9+/]{4})+$",),
    "base64url": ("^(?:[A-Za-z0-9_-]{4})+$",),
    "decimal": (r"^[1-9]\d{0,5}\.50$", r"^-?\d+(?:\.\d+)?$"),
}
_OF_FORMATS |= {
    "iri": _OF_FORMATS["uri"],
    "iri-reference": _OF_FORMATS["uri-reference"],
    "idn-email": _OF_FORMATS["email"],
    "idn-hostname": _OF_FORMATS["hostname"],
}
# The keywords for which texts are searched, and the number of texts.
_SEARCHED = frozenset(("pattern", "format", "minLength", "maxLength", "not", "allOf"))
_MOST_FOUND = 5
_COMMON = ("a", "", "A", "0", "abcdefgh", "a b", "\u00e9", "1.50")
_TEXTS = (*_COMMON, *dict.fromkeys(FORMATS.values()))


def around(schema: JsonObject, *names: str) -> Iterator[int]:
    """Yield counts at and next to the limits of a schema, then common ones."""
    limits = [limit for name in names if isinstance(limit := schema.get(name), int)]
    counts = [*limits, *(limit + step for limit in limits for step in (-1, 1)), 0, 1, 2]
    return (n for n in dict.fromkeys(counts) if 0 <= n <= _LONGEST)


def texts(schema: JsonObject) -> Iterator[str]:
    """Yield texts by the format, the pattern and the lengths of a schema, then common ones."""
    format_ = schema.get("format")
    if isinstance(format_, str) and format_ in FORMATS:
        yield FORMATS[format_]
    else:
        # Common texts are easier to read than those that are found.
        yield from _COMMON
    if not _SEARCHED.isdisjoint(schema):
        yield from _found(schema)
    if "minLength" in schema or "maxLength" in schema:
        yield from ("a" * count for count in around(schema, "minLength", "maxLength"))
    yield from _TEXTS


def _found(schema: JsonObject) -> Iterator[str]:
    """Yield a few texts that fit all keywords of a schema that limit texts."""
    languages = [*_languages(schema)]
    for pattern in _OF_FORMATS.get(str(schema.get("format")), ()):
        yield from some(intersection(expression(pattern).language, *languages), _MOST_FOUND)
    yield from some(intersection(*languages, ANYTHING), _MOST_FOUND)


def _languages(schema: JsonObject) -> Iterator[Language]:
    parts = [schema, *map(mapping, sequence(schema.get("allOf")))]
    for part in parts:
        yield from _of_pattern(part)
        excluded = mapping(part.get("not"))
        if "pattern" in excluded and excluded.keys() <= {"pattern", "type"}:
            yield from map(complement, _of_pattern(excluded))
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if isinstance(least, int) and isinstance(most, int | None) and least <= _LONGEST:
        yield of_length(least, most)


def _of_pattern(schema: JsonObject) -> Iterator[Language]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        # Without a pattern that is not supported, a text may fit by chance.
        with suppress(UndecidedError):
            yield expression(pattern).language


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
    if "not" in schema or "allOf" in schema:
        values += further_numbers(schema)
    yield from (n for n in dict.fromkeys(values) if math.isfinite(n))


def further_numbers(schema: JsonObject) -> Iterator[float]:
    """Yield more numbers near a limit of a schema, for lists of different ones."""
    names = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    limits = (schema[name] for name in names if name in schema)
    start = next((limit for limit in limits if isinstance(limit, int)), 0)
    step = schema.get("multipleOf", 1)
    width = step if isinstance(step, int) else 1
    for count in (*range(1, 31), *range(-30, 0), 100, 10_000, 1_000_000):
        yield start + count * width


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
