"""httpx2 clients on connection pools with the network backends of this package."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from functools import cache
from http.cookiejar import CookieJar
from typing import Any, TypedDict
from urllib.parse import SplitResult, unquote

import httpcore2
import httpx2

from . import async_backend, sync_backend

MAX_CONNECTIONS = 100
IDLE_SECONDS = 5.0


class _Transport(httpx2.HTTPTransport):
    # Tracing tools patch the methods of this class, so only the pool is replaced.
    def __init__(self, pool: httpcore2.ConnectionPool) -> None:
        self._pool = pool


class _AsyncTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, pool: httpcore2.AsyncConnectionPool) -> None:
        self._pool = pool


class _Pool(httpcore2.ConnectionPool):
    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        response = super().handle_request(request)
        _watch(response.stream)
        return response


class _AsyncPool(httpcore2.AsyncConnectionPool):
    async def handle_async_request(self, request: httpcore2.Request) -> httpcore2.Response:
        response = await super().handle_async_request(request)
        _watch(response.stream)
        return response


def _watch(stream: Any) -> None:
    # An internal name of httpcore2, as are those below.
    stream._stream = _WatchedBody(stream._stream)


class _WatchedBody:
    """A body that closes its connection if bytes follow it.

    The connection would give them to the next request as its response.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._stream)

    def close(self) -> None:
        self._look()
        self._stream.close()

    async def aclose(self) -> None:
        self._look()
        await self._stream.aclose()

    def _look(self) -> None:
        parser = self._stream._connection._h11_state
        if parser.trailing_data[0]:
            # A connection with an error is not kept.
            parser.send_failed()


class _NoCookies(CookieJar):
    """Keeps no cookies: requests have those of their arguments only."""

    def extract_cookies(self, response: object, request: object) -> None:
        pass


class _Options(TypedDict):
    proxy: httpcore2.Proxy | None
    ssl_context: ssl.SSLContext | None
    max_connections: int
    max_keepalive_connections: int
    keepalive_expiry: float


def client_of(scheme: str, proxy: SplitResult | None) -> httpx2.Client:
    """Return a client with its own connections."""
    options = _options(scheme, proxy)
    pool = _Pool(network_backend=sync_backend.DeadlineBackend(), **options)
    return httpx2.Client(transport=_Transport(pool), cookies=_NoCookies(), trust_env=False)


def async_client_of(scheme: str, proxy: SplitResult | None) -> httpx2.AsyncClient:
    """Return an asynchronous client with its own connections."""
    options = _options(scheme, proxy)
    pool = _AsyncPool(network_backend=async_backend.PolledBackend(), **options)
    transport = _AsyncTransport(pool)
    return httpx2.AsyncClient(transport=transport, cookies=_NoCookies(), trust_env=False)


def _options(scheme: str, proxy: SplitResult | None) -> _Options:
    is_tls = "https" in (scheme, proxy and proxy.scheme)
    context = _shared_context() if is_tls else None
    return {
        "proxy": proxy and _proxy(proxy, context),
        "ssl_context": context,
        # All open connections are kept, so that one burst leaves them to the next.
        "max_connections": MAX_CONNECTIONS,
        "max_keepalive_connections": MAX_CONNECTIONS,
        "keepalive_expiry": IDLE_SECONDS,
    }


def _proxy(parts: SplitResult, context: ssl.SSLContext | None) -> httpcore2.Proxy:
    auth = None
    if parts.username:
        auth = unquote(parts.username).encode(), unquote(parts.password or "").encode()
    is_tls = parts.scheme == "https"
    return httpcore2.Proxy(parts.geturl(), auth, ssl_context=context if is_tls else None)


@cache
def _shared_context() -> ssl.SSLContext:
    return httpx2.create_ssl_context()
