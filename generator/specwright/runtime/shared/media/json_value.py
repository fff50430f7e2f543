"""JSON (RFC 8259), and each media type that is JSON by its suffix (RFC 6839, 3.1)."""

from __future__ import annotations

from typing import Any

from ..operation import Content
from .medium import Converter

# Content of these ranges may be JSON, and mostly is.
_RANGES = frozenset({"*/*", "application/*"})

name = "json"
sent = received = "{}"
taken = "{}"
given = "{}"
is_stream = False
has_schema = True


def matches(essence: str) -> bool:
    """Tell whether the media type is JSON, or a range that JSON belongs to."""
    return essence in _RANGES or essence.endswith(("+json", "/json"))


def encode(content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
    """Write a value as JSON."""
    return content.media_type, converter.write(value)


def decode(content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
    """Read the value of JSON."""
    return converter.read(data)
