"""JSON (RFC 8259), and the media types with a JSON suffix (RFC 6839, 3.1)."""

from __future__ import annotations

from typing import Any

from ..operation import Content
from .medium import Converter

# Content of these media ranges is usually JSON.
_RANGES = frozenset({"*/*", "application/*"})

name = "json"
sent = received = "{}"
taken = "{}"
given = "{}"
is_stream = False
has_schema = True


def matches(essence: str) -> bool:
    """Return whether the media type is JSON, or a media range that includes it."""
    return essence in _RANGES or essence.endswith(("+json", "/json"))


def encode(content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
    """Encode a value as JSON."""
    return content.media_type, converter.write(value)


def decode(content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
    """Decode a JSON value."""
    return converter.read(data)
