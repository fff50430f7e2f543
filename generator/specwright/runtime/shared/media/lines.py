"""Sequences of JSON values: JSON Lines, NDJSON, and JSON text sequences (RFC 7464)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..operation import Content
from .medium import Chunks, Converter, ItemReader, Payload, StreamMedium

_TYPES = frozenset(
    {
        "application/jsonl",
        "application/jsonlines",
        "application/json-lines",
        "application/ndjson",
        "application/x-jsonl",
        "application/x-jsonlines",
        "application/x-json-stream",
        "application/x-ndjson",
        "application/stream+json",
    }
)
_SEQUENCE = "json-seq"
_SEPARATOR = b"\x1e"


class JsonLines(StreamMedium):
    """One JSON value per line."""

    def matches(self, essence: str) -> bool:
        """Return whether the media type is that of a sequence of JSON values."""
        return essence in _TYPES or essence.endswith(_SEQUENCE)

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Encode items, each on demand; only a list of items can be sent again."""
        parts = (self.item(content, line, converter) for line in value)
        if isinstance(value, list | tuple):
            return content.media_type, b"".join(parts)
        return content.media_type, Chunks(lambda: parts)

    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Encode one item."""
        before = _SEPARATOR if _SEQUENCE in content.media_type.lower() else b""
        return before + converter.write(value) + b"\n"

    def reader(self, content: Content, converter: Converter) -> ItemReader:
        """Return a decoder of the items in a body."""
        return _Reader(converter)


class _Reader:
    """An incremental decoder of the items in a body."""

    def __init__(self, converter: Converter) -> None:
        self._read = converter.read
        self._rest = bytearray()

    @property
    def waiting(self) -> int:
        """Number of bytes of an incomplete item."""
        return len(self._rest)

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the items that a chunk completes."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = bytes(self._rest) + lines[0]
            self._rest.clear()
        self._rest += rest
        return self._values(lines)

    def end(self) -> Iterator[Any]:
        """Yield the item of an unterminated last line."""
        return self._values([bytes(self._rest)])

    def _values(self, lines: Iterable[bytes]) -> Iterator[Any]:
        for line in lines:
            text = line.strip(b" \t\r" + _SEPARATOR)
            if text:
                yield self._read(text)
