"""Plain alternatives of a schema, each of one type and without references."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from specwright.document.model import Document

_DEPTH = 8
# The most alternatives of a schema; nested unions multiply.
_MOST = 20
_UNIONS = ("anyOf", "oneOf")


def alternatives(document: Document, schema: Any) -> list[dict[str, Any]]:
    """Return the alternatives of a schema: each choice of union members and types.

    They only suggest values to try: a value is validated against the schema itself.
    """
    return list(_alternatives(document, schema, 0))[:_MOST]


def _alternatives(document: Document, schema: Any, depth: int) -> Iterator[dict[str, Any]]:
    schema = document.follow(schema)
    if not isinstance(schema, dict) or depth > _DEPTH:
        return
    own = {name: each for name, each in schema.items() if name not in ("allOf", *_UNIONS)}
    parts = [[member] for member in _members(schema, "allOf")]
    parts += [found for keyword in _UNIONS if (found := _members(schema, keyword))]
    choices = [
        [found for each in part for found in _alternatives(document, each, depth + 1)] or [{}]
        for part in parts
    ]
    for chosen in product(*choices):
        merged = {name: each for part in (own, *chosen) for name, each in part.items()}
        types = merged.get("type")
        for kind in types if isinstance(types, list) else [types]:
            yield merged if kind is None else {**merged, "type": kind}


def _members(schema: dict[str, Any], keyword: str) -> list[Any]:
    found = schema.get(keyword)
    return found if isinstance(found, list) else []


def number(value: object) -> int | float | None:
    """Return a finite number, as an integer if it is whole; None for any other value."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value
