"""The interface of the encodings of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ..operation import Content


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts values of one type to JSON and back.

    Attributes:
        write: returns a value as JSON.
        read: returns the value of a JSON document.
        members: returns the members of an object by JSON name.
        make: returns the value built from such members.
    """

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    members: Callable[[Any], dict[str, Any]]
    make: Callable[[Any], Any]


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


class Medium(Protocol):
    """An encoding of bodies.

    Attributes:
        name: its name in generated code.
        sent, received: annotations of a client's values, with `{}` for the schema's type.
        taken, given: the same for a server.
        is_stream: whether a body is a sequence of items.
        has_schema: whether a schema describes the value, or an item.
    """

    name: str
    sent: str
    received: str
    taken: str
    given: str
    is_stream: bool
    has_schema: bool

    def matches(self, essence: str) -> bool:
        """Return whether it encodes a media type, given in lower case without parameters."""
        ...

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Return the media type to declare, and the encoded body.

        Raises:
            ValueError: the value cannot be encoded.
            pydantic.ValidationError: the value breaks the schema.
        """
        ...

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Return the value of a body received as `media_type`.

        Raises:
            ValueError: the bytes are not valid in this encoding.
            pydantic.ValidationError: the value breaks the schema.
        """
        ...


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


class StreamMedium(Medium, Protocol):
    """An encoding of sequences of items."""

    def Items(self, content: Content, converter: Converter) -> ItemReader:  # noqa: N802 (a class)
        """Return a decoder of the items in a body."""
        ...

    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Encode one item."""
        ...
