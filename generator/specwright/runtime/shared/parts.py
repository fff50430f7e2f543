"""Properties of forms: from JSON values to the texts that travel, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import JsonValue, ValidationError

from .operation import Content, Kind, Part

T = TypeVar("T")

_PLAIN = Part()
_NOT_TEXT = frozenset({"bool_type", "float_type", "int_type", "int_from_float"})


def texts(name: str, value: JsonValue, part: Part | None) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a property; null has none."""
    part = part or _PLAIN
    is_json = part.content_type is not None and part.content_type.endswith("json")
    if value is None:
        return
    if part.style == "deepObject":
        yield from _bracketed(name, value)
    elif isinstance(value, list) and not is_json:
        found = [_text(each) for each in value]
        yield from [(name, ",".join(found))] if part.joined else [(name, text) for text in found]
    elif isinstance(value, dict) and part.style == "form" and not is_json:
        yield from ((key, _text(each)) for key, each in value.items() if each is not None)
    else:
        yield name, json.dumps(value) if is_json else _text(value)


def value_of(content: Content, sent: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the object that pairs stand for.

    Raises:
        ValueError: a text is to be JSON and is not.
    """
    found: dict[str, Any] = {}
    for name, given in sent.items():
        part = content.parts.get(name, _PLAIN)
        if part.kind == "array":
            each = given[0].split(",") if part.joined and given else given
            found[name] = [_value(part.item_kind, text) for text in each]
        else:
            values = [_value(part.kind, text) for text in given]
            found[name] = values if len(values) > 1 else values[0]
    for name, part in content.parts.items():
        if part.style == "deepObject":
            within = [each for each in found if each.startswith(f"{name}[")]
            members = {key: found.pop(key) for key in within}
            if members:
                found[name] = _nested(members, len(name))
    return found


def typed(make: Callable[[dict[str, Any]], T], members: dict[str, Any]) -> T:
    """Make a value of members, some of whose texts within other members stand for numbers.

    Raises:
        pydantic.ValidationError: the members break the schema.
    """
    try:
        return make(members)
    except ValidationError as error:
        places = [each["loc"] for each in error.errors() if each["type"] in _NOT_TEXT]
        changed = [place for place in places if _retyped(members, place)]
        if not changed:
            raise
    return make(members)


def _retyped(members: dict[str, Any], place: tuple[int | str, ...]) -> bool:
    """Put the JSON value that a text stands for in its place, if there is one."""
    first, *rest = map(str, place)
    if rest:
        within = members.get(first)
        named = tuple(rest)
        return isinstance(within, dict) and _retyped(cast("dict[str, Any]", within), named)
    text = members.get(first)
    if not isinstance(text, str):
        return False
    value = members[first] = _value("any", text)
    return value is not text


def _bracketed(name: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    """Nest without end, as services do that take such forms; OpenAPI defines one level."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _bracketed(f"{name}[{key}]", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _bracketed(f"{name}[{index}]", each)
    elif value is not None:
        yield name, _text(value)


def _nested(members: Mapping[str, Any], start: int) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in members.items():
        *way, last = key[start + 1 : -1].split("][")
        holder = nested
        for step in way:
            holder = holder.setdefault(step, {})
        holder[last] = value
    return nested


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _value(kind: Kind, text: str) -> Any:
    if kind == "string":
        return text
    try:
        value = json.loads(text)
    except ValueError:
        # Text of another form: the schema has the last word.
        return text
    is_composite = isinstance(value, dict | list)
    return value if is_composite == (kind in ("array", "object", "any")) or kind == "any" else text
