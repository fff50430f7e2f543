"""The transport interface of clients: requests, responses and their transmission."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ...shared.media.medium import Chunks

Headers = list[tuple[str, str]]
Step = Literal["connect", "write", "read", "pool"]


@dataclass(frozen=True, slots=True)
class Timeout:
    """Seconds for each step of an attempt; None for no limit.

    Attributes:
        connect: for opening a connection, and again for its TLS handshake.
        read: for each part of the response.
        write: for each part of the request.
        pool: for a connection to become free if all are in use.
    """

    connect: float | None = 30.0
    read: float | None = 30.0
    write: float | None = 30.0
    pool: float | None = 30.0


class SecretURL(str):
    """A URL with a credential in its query, which messages and logs hide."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(f"{self.partition('?')[0]}?…")


@dataclass(frozen=True, slots=True)
class Request:
    """An outgoing request.

    Attributes:
        timeout: seconds for each step of the attempt.
        deadline: seconds for the attempt as a whole; None for no limit.
        route: the URL without its query, with the path as a template; for messages and metrics.
        stream: whether the body of a successful response is left to be streamed.
        chunks: the content, if it is read while being sent; it replaces `content`.
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
    """A response: status, headers in the order received, decompressed body.

    Attributes:
        chunks: the body, if it is left to be streamed; `content` is then empty.
    """

    status: int
    headers: Headers = field(repr=False)
    content: bytes = field(repr=False)
    chunks: Iterator[bytes] | AsyncIterator[bytes] | None = field(default=None, repr=False)

    def header(self, name: str) -> str | None:
        """Return the first header of a case-insensitive name, or None."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), None)


class TransportError(Exception):
    """No response arrived.

    Attributes:
        timed_out: whether because of a timeout.
        step: the step in which the attempt failed, if known.
    """

    def __init__(self, message: str, *, timed_out: bool = False, step: Step | None = None) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.step = step


class BodyTooLargeError(TransportError):
    """The response exceeds the size limit; a retry would not help."""


class Transport(Protocol):
    """The HTTP transport of a client."""

    def send(self, request: Request) -> Response:
        """Send a request and return the response, complete unless streamed.

        Raises:
            TransportError: no response arrived.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class AsyncTransport(Protocol):
    """The HTTP transport of an asynchronous client."""

    async def send(self, request: Request) -> Response:
        """Send a request and return the response, complete unless streamed.

        Raises:
            TransportError: no response arrived.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
