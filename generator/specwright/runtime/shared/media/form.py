"""URL-encoded forms (URL Living Standard, 5; OpenAPI 3.1.1, 4.8.14.4)."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

from pydantic import JsonValue

from ..operation import Content
from ..parts import members, pairs
from ..styles import decoded, plain
from .medium import Converter, Medium


class Form(Medium):
    """Pairs of names and texts."""

    is_object = True
    has_parts = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is that of a URL-encoded form."""
        return essence == "application/x-www-form-urlencoded"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        """Encode the members of an object as pairs."""
        plain: JsonValue = json.loads(converter.write(value))
        if not isinstance(plain, dict):
            raise ValueError("Input should be an object")
        written = (pairs(content, name, value, "query") for name, value in plain.items())
        text = "&".join(f"{name}={text}" for name, text in chain.from_iterable(written))
        return content.media_type, text.encode()

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Decode pairs as the members of an object."""
        sent_ = (pair.partition("=") for pair in data.decode().split("&") if pair)
        texts = [(plain(_decoded(name)), _decoded(text)) for name, _, text in sent_]
        return converter.read(json.dumps(members(content, texts)).encode())


def _decoded(text: str) -> str:
    return decoded(text.replace("+", " "))
