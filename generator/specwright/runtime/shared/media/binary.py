"""Opaque bytes: files of all kinds."""

from __future__ import annotations

from typing import Any

from ..files import as_file
from ..operation import Content
from .medium import Chunks, Converter, Medium, Payload


class Binary(Medium):
    """Bytes as they are; the fallback for all media types."""

    sent = returned = "FileTypes"
    received = parsed = "bytes"
    sample = b"\x89PNG\r\n\x1a\n\x00"
    has_schema = False
    has_files = True
    is_binary = True

    def matches(self, essence: str) -> bool:
        """Return True: this medium is the fallback for all media types."""
        return True

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Encode bytes as they are, a file in chunks; a range becomes the file's media type."""
        file = as_file(value)
        media_type = file.media_type if "*" in content.media_type else content.media_type
        if isinstance(file.content, bytes) and file.progress is None:
            return media_type, file.content
        return media_type, Chunks(file.chunks, file.size, file.is_repeatable)

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> bytes:
        """Return the bytes."""
        return data
