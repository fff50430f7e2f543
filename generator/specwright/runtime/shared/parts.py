"""Properties of forms, encoded like parameters (OpenAPI 3.1.1, 4.8.15)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from . import styles
from .operation import Content, Location, Parameter, Part

_PLAIN = Part()


def pairs(content: Content, name: str, value: JsonValue, location: Location) -> styles.Pairs:
    """Return the names and texts of a property; null has none.

    Args:
        location: that of parameters with the same encoding: `query`, or `header` for plain text.

    Raises:
        ValueError: a part of the value contains the delimiter that would end it.
    """
    parameter = _parameter(name, _part(content, name, value), location)
    if styles.is_undefined(value, parameter.style):
        return []
    if styles.is_ambiguous(parameter, value):
        raise ValueError(f"{name}: a part of the value contains the delimiter")
    return styles.pairs(parameter, value)


def members(content: Content, sent: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the object of the sent pairs.

    Raises:
        ValueError: a text must be JSON but is not, or a property is repeated.
    """
    by_name: dict[str, list[tuple[str, str]]] = {}
    declared = {name: _parameter(name, part, "query") for name, part in content.parts.items()}
    for name, text in sent:
        owners = (
            declared_name
            for declared_name in declared
            if styles.belongs(declared[declared_name], name)
        )
        by_name.setdefault(next(owners, name), []).append((name, text))
    return {
        name: _value(declared.get(name) or _guessed(name, pairs), pairs)
        for name, pairs in by_name.items()
    }


def _value(parameter: Parameter, pairs: list[tuple[str, str]]) -> JsonValue:
    if parameter.style != "content" or parameter.kind != "array":
        return _one(parameter, pairs)
    items = [_one(parameter, [text]) for text in pairs]
    # Some senders encode the whole list as one text.
    is_whole = isinstance(items[0], list) and parameter.inner.get("*") != "array"
    return items[0] if len(items) == 1 and is_whole else items


def _one(parameter: Parameter, pairs: list[tuple[str, str]]) -> JsonValue:
    try:
        return styles.value(parameter, pairs)
    except styles.RepeatedError:
        raise
    except ValueError:
        if parameter.alone != "string":
            raise
        return styles.plain(pairs[0][1])


def _part(content: Content, name: str, value: JsonValue) -> Part:
    """Return the encoding of a property; an undeclared one is encoded by its value."""
    part = content.parts.get(name)
    if part is not None:
        # A text is sent as it is unless it has to be JSON.
        is_text = isinstance(value, str) and part.style == "content" and part.alone == "string"
        return _PLAIN if is_text else part
    is_json = isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    )
    return Part(style="content") if is_json else _PLAIN


def _guessed(name: str, pairs: list[tuple[str, str]]) -> Parameter:
    return Parameter(name, name, "query", kind="array" if len(pairs) > 1 else "string")


def _parameter(name: str, part: Part, location: Location) -> Parameter:
    return Parameter(
        name,
        name,
        location,
        kind=part.kind,
        inner=part.inner,
        alone=part.alone,
        style=part.style,
        explode=part.explode,
    )
