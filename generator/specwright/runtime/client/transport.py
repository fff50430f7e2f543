"""How requests travel: a small port, and its implementations by httpcore2."""

from __future__ import annotations

import gzip
import ssl
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypedDict
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    import httpcore2

Headers = list[tuple[str, str]]

MAX_CONNECTIONS = 100
MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 5.0
PROXIES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent; `timeout` is in seconds and holds for each step of the exchange."""

    method: str
    url: str
    headers: Headers = field(repr=False)
    content: bytes | None = field(default=None, repr=False)
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: status, headers in the order received, body with any compression undone."""

    status: int
    headers: Headers
    content: bytes = field(repr=False)

    def header(self, name: str) -> str | None:
        """Return the first header of that name, in whatever case, or None."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), None)


class TransportError(Exception):
    """No answer came; `timed_out` says whether because time ran out."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


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


class HTTPTransport:
    """Connections by httpcore2; the library is imported when the transport is made.

    Args:
        base_url: where requests will go; the environment may name a proxy for it.
        proxy: URL of a proxy; None takes the environment's.
        ssl_context: None takes one that all clients of the process share.
    """

    def __init__(
        self, base_url: str, proxy: str | None = None, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        import httpcore2

        self._pool = httpcore2.ConnectionPool(**_options(base_url, proxy, ssl_context))

    def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        with _failures():
            return _incoming(self._pool.request(request.method, **_outgoing(request)))

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class AsyncHTTPTransport:
    """The asynchronous twin of `HTTPTransport`."""

    def __init__(
        self, base_url: str, proxy: str | None = None, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        import httpcore2

        self._pool = httpcore2.AsyncConnectionPool(**_options(base_url, proxy, ssl_context))

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        with _failures():
            return _incoming(await self._pool.request(request.method, **_outgoing(request)))

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


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
    parts = urlsplit(url)
    if parts.scheme not in PROXIES:
        raise ValueError(f"a proxy is reached by {', '.join(PROXIES)}, not {parts.scheme}")
    auth = parts.username and (unquote(parts.username), unquote(parts.password or ""))
    is_tls = parts.scheme == "https"
    return httpcore2.Proxy(url, auth or None, ssl_context=context if is_tls else None)


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


def _incoming(response: httpcore2.Response) -> Response:
    headers = [(name.decode("latin-1"), each.decode("latin-1")) for name, each in response.headers]
    answer = Response(response.status, headers, response.content)
    if (answer.header("content-encoding") or "").lower() != "gzip":
        return answer
    try:
        return replace(answer, content=gzip.decompress(answer.content))
    except (EOFError, OSError, zlib.error) as error:
        raise TransportError("the answer's compression is broken") from error


@contextmanager
def _failures() -> Generator[None]:
    import httpcore2

    try:
        yield
    except httpcore2.TimeoutException as error:
        raise TransportError(_words(error), timed_out=True) from error
    except (
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.UnsupportedProtocol,
    ) as error:
        raise TransportError(_words(error)) from error


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
