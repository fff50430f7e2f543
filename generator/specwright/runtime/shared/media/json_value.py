"""JSON (RFC 8259), and the media types with a JSON suffix (RFC 6839, 3.1)."""

from __future__ import annotations

from typing import Any

from ..free_json import read_json
from ..operation import Content
from ..responses import RawBody
from .medium import Converter, Medium

# Content of these media ranges is usually JSON.
_RANGES = frozenset({"*/*", "application/*"})


class Json(Medium):
    """A JSON value."""

    is_object = True
    is_json = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is JSON, or a media range that includes it."""
        return essence in _RANGES or essence.endswith(("+json", "/json"))

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, bytes]:
        """Encode a value as JSON."""
        return content.media_type, converter.write(value)

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Decode a JSON value."""
        return converter.read(data)

    def decode_raw(self, data: bytes) -> RawBody:
        """Decode a body that the document does not describe."""
        return read_json(data)
