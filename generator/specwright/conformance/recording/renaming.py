"""Replacement of values in recorded requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote, unquote

from specwright.conformance.recording.exchange import JsonValue
from specwright.conformance.recording.origins import is_id

# A shorter value is replaced only as a whole.
_SHORTEST_PART = 8


def in_path(path: str, names: Mapping[str, str]) -> str:
    """Return a path with its query, with values replaced."""
    place, mark, query = path.partition("?")
    segments = "/".join(_percent(segment, names) for segment in place.split("/"))
    pairs = [pair.partition("=") for pair in query.split("&")]
    return segments + mark + "&".join(f"{key}{eq}{_percent(v, names)}" for key, eq, v in pairs)


def in_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text, such as the value of a header, with values replaced."""
    if text in names:
        return names[text]
    for old, new in names.items():
        if len(old) >= _SHORTEST_PART:
            text = text.replace(old, new)
    return text


def in_body(body: bytes, names: Mapping[str, str]) -> bytes:
    """Return a body with values replaced; the same bytes if nothing changes."""
    try:
        value: JsonValue = json.loads(body)
        changed = _in_value(value, names, ())
        return body if changed == value else json.dumps(changed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "surrogateescape")
        return in_text(text, names).encode("utf-8", "surrogateescape")


def _percent(part: str, names: Mapping[str, str]) -> str:
    changed = in_text(unquote(part), names)
    return part if changed == unquote(part) else quote(changed, safe="")


def _in_value(value: JsonValue, names: Mapping[str, str], place: tuple[str, ...]) -> JsonValue:
    match value:
        case dict(members):
            return {
                name: _in_value(member, names, (*place, name)) for name, member in members.items()
            }
        case list(items):
            return [_in_value(item, names, place) for item in items]
        case str(text):
            return in_text(text, names)
        case bool() | None:
            return value
        case int(number) if is_id(place) and str(number) in names:
            new = names[str(number)]
            return int(new) if new.isdecimal() else new
    return value
