"""Server-sent events (HTML Living Standard, 9.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError
from typing_extensions import TypeVar

from ..operation import Content, EventData
from ..types import UnknownTag
from .medium import Chunks, Converter, ItemReader, Payload, StreamMedium

Data_co = TypeVar("Data_co", covariant=True, default=str)
Name_co = TypeVar("Name_co", bound=str, covariant=True, default=str)

# Services may end a stream of JSON with this marker, or by just closing it.
END_OF_EVENTS = "[DONE]"
# Bytes that Python needs for a line beside its characters.
_LINE_BYTES = 64
_MILLISECONDS = re.compile("[0-9]{1,15}")


# Without slots: with them, `ServerSentEvent[Order](order)` fails for a frozen class on Python 3.11.
@dataclass(frozen=True)
class ServerSentEvent(Generic[Data_co, Name_co]):
    """A server-sent event.

    Attributes:
        data: a model if the document describes it as JSON, else a text.
        event: the name of the event.
        id: that of the last event with one.
        retry: milliseconds to wait before reconnecting, if the event specifies them.
    """

    data: Data_co
    event: Name_co = cast("Name_co", "message")  # noqa: RUF009
    id: str = ""
    retry: int | None = None


UnknownServerSentEvent: TypeAlias = ServerSentEvent[str, UnknownTag]
"""A received event with a name that is newer than the package; its data is a text."""


class EventStream(StreamMedium):
    """Events, or JSON values in their data."""

    untyped = "ServerSentEvent"
    exports = ("ServerSentEvent", "UnknownServerSentEvent")
    has_envelopes = True

    def matches(self, essence: str) -> bool:
        """Return whether the media type is that of server-sent events."""
        return essence == "text/event-stream"

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Encode items as events, each on demand; only a list of items can be sent again."""
        parts = (self.item(content, event, converter) for event in value)
        if isinstance(value, list | tuple):
            return content.media_type, b"".join(parts)
        return content.media_type, Chunks(lambda: parts)

    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Encode an event; any other value becomes the data of an event."""
        if isinstance(value, ServerSentEvent):
            event = cast("ServerSentEvent[object]", value)
            text = _text(content, event, converter) if content.events else event.data
        elif content.events:
            event = ServerSentEvent[object](value)
            text = _text(content, event, converter)
        else:
            event = ServerSentEvent[object](value)
            text = converter.write(value).decode()
        if not isinstance(text, str):
            raise ValueError("the data of the event is not a text")
        if not {"\n", "\r", "\0"}.isdisjoint(event.event + event.id):
            raise ValueError("the name and the id of an event have one line")
        fields = [
            *([f"event: {event.event}"] if event.event != "message" else []),
            *([f"id: {event.id}"] if event.id else []),
            *([f"retry: {event.retry}"] if event.retry is not None else []),
            *(f"data: {line}" for line in re.split("\r\n|\r|\n", text)),
        ]
        return "\n".join([*fields, "", ""]).encode()

    def reader(self, content: Content, converter: Converter) -> ItemReader:
        """Return a decoder of the items in a body."""
        return EventReader(content, converter)


def _text(content: Content, event: ServerSentEvent[object], converter: Converter) -> object:
    """Return the data of an event as the document describes it for its name.

    Raises:
        ValueError: the document has no such event, or no such data of it.
        pydantic.ValidationError: the data breaks the schema.
        pydantic_core.PydanticSerializationError: a field of a model has a wrong value.
    """
    error: Exception = ValueError(f"the event '{event.event}' is not declared")
    for kind in content.events_named(event.event):
        if not kind.is_json:
            return event.data
        try:
            return converter.named(kind.model).write(event.data).decode()
        except (ValidationError, PydanticSerializationError) as broken:
            error = broken
    raise error


class EventReader:
    """An incremental decoder of the events in a body, or of the JSON in their data.

    Attributes:
        last_id: that of the last complete event with one; a client sets it when it reconnects.
        retry: milliseconds to wait before reconnecting, if the stream has specified them.
        is_ended: whether the service has marked the end of its events.
    """

    def __init__(self, content: Content, converter: Converter) -> None:
        self._content = content
        self._converter = converter
        self._rest = bytearray()
        # A chunk may end between the two characters of a line break.
        self._held = b""
        self._fields: dict[str, str] = {}
        self._data: list[str] = []
        self._data_bytes = 0
        self._id: str | None = None
        self.last_id = ""
        self.retry: int | None = None
        self.is_ended = False

    @property
    def waiting(self) -> int:
        """Approximate number of bytes of an incomplete event."""
        return len(self._rest) + self._data_bytes

    def feed(self, chunk: bytes) -> Iterator[object]:
        """Yield the items that a chunk completes."""
        data = self._held + chunk
        self._held = data[-1:] if data.endswith(b"\r") else b""
        data = data[: len(data) - len(self._held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *complete, rest = data.split(b"\n")
        if complete:
            complete[0] = bytes(self._rest) + complete[0]
            self._rest.clear()
        self._rest += rest
        for line in complete:
            yield from self._line(line.decode("utf-8", "replace"))

    def end(self) -> Iterator[object]:
        """Yield an item only if it is complete: an event needs an empty line after it."""
        return self.feed(b"\n") if self._held and not self._rest else iter(())

    def _line(self, line: str) -> Iterator[Any]:
        if not line:
            yield from self._event()
            return
        name, _, value = line.removeprefix("\ufeff").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._data_bytes += len(value) + _LINE_BYTES
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name in ("event", "retry"):
            self._fields[name] = value

    def _event(self) -> Iterator[Any]:
        data, fields = self._data, self._fields
        self._data, self._fields, self._data_bytes = [], {}, 0
        # Also of an event without data, which has only an id.
        self.last_id = self.last_id if self._id is None else self._id
        retry = fields.get("retry", "")
        self.retry = int(retry) if _MILLISECONDS.fullmatch(retry) else self.retry
        text, name = "\n".join(data), fields.get("event") or "message"
        is_value = self._content.model is not None
        kinds = self._content.events_named(name)
        is_json = is_value or (bool(kinds) and all(kind.is_json for kind in kinds))
        is_marker = is_json and text == END_OF_EVENTS
        self.is_ended = self.is_ended or is_marker
        if not data or is_marker:
            return
        if is_value:
            yield self._converter.read(text.encode())
            return
        yield ServerSentEvent(
            self._value(kinds, text),
            name,
            self.last_id,
            int(retry) if _MILLISECONDS.fullmatch(retry) else None,
        )

    def _value(self, kinds: Sequence[EventData], text: str) -> Any:
        """Return the data of an event; that of an unknown one is a text."""
        error: Exception | None = None
        for kind in kinds:
            if not kind.is_json:
                return text
            try:
                return self._converter.named(kind.model).read(text.encode())
            except ValidationError as broken:
                error = broken
        if error is not None:
            raise error
        return text
