"""Forms as browsers send them (URL Living Standard, 5; OpenAPI 3.1.1, 4.8.14.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pydantic import JsonValue

from ..operation import Content
from ..parts import texts, typed, value_of
from .medium import Converter

name = "form"
sent = "{}"
received = "{}"
taken = "{}"
given = "{}"
is_stream = False
has_schema = True


def matches(essence: str) -> bool:
    """Tell whether the media type is that of a form."""
    return essence == "application/x-www-form-urlencoded"


def encode(content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
    """Write the members of an object as pairs."""
    members: JsonValue = json.loads(converter.write(value))
    if not isinstance(members, dict):
        raise ValueError("Input should be an object")
    return content.media_type, urlencode(list(_pairs(content, members))).encode()


def decode(content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
    """Read pairs as the members of an object."""
    sent_: dict[str, list[str]] = {}
    for key, text in parse_qsl(data.decode(), keep_blank_values=True):
        sent_.setdefault(key, []).append(text)
    return typed(lambda made: converter.read(json.dumps(made).encode()), value_of(content, sent_))


def _pairs(content: Content, members: dict[str, JsonValue]) -> Iterator[tuple[str, str]]:
    for key, value in members.items():
        yield from texts(key, value, content.parts.get(key))
