"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..operation import Content
from .medium import Chunks, Converter, ItemReader, Payload, StreamMedium

# Services may end a stream of JSON with this marker, or by just closing it.
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """A server-sent event.

    Attributes:
        id: that of the last event with one.
        retry: milliseconds to wait before reconnecting, if the event specifies them.
    """

    data: str
    event: str = "message"
    id: str = ""
    retry: int | None = None


class EventStream(StreamMedium):
    """Events, or JSON values in their data."""

    untyped = "ServerSentEvent"
    exports = ("ServerSentEvent",)
    has_envelopes = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is that of server-sent events."""
        return essence == "text/event-stream"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Encode items as events, each on demand."""
        parts = (self.item(content, event, converter) for event in value)
        return content.media_type, Chunks(lambda: parts)

    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Encode an event; any other value becomes the data of an event, as JSON."""
        event = (
            value
            if isinstance(value, ServerSentEvent)
            else ServerSentEvent(converter.write(value).decode())
        )
        fields = [
            *([f"event: {event.event}"] if event.event != "message" else []),
            *([f"id: {event.id}"] if event.id else []),
            *([f"retry: {event.retry}"] if event.retry is not None else []),
            *(f"data: {line}" for line in re.split("\r\n|\r|\n", event.data)),
        ]
        return "\n".join([*fields, "", ""]).encode()

    def reader(self, content: Content, converter: Converter) -> ItemReader:
        """Return a decoder of the items in a body."""
        return _Reader(content, converter)


class _Reader:
    """An incremental decoder of the events in a body, or of the JSON in their data."""

    def __init__(self, content: Content, converter: Converter) -> None:
        self._read = converter.read if content.model is not None else None
        self._rest = b""
        self._fields: dict[str, str] = {}
        self._data: list[str] = []
        self._id = ""

    @property
    def waiting(self) -> int:
        """Approximate number of bytes of an incomplete event."""
        return len(self._rest) + sum(map(len, self._data))

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the items that a chunk completes."""
        data = self._rest + chunk
        # A chunk may end between the two characters of a line break.
        held = data[-1:] if data.endswith(b"\r") else b""
        lines = data[: len(data) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *complete, rest = lines.split(b"\n")
        self._rest = rest + held
        for line in complete:
            yield from self._line(line.decode("utf-8", "replace"))

    def end(self) -> Iterator[Any]:
        """Yield an item only if it is complete: an event needs an empty line after it."""
        return self.feed(b"\n") if self._rest == b"\r" else iter(())

    def _line(self, line: str) -> Iterator[Any]:
        if not line:
            yield from self._event()
            return
        name, _, value = line.removeprefix("\ufeff").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name in ("event", "retry"):
            self._fields[name] = value

    def _event(self) -> Iterator[Any]:
        data, fields = self._data, self._fields
        self._data, self._fields = [], {}
        text = "\n".join(data)
        if not data or (self._read is not None and text == _DONE):
            return
        if self._read is not None:
            yield self._read(text.encode())
            return
        retry = fields.get("retry", "")
        yield ServerSentEvent(
            text,
            fields.get("event") or "message",
            self._id,
            int(retry) if retry.isascii() and retry.isdigit() else None,
        )
