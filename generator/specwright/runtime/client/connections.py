"""Transports by the connection pools of httpcore2, which is imported when one is made."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .service import MAX_RESPONSE_BYTES
from .transport import Request, Response, ResponseTooLargeError, TransportError

if TYPE_CHECKING:
    import httpcore2

# Rarely more than one; each is a copy of what is left.
MAX_GZIP_MEMBERS = 100
MAX_CONNECTIONS = 100
MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 5.0
PROXIES = ("http", "https", "socks5", "socks5h")

_NO_DEADLINE = nullcontext()


class HTTPTransport:
    """A transport that keeps connections open.

    Args:
        base_url: where requests will go; the environment may name a proxy for it.
        proxy: URL of a proxy; None takes the environment's.
        ssl_context: None takes one that all clients of the process share.
        max_response_bytes: an answer with a larger body is refused, before and after unpacking.
    """

    def __init__(
        self,
        base_url: str,
        proxy: str | None = None,
        ssl_context: ssl.SSLContext | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        import httpcore2

        from .deadlines import Backend, deadline

        options = _options(base_url, proxy, ssl_context)
        self._pool = httpcore2.ConnectionPool(network_backend=Backend(), **options)
        self._deadline = deadline
        self._max_bytes = max_response_bytes

    def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        seconds = request.deadline
        try:
            with (
                _NO_DEADLINE if seconds is None else self._deadline(seconds),
                self._pool.stream(request.method, **_outgoing(request)) as answer,
            ):
                body = _Body(self._max_bytes)
                for chunk in answer.iter_stream():
                    body.add(chunk)
            return body.response(answer)
        except _failures() as error:
            failure = _failure(error)
        # Not within the block: what the library says may have parts of request or answer.
        raise failure

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncHTTPTransport:
    """The asynchronous twin of `HTTPTransport`."""

    def __init__(
        self,
        base_url: str,
        proxy: str | None = None,
        ssl_context: ssl.SSLContext | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        import httpcore2

        self._pool = httpcore2.AsyncConnectionPool(**_options(base_url, proxy, ssl_context))
        self._max_bytes = max_response_bytes

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        seconds = request.deadline
        try:
            async with (
                _NO_DEADLINE if seconds is None else asyncio.timeout(seconds),
                self._pool.stream(request.method, **_outgoing(request)) as answer,
            ):
                body = _Body(self._max_bytes)
                async for chunk in answer.aiter_stream():
                    body.add(chunk)
            return body.response(answer)
        except _failures() as error:
            failure = _failure(error)
        raise failure

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


class _Body:
    """What has come of a body, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size > self._limit:
            raise _too_large(self._limit)
        self._chunks.append(chunk)

    def response(self, answer: httpcore2.Response) -> Response:
        headers = [
            (name.decode("latin-1"), text.decode("latin-1")) for name, text in answer.headers
        ]
        response = Response(answer.status, headers, b"".join(self._chunks))
        if (response.header("content-encoding") or "").lower() != "gzip":
            return response
        return Response(answer.status, headers, _unpacked(response.content, self._limit))


def _unpacked(content: bytes, limit: int) -> bytes:
    unpacked = b""
    for _ in range(MAX_GZIP_MEMBERS):
        member = zlib.decompressobj(wbits=31)
        try:
            unpacked += member.decompress(content, limit + 1 - len(unpacked))
        except zlib.error:
            break
        if len(unpacked) > limit:
            raise _too_large(limit)
        if not member.eof:
            break
        content = member.unused_data
        if not content:
            return unpacked
    raise TransportError("the answer's compression is broken")


def _too_large(limit: int) -> TransportError:
    return ResponseTooLargeError(f"the answer has more than {limit} bytes")


class _Options(TypedDict):
    proxy: httpcore2.Proxy | None
    ssl_context: ssl.SSLContext | None
    max_connections: int
    max_keepalive_connections: int
    keepalive_expiry: float


class _Outgoing(TypedDict):
    url: str
    headers: list[tuple[bytes, bytes]]
    content: bytes | None
    extensions: dict[str, dict[str, float]]


def _options(base_url: str, proxy: str | None, context: ssl.SSLContext | None) -> _Options:
    scheme, _, rest = base_url.partition("://")
    if proxy is None and not proxy_bypass(rest.partition("/")[0]):
        proxies = getproxies()
        proxy = proxies.get(scheme) or proxies.get("all")
    if context is None and (scheme == "https" or (proxy or "").startswith("https")):
        context = _shared_context()
    return {
        "proxy": _proxy(proxy, context) if proxy else None,
        "ssl_context": context,
        "max_connections": MAX_CONNECTIONS,
        "max_keepalive_connections": MAX_IDLE_CONNECTIONS,
        "keepalive_expiry": IDLE_SECONDS,
    }


def _proxy(url: str, context: ssl.SSLContext | None) -> httpcore2.Proxy:
    import httpcore2

    # What the environment calls `host:port` is reached by plain HTTP.
    url = url if "://" in url else f"http://{url}"
    parts = _parts(url)
    if parts is None:
        # Not shown: there may be a password in it.
        raise ValueError(f"a proxy has a URL in ASCII that begins with {', '.join(PROXIES)}")
    auth = None
    if parts.username:
        auth = unquote(parts.username).encode(), unquote(parts.password or "").encode()
    is_tls = parts.scheme == "https"
    return httpcore2.Proxy(url, auth, ssl_context=context if is_tls else None)


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in PROXIES and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return parts if is_usable and url.isascii() else None


@cache
def _shared_context() -> ssl.SSLContext:
    import httpcore2

    return httpcore2.default_ssl_context()


def _outgoing(request: Request) -> _Outgoing:
    seconds = request.timeout
    return {
        "url": request.url,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in request.headers],
        "content": request.content,
        "extensions": {
            "timeout": {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}
        },
    }


@cache
def _failures() -> tuple[type[Exception], ...]:
    import httpcore2

    return (
        TimeoutError,
        httpcore2.TimeoutException,
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.UnsupportedProtocol,
    )


def _failure(error: Exception) -> TransportError:
    import httpcore2

    match error:
        case httpcore2.TimeoutException():
            return TransportError(str(error) or type(error).__name__, timed_out=True)
        case TimeoutError():
            return TransportError("the deadline is over", timed_out=True)
        case httpcore2.RemoteProtocolError():
            return TransportError("the connection broke, or the answer is not HTTP")
        case httpcore2.ProtocolError():
            return TransportError("the request is not HTTP")
        case _:
            return TransportError(str(error) or type(error).__name__)
