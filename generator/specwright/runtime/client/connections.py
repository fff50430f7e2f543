"""Transports by clients of httpx2, which is imported when the first request is sent."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

from .bodies import Body, is_left_open, opened
from .errors import ClientStateError, InvalidArgumentError
from .exchange import Exchange, failures, outgoing
from .proxies import chosen_proxy
from .transport import Request, Response

if TYPE_CHECKING:
    import asyncio

    import httpx2
    from httpx2 import AsyncByteStream, SyncByteStream

_NO_DEADLINE = nullcontext()
_CLOSED = "the client is closed"


class HTTPTransport:
    """A transport that keeps connections open, those of each process apart.

    Args:
        base_url: where requests will go; the environment may name a proxy for it.
        max_response_bytes: an answer with a larger body is refused, before and after unpacking.
        proxy: URL of a proxy; None takes the environment's.
        http_client: sends the requests in place of connections of the transport's own.

    Raises:
        InvalidArgumentError: the proxy or the client cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        max_response_bytes: int,
        proxy: str | None = None,
        http_client: httpx2.Client | None = None,
    ) -> None:
        self._max_bytes = max_response_bytes
        self._given = http_client
        self._is_closed = False
        # On a connection of its parent, a process would read answers to the parent.
        self._clients: dict[int, httpx2.Client] = {}
        if http_client is None:
            self._scheme = base_url.partition("://")[0]
            self._proxy = chosen_proxy(base_url, proxy)
        else:
            _check_kind(http_client, "Client")

    def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        client = self._clients.get(os.getpid())
        if client is None or client.is_closed:
            client = self._client()
        exchange = Exchange(request)
        try:
            with exchange.deadline():
                answer = client.send(**outgoing(request, exchange.limits, self._given))
                if is_left_open(request, answer):
                    return opened(answer, _parts(answer, exchange))
                try:
                    body = Body(self._max_bytes)
                    if answer.is_stream_consumed:
                        # A hook of the caller's has read it.
                        body.add(answer.content)
                    else:
                        for chunk in cast("SyncByteStream", answer.stream):
                            exchange.go_on()
                            body.add(chunk)
                finally:
                    answer.close()
            return body.response(answer)
        except failures() as error:
            failure = exchange.failure(error)
        # Not within the block: what the library says may have parts of request or answer.
        raise failure

    def close(self) -> None:
        """Close all connections; a client that was given stays open."""
        self._is_closed = True
        client = self._clients.pop(os.getpid(), None)
        if client is not None and self._given is None:
            client.close()

    def _client(self) -> httpx2.Client:
        if self._is_closed or (self._given is not None and self._given.is_closed):
            raise ClientStateError(_CLOSED)
        if self._given is not None and self._clients:
            raise ClientStateError("the http_client was used by another process; make one in each")
        client = self._given
        if client is None:
            from .pools import client_of

            client = client_of(self._scheme, self._proxy)
        process = os.getpid()
        # Another thread may have been here first.
        client = self._clients.setdefault(process, client)
        self._clients = {process: client}
        return client


class AsyncHTTPTransport:
    """The asynchronous twin of `HTTPTransport`; it keeps those of each event loop apart."""

    def __init__(
        self,
        base_url: str,
        max_response_bytes: int,
        proxy: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        self._max_bytes = max_response_bytes
        self._given = http_client
        self._is_closed = False
        # A connection belongs to the loop in which it was made.
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}
        if http_client is None:
            self._scheme = base_url.partition("://")[0]
            self._proxy = chosen_proxy(base_url, proxy)
        else:
            _check_kind(http_client, "AsyncClient")

    async def send(self, request: Request) -> Response:
        """Send a request and return the whole answer."""
        # Imported here: programs without asynchronous calls never load it.
        import asyncio

        client = self._clients.get(asyncio.get_running_loop())
        if client is None or client.is_closed:
            client = self._client()
        exchange = Exchange(request)
        seconds = request.deadline
        try:
            async with _NO_DEADLINE if seconds is None else asyncio.timeout(seconds):
                answer = await client.send(**outgoing(request, exchange.limits, self._given))
                if is_left_open(request, answer):
                    return opened(answer, _async_parts(answer, exchange))
                try:
                    body = Body(self._max_bytes)
                    if answer.is_stream_consumed:
                        body.add(answer.content)
                    else:
                        async for chunk in cast("AsyncByteStream", answer.stream):
                            exchange.go_on()
                            body.add(chunk)
                finally:
                    await answer.aclose()
            return body.response(answer)
        except failures() as error:
            failure = exchange.failure(error)
        raise failure

    async def close(self) -> None:
        """Close all connections; a client that was given stays open."""
        import asyncio

        self._is_closed = True
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None and self._given is None:
            await client.aclose()

    def _client(self) -> httpx2.AsyncClient:
        import asyncio

        if self._is_closed or (self._given is not None and self._given.is_closed):
            raise ClientStateError(_CLOSED)
        if self._given is not None and self._clients:
            raise ClientStateError(
                "the http_client was used in another event loop; make one in each"
            )
        client = self._given
        if client is None:
            from .pools import async_client_of

            client = async_client_of(self._scheme, self._proxy)
        open_ones = {loop: kept for loop, kept in self._clients.items() if not loop.is_closed()}
        self._clients = {**open_ones, asyncio.get_running_loop(): client}
        return client


def _parts(answer: httpx2.Response, exchange: Exchange) -> Iterator[bytes]:
    """Yield a body part by part, and close it at the end or when it is left."""
    try:
        yield from cast("SyncByteStream", answer.stream)
    except failures() as error:
        failure = exchange.failure(error)
    else:
        return
    finally:
        answer.close()
    raise failure


async def _async_parts(answer: httpx2.Response, exchange: Exchange) -> AsyncIterator[bytes]:
    try:
        async for chunk in cast("AsyncByteStream", answer.stream):
            yield chunk
    except failures() as error:
        failure = exchange.failure(error)
    else:
        return
    finally:
        await answer.aclose()
    raise failure


def _check_kind(http_client: object, kind: str) -> None:
    import httpx2

    if not isinstance(http_client, getattr(httpx2, kind)):
        raise InvalidArgumentError(f"http_client must be an httpx2.{kind}")
