"""The base classes of the encodings of bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ..operation import Content
from ..responses import RawBody


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts values of one type to JSON and back.

    Attributes:
        write: returns a value as JSON.
        read: returns the value of a JSON document.
        members: returns the members of an object by JSON name.
        make: returns the value built from such members.
        named: returns the converter of the type of that name, of any value for None.
    """

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    members: Callable[[Any], dict[str, Any]]
    make: Callable[[Any], Any]
    named: Callable[[str | None], Converter]


@dataclass(frozen=True, slots=True)
class Chunks:
    """Bytes that are read while they are sent.

    Attributes:
        size: number of bytes; None if unknown.
        is_repeatable: whether they can be read again.
    """

    read: Callable[[], Iterator[bytes]]
    size: int | None = None
    is_repeatable: bool = False


Payload = bytes | Chunks


class Medium(ABC):
    """An encoding of bodies, with the traits by which clients, stubs and tools treat it.

    Attributes:
        sent, received: annotations of a client's values, with `{}` for the schema's type.
        parsed, returned: the same for a handler of a server.
        untyped: the type in place of the schema's, where the document has no schema.
        exports: the module's classes in these annotations.
        sample: a value for a body without a schema.
        has_schema: whether a schema describes the value, or an item.
        has_envelopes: whether a schema may also describe what surrounds an item's value.
        has_parts: whether an encoding object describes the text of each member (forms).
        has_files: whether values are files, or may contain them.
        has_charset: whether the media type names the encoding of characters.
        is_stream: whether a body is a sequence of items.
        is_object: whether clients send it by default, with an object's members as arguments.
        is_json: whether the bytes are JSON.
        is_binary: whether the bytes are the value.
        is_multipart: whether a server parses a body into fields before it builds the value.
    """

    sent: str = "{}"
    received: str = "{}"
    parsed: str = "{}"
    returned: str = "{}"
    untyped: str = "JsonValue"
    exports: tuple[str, ...] = ()
    sample: object = None
    has_schema: bool = True
    has_envelopes: bool = False
    has_parts: bool = False
    has_files: bool = False
    has_charset: bool = False
    is_stream: bool = False
    is_object: bool = False
    is_json: bool = False
    is_binary: bool = False
    is_multipart: bool = False

    @abstractmethod
    def matches(self, essence: str) -> bool:
        """Return whether it encodes a media type, given in lower case without parameters."""

    @abstractmethod
    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Return the media type to declare, and the encoded body.

        Raises:
            ValueError: the value cannot be encoded.
            pydantic.ValidationError: the value breaks the schema.
        """

    @abstractmethod
    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Return the value of a body received as `media_type`.

        Raises:
            ValueError: the bytes are not valid in this encoding.
            pydantic.ValidationError: the value breaks the schema.
        """

    def decode_json(
        self, content: Content, data: bytes, media_type: str, converter: Converter
    ) -> Any:
        """Return the value of a body that is JSON in place of this medium.

        Raises:
            ValueError: the bytes are not JSON.
            pydantic.ValidationError: the value breaks the schema.
        """
        if content.model is None or not self.has_schema:
            return self.decode(content, data, media_type, converter)
        return converter.read(data)

    def to_json(self, content: Content, data: bytes, media_type: str) -> bytes:
        """Return a body received as `media_type` as JSON, if the medium has other text for values.

        Raises:
            ValueError: the bytes are not valid in this encoding.
        """
        return data

    def decode_raw(self, data: bytes) -> RawBody:
        """Decode a body that the document does not describe.

        Raises:
            ValueError: the bytes are not valid in this encoding.
        """
        return data


class ItemReader(Protocol):
    """An incremental decoder of the items in a body."""

    @property
    def waiting(self) -> int:
        """Number of bytes of an incomplete item."""
        ...

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the items that a chunk completes."""
        ...

    def end(self) -> Iterator[Any]:
        """Yield the items that the end of the body completes."""
        ...


class StreamMedium(Medium):
    """An encoding of sequences of items."""

    sent = "Iterable[{}]"
    received = "Stream[{}]"
    parsed = "Sequence[{}]"
    returned = "Iterable[{}] | AsyncIterable[{}]"
    is_stream = True

    @abstractmethod
    def reader(self, content: Content, converter: Converter) -> ItemReader:
        """Return a decoder of the items in a body."""

    @abstractmethod
    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Encode one item."""

    def decode(
        self, content: Content, data: bytes, media_type: str, converter: Converter
    ) -> list[Any]:
        """Decode all items."""
        items = self.reader(content, converter)
        return [*items.feed(data), *items.end()]
