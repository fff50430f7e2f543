"""Opaque bytes: files of all kinds."""

from __future__ import annotations

from typing import Any

from ..files import as_file
from ..operation import Content
from .medium import Chunks, Converter, Payload

name = "binary"
sent = "_files.FileTypes"
received = "bytes"
taken = "bytes"
given = "_files.FileTypes"
is_stream = False
has_schema = False


def matches(essence: str) -> bool:
    """Return True: this medium is the fallback for all media types."""
    return True


def encode(content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
    """Encode bytes as they are, a file in chunks; a media range becomes the file's media type."""
    file = as_file(value)
    media_type = file.media_type if "*" in content.media_type else content.media_type
    if isinstance(file.content, bytes):
        return media_type, file.content
    return media_type, Chunks(file.chunks, file.size, file.is_repeatable)


def decode(content: Content, data: bytes, media_type: str, converter: Converter) -> bytes:
    """Return the bytes."""
    return data
