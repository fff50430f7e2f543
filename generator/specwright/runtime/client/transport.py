"""How requests travel: what a client needs of HTTP, whoever carries it out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ..shared.media.medium import Chunks

Headers = list[tuple[str, str]]
Step = Literal["connect", "write", "read", "pool"]


@dataclass(frozen=True, slots=True)
class Timeout:
    """Seconds for each step of an attempt; None for no limit.

    Attributes:
        connect: for a connection, and again for its TLS handshake.
        read: for each part of the answer.
        write: for each part of the request.
        pool: for a connection to become free, when all are in use.
    """

    connect: float | None = 30.0
    read: float | None = 30.0
    write: float | None = 30.0
    pool: float | None = 30.0


class SecretURL(str):
    """A URL with a credential in its query, which neither messages nor logs show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(f"{self.partition('?')[0]}?…")


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent.

    Attributes:
        timeout: seconds for each step of the exchange.
        deadline: seconds for the exchange as a whole; None for no limit.
        route: the URL without its query, the path as a template; for messages and metrics.
        stream: whether the body of a success is left to be read in parts.
        chunks: the content, where it is read while it is sent; `content` is None then.
    """

    method: str
    url: str
    headers: Headers = field(repr=False)
    content: bytes | None = field(default=None, repr=False)
    timeout: Timeout = Timeout()
    deadline: float | None = None
    route: str = ""
    stream: bool = False
    chunks: Chunks | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: status, headers in the order received, body with any compression undone.

    Attributes:
        chunks: the body, where it is left to be read in parts; `content` is empty then.
    """

    status: int
    headers: Headers = field(repr=False)
    content: bytes = field(repr=False)
    chunks: Iterator[bytes] | AsyncIterator[bytes] | None = field(default=None, repr=False)

    def header(self, name: str) -> str | None:
        """Return the first header of that name, in whatever case, or None."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), None)


class TransportError(Exception):
    """No answer came.

    Attributes:
        timed_out: whether because time ran out.
        step: where the exchange ended, if that is known.
    """

    def __init__(self, message: str, *, timed_out: bool = False, step: Step | None = None) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.step = step


class ResponseTooLargeError(TransportError):
    """An answer came that has more bytes than are wanted; another attempt would not help."""


class Transport(Protocol):
    """What a client needs of HTTP."""

    def send(self, request: Request) -> Response:
        """Send a request and return the whole answer.

        Raises:
            TransportError: no answer came.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class AsyncTransport(Protocol):
    """What an asynchronous client needs of HTTP."""

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer.

        Raises:
            TransportError: no answer came.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
