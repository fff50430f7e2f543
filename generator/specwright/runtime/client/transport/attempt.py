"""One HTTP attempt by httpx2: the outgoing request, its time limits and its failures."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ...shared.media.medium import Chunks, Payload
from ..errors import ApiError, InvalidArgumentError
from .base import Request, SecretURL, Step, TransportError

if TYPE_CHECKING:
    import httpx2

Limits = dict[Step, float | None]

_DOING: dict[Step | None, str] = {
    None: "",
    "connect": " while connecting",
    "write": " while sending",
    "read": " while reading",
    "pool": " while waiting for a free connection",
}
_NO_DEADLINE = nullcontext()
_BROKEN = "the connection broke, or the response is not valid HTTP"


class Attempt:
    """The time limits and the progress of an attempt."""

    def __init__(self, request: Request) -> None:
        seconds, timeout = request.deadline, request.timeout
        self._seconds = seconds
        self._step: Step | None = None
        self.limits: Limits = {
            "connect": timeout.connect,
            "read": timeout.read,
            "write": timeout.write,
            "pool": timeout.pool,
        }
        self._ends = math.inf
        if seconds is not None:
            self._ends = time.monotonic() + seconds
            for step, limit in self.limits.items():
                self.limits[step] = seconds if limit is None else min(limit, seconds)

    def deadline(self) -> AbstractContextManager[None]:
        """Return a context in which connections keep to the deadline of the attempt."""
        if self._seconds is None:
            return _NO_DEADLINE
        from .sync_backend import deadline

        return deadline(self._seconds)

    def progress(self) -> None:
        """Record that a part of the response has arrived.

        Raises:
            TimeoutError: the deadline of the attempt has passed.
        """
        self._step = "read"
        if self._seconds is not None and time.monotonic() >= self._ends:
            raise TimeoutError

    def failure(self, error: Exception) -> TransportError | ApiError:
        """Return the error to raise for one of httpx2, without its details of the attempt."""
        import httpx2

        if isinstance(error, httpx2.InvalidURL):
            return InvalidArgumentError("the arguments result in an invalid URL")
        step = _step(error) or self._step
        if isinstance(error, TimeoutError | httpx2.TimeoutException):
            return TransportError(self._late(step), timed_out=True, step=step)
        return TransportError(_said(error) + _DOING[step], step=step)

    def _late(self, step: Step | None) -> str:
        is_over = time.monotonic() >= self._ends
        seconds = self._seconds if is_over or step is None else self.limits[step]
        # Without our own limit, it was one of the system or of the caller's client.
        within = "in time" if seconds is None else f"within {seconds:.3g} s"
        return f"no response {within}{_DOING[step]}"


def outgoing(
    request: Request, limits: Limits, client: httpx2.Client | httpx2.AsyncClient | None
) -> dict[str, Any]:
    """Return the arguments of `send`.

    Args:
        given: the caller's client; its headers and authentication are used where the request has
            none of its own.
    """
    import httpx2

    headers = [(name.encode(), text.encode("latin-1")) for name, text in request.headers]
    content = request.chunks or request.content
    headers += _framing(content)
    auth = None
    if client is not None:
        names = {name.lower() for name, _ in headers}
        headers += [field for field in client.headers.raw if field[0].lower() not in names]
        auth = None if b"authorization" in names else client.auth
    built = httpx2.Request(
        request.method,
        request.url,
        headers=headers,
        # Content passed as bytes would add headers.
        stream=_stream(content),
        extensions={"timeout": limits},
    )
    if isinstance(request.url, SecretURL):
        # httpx2 logs the URL of each request.
        built.url = _masked_url()(request.url)
    if not isinstance(content, Chunks):
        # Hooks may access the content.
        built.read()
    return {"request": built, "stream": True, "auth": auth, "follow_redirects": False}


def _framing(content: Payload | None) -> list[tuple[bytes, bytes]]:
    """Return the header that delimits the content (RFC 9112, 6)."""
    if content is None:
        return []
    size = content.size if isinstance(content, Chunks) else len(content)
    if size is None:
        return [(b"transfer-encoding", b"chunked")]
    return [(b"content-length", b"%d" % size)]


def _stream(content: Payload | None) -> httpx2.ByteStream:
    import httpx2

    if isinstance(content, Chunks):
        return _chunks_type()(content)
    return httpx2.ByteStream(content) if content else _no_content()


@cache
def _chunks_type() -> Callable[[Chunks], httpx2.ByteStream]:
    import httpx2

    class Parts(httpx2.ByteStream):
        def __init__(self, chunks: Chunks) -> None:
            self._chunks = chunks

        def __iter__(self) -> Iterator[bytes]:
            return self._chunks.read()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in self._chunks.read():
                yield chunk

    return Parts


@cache
def _no_content() -> httpx2.ByteStream:
    import httpx2

    class NoContent(httpx2.ByteStream):
        # An empty chunk would be written like any other.
        def __iter__(self) -> Iterator[bytes]:
            return iter(())

        async def __aiter__(self) -> AsyncIterator[bytes]:
            return
            yield

    return NoContent(b"")


@cache
def _masked_url() -> type[httpx2.URL]:
    import httpx2

    class MaskedURL(httpx2.URL):
        def __str__(self) -> str:
            return str(self.copy_with(query=b"..."))

        def __repr__(self) -> str:
            return f"URL({str(self)!r})"

    return MaskedURL


def failures() -> tuple[type[Exception], ...]:
    """Return the errors that `Attempt.failure` handles."""
    import httpcore2
    import httpx2

    own = (TimeoutError, httpx2.RequestError, httpx2.InvalidURL)
    # With HTTP/2, httpx2 raises two more where a body ends: on invalid frames, and if the server
    # says that it did not process the request.
    h2 = sys.modules.get("h2.exceptions")
    invalid = () if h2 is None else (cast("type[Exception]", vars(h2)["H2Error"]),)
    return (*own, httpcore2.ConnectionNotAvailable, *invalid)


@cache
def _steps() -> dict[type[Exception], Step]:
    import httpx2

    return {
        httpx2.ConnectTimeout: "connect",
        httpx2.ConnectError: "connect",
        httpx2.ProxyError: "connect",
        httpx2.WriteTimeout: "write",
        httpx2.WriteError: "write",
        httpx2.ReadTimeout: "read",
        httpx2.ReadError: "read",
        httpx2.RemoteProtocolError: "read",
        httpx2.DecodingError: "read",
        httpx2.PoolTimeout: "pool",
    }


def _step(error: Exception) -> Step | None:
    return next((step for kind, step in _steps().items() if isinstance(error, kind)), None)


def _said(error: Exception) -> str:
    import httpx2

    match error:
        case httpx2.RemoteProtocolError():
            return _BROKEN
        case httpx2.ProtocolError():
            # With HTTP/2, invalid frames before the response are such errors, too.
            return "the request or the response is not valid HTTP"
        case httpx2.DecodingError():
            return "the response cannot be decompressed"
        case httpx2.RequestError():
            return str(error) or type(error).__name__
        case _:
            return _BROKEN
