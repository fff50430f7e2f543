"""One way in which content travels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ..operation import Content


@dataclass(frozen=True, slots=True)
class Converter:
    """Turns the values of one type into JSON and back.

    Attributes:
        write: returns a value as JSON.
        read: returns the value of JSON.
        members: returns the members of an object by the names that travel.
        make: returns the value that such members make.
    """

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    members: Callable[[Any], dict[str, Any]]
    make: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Chunks:
    """Bytes that are read while they are sent.

    Attributes:
        size: their number; None where that is not known.
        is_repeatable: whether they can be read a second time.
    """

    read: Callable[[], Iterator[bytes]]
    size: int | None = None
    is_repeatable: bool = False


Payload = bytes | Chunks


class Medium(Protocol):
    """One way in which content travels.

    Attributes:
        name: what generated code calls it.
        sent, received: annotations of a value for a client, with `{}` for the schema's type.
        taken, given: the same for a server.
        is_stream: whether it comes in items, one by one.
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
        """Tell whether content of a media type, in lower case without parameters, is of it."""
        ...

    def encode(self, content: Content, value: Any, converter: Converter) -> tuple[str, Payload]:
        """Return the media type to declare, and the bytes.

        Raises:
            ValueError: the value cannot be written.
            pydantic.ValidationError: the value breaks the schema.
        """
        ...

    def decode(self, content: Content, data: bytes, media_type: str, converter: Converter) -> Any:
        """Return the value of a body that came as `media_type`.

        Raises:
            ValueError: the bytes are no such content.
            pydantic.ValidationError: the value breaks the schema.
        """
        ...


class ItemReader(Protocol):
    """Finds the items in a body that comes in parts."""

    @property
    def waiting(self) -> int:
        """Bytes of an item that is not complete."""
        ...

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yield the items that are complete with a part."""
        ...

    def end(self) -> Iterator[Any]:
        """Yield the items that are complete with the end."""
        ...


class StreamMedium(Medium, Protocol):
    """A way in which items travel, one by one."""

    def Items(self, content: Content, converter: Converter) -> ItemReader:  # noqa: N802 (a class)
        """Return what finds the items in a body."""
        ...

    def item(self, content: Content, value: Any, converter: Converter) -> bytes:
        """Write one item."""
        ...
