"""How requests travel: a small port, and its implementations by httpx2."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypedDict
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    import httpx2

Headers = list[tuple[str, str]]


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
    """Connections by httpx2; the library is imported when the transport is made.

    Args:
        base_url: where requests will go; the environment may name a proxy for it.
        proxy: URL of a proxy; None takes the environment's.
        ssl_context: None takes one that all clients of the process share.
    """

    def __init__(
        self, base_url: str, proxy: str | None = None, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        import httpx2

        self._httpx2 = httpx2
        self._transport = httpx2.HTTPTransport(**_options(base_url, proxy, ssl_context))

    def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        try:
            response = self._transport.handle_request(_outgoing(request))
            try:
                return _incoming(response, response.read())
            finally:
                response.close()
        except self._httpx2.HTTPError as error:
            raise _failure(error) from error

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()


class AsyncHTTPTransport:
    """The asynchronous twin of `HTTPTransport`."""

    def __init__(
        self, base_url: str, proxy: str | None = None, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        import httpx2

        self._httpx2 = httpx2
        self._transport = httpx2.AsyncHTTPTransport(**_options(base_url, proxy, ssl_context))

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        try:
            response = await self._transport.handle_async_request(_outgoing(request))
            try:
                return _incoming(response, await response.aread())
            finally:
                await response.aclose()
        except self._httpx2.HTTPError as error:
            raise _failure(error) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


class _Options(TypedDict, total=False):
    proxy: str | None
    verify: ssl.SSLContext | bool


def _options(base_url: str, proxy: str | None, context: ssl.SSLContext | None) -> _Options:
    scheme, _, rest = base_url.partition("://")
    if proxy is None and not proxy_bypass(rest.partition("/")[0]):
        proxies = getproxies()
        proxy = proxies.get(scheme) or proxies.get("all")
    if scheme == "http" and context is None and not (proxy or "").startswith("https"):
        # Reading the certificates costs some milliseconds, which plain HTTP has no use for.
        return {"proxy": proxy, "verify": False}
    return {"proxy": proxy, "verify": context or _shared_context()}


@cache
def _shared_context() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def _outgoing(request: Request) -> httpx2.Request:
    import httpx2

    seconds = request.timeout
    return httpx2.Request(
        request.method,
        request.url,
        headers=request.headers,
        content=request.content,
        extensions={
            "timeout": {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}
        },
    )


def _incoming(response: httpx2.Response, content: bytes) -> Response:
    headers = [
        (key.decode("latin-1"), value.decode("latin-1")) for key, value in response.headers.raw
    ]
    return Response(response.status_code, headers, content)


def _failure(error: httpx2.HTTPError) -> TransportError:
    import httpx2

    timed_out = isinstance(error, httpx2.TimeoutException)
    return TransportError(str(error) or type(error).__name__, timed_out=timed_out)
