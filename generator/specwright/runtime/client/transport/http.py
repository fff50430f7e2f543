"""Transports based on httpx2, which is imported with the first request."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

from ..errors import ClientStateError, InvalidArgumentError
from ..wire.addresses import origin_of
from .attempt import Attempt, failures, outgoing
from .base import Request, Response
from .bodies import Body, is_left_open, opened
from .proxies import Proxies

if TYPE_CHECKING:
    import asyncio

    import httpx2
    from httpx2 import AsyncByteStream, SyncByteStream

_NO_DEADLINE = nullcontext()
_CLOSED = "the client is closed"


class HTTPTransport:
    """A transport that keeps connections open, separately for each process.

    Args:
        base_url: the base URL of the requests; the environment may name a proxy for it.
        max_response_bytes: larger bodies are rejected, before and after decompression.
        proxy: URL of a proxy; None uses the environment's.
        http_client: sends the requests in place of the transport's own connections.

    Raises:
        InvalidArgumentError: the proxy or the client is not usable.
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
        # A forked process would read its parent's responses on a shared connection.
        self._clients: dict[tuple[int, str], httpx2.Client] = {}
        if http_client is None:
            self._proxies = Proxies(base_url, proxy)
        else:
            _check_kind(http_client, "Client")

    def send(self, request: Request) -> Response:
        """Send a request and return the response, complete unless streamed."""
        # Hosts differ in proxy and TLS, and one must not exhaust the connections of another.
        origin = origin_of(request.url)
        client = self._clients.get((os.getpid(), origin))
        if client is None or client.is_closed:
            client = self._client(origin)
        attempt = Attempt(request)
        try:
            with attempt.deadline():
                response = client.send(**outgoing(request, attempt.limits, self._given))
                if is_left_open(request, response):
                    return opened(response, _Parts(response, attempt))
                try:
                    body = Body(self._max_bytes)
                    if response.is_stream_consumed:
                        # A hook of the caller has already read it.
                        body.add(response.content)
                    else:
                        for chunk in cast("SyncByteStream", response.stream):
                            attempt.progress()
                            body.add(chunk)
                finally:
                    response.close()
            return body.response(response)
        except failures() as error:
            failure = attempt.failure(error)
        # Outside the block: a chained httpx2 error could expose parts of request or response.
        raise failure

    def close(self) -> None:
        """Close all connections; a client passed by the caller stays open."""
        self._is_closed = True
        process = os.getpid()
        own = [place for place in list(self._clients) if place[0] == process]
        for client in [self._clients.pop(place) for place in own]:
            if self._given is None:
                client.close()

    def _client(self, origin: str) -> httpx2.Client:
        process = os.getpid()
        # Other threads may change it at the same time.
        clients = list(self._clients.items())
        ours = {place: client for place, client in clients if place[0] == process}
        if self._is_closed or (self._given is not None and self._given.is_closed):
            raise ClientStateError(_CLOSED)
        if self._given is not None and len(ours) < len(clients):
            raise ClientStateError(
                "the http_client was used by another process; create one in each"
            )
        client = self._given
        if client is None:
            from .pools import client_of

            client = client_of(*self._proxies.of(origin))
        client = self._clients.setdefault((process, origin), client)
        self._clients = {**ours, (process, origin): client}
        return client


class AsyncHTTPTransport:
    """The asynchronous counterpart of `HTTPTransport`, with connections for each event loop."""

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
        # A connection belongs to the event loop that opened it.
        self._clients: dict[tuple[asyncio.AbstractEventLoop, str], httpx2.AsyncClient] = {}
        if http_client is None:
            self._proxies = Proxies(base_url, proxy)
        else:
            _check_kind(http_client, "AsyncClient")

    async def send(self, request: Request) -> Response:
        """Send a request and return the response, complete unless streamed."""
        # Imported late: programs without asynchronous calls never load it.
        import asyncio

        origin = origin_of(request.url)
        client = self._clients.get((asyncio.get_running_loop(), origin))
        if client is None or client.is_closed:
            client = self._client(origin)
        attempt = Attempt(request)
        seconds = request.deadline
        try:
            async with _NO_DEADLINE if seconds is None else asyncio.timeout(seconds):
                response = await client.send(**outgoing(request, attempt.limits, self._given))
                if is_left_open(request, response):
                    return opened(response, _AsyncParts(response, attempt))
                try:
                    body = Body(self._max_bytes)
                    if response.is_stream_consumed:
                        body.add(response.content)
                    else:
                        async for chunk in cast("AsyncByteStream", response.stream):
                            attempt.progress()
                            body.add(chunk)
                finally:
                    await response.aclose()
            return body.response(response)
        except failures() as error:
            failure = attempt.failure(error)
        raise failure

    async def close(self) -> None:
        """Close all connections; a client passed by the caller stays open."""
        import asyncio

        self._is_closed = True
        loop = asyncio.get_running_loop()
        own = [place for place in self._clients if place[0] is loop]
        for client in [self._clients.pop(place) for place in own]:
            if self._given is None:
                await client.aclose()

    def _client(self, origin: str) -> httpx2.AsyncClient:
        import asyncio

        loop = asyncio.get_running_loop()
        if self._is_closed or (self._given is not None and self._given.is_closed):
            raise ClientStateError(_CLOSED)
        if self._given is not None and any(place[0] is not loop for place in self._clients):
            raise ClientStateError(
                "the http_client was used in another event loop; create one in each"
            )
        client = self._given
        if client is None:
            from .pools import async_client_of

            client = async_client_of(*self._proxies.of(origin))
        open_ones = {
            place: kept for place, kept in self._clients.items() if not place[0].is_closed()
        }
        self._clients = {**open_ones, (loop, origin): client}
        return client


class _Parts:
    """A body in chunks; the response is closed at the end, or when the caller stops."""

    def __init__(self, response: httpx2.Response, attempt: Attempt) -> None:
        self._response = response
        self._chunks = _chunks(response, attempt)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._chunks)

    def close(self) -> None:
        """Close the response, of which no chunk may have been read yet."""
        self._chunks.close()
        self._response.close()


class _AsyncParts:
    """The asynchronous counterpart of `_Parts`."""

    def __init__(self, response: httpx2.Response, attempt: Attempt) -> None:
        self._response = response
        self._chunks = _async_chunks(response, attempt)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        return await anext(self._chunks)

    async def aclose(self) -> None:
        """Close the response, of which no chunk may have been read yet."""
        await self._chunks.aclose()
        await self._response.aclose()


def _chunks(response: httpx2.Response, attempt: Attempt) -> Generator[bytes]:
    try:
        yield from cast("SyncByteStream", response.stream)
    except failures() as error:
        failure = attempt.failure(error)
    else:
        return
    finally:
        response.close()
    raise failure


async def _async_chunks(response: httpx2.Response, attempt: Attempt) -> AsyncGenerator[bytes]:
    try:
        async for chunk in cast("AsyncByteStream", response.stream):
            yield chunk
    except failures() as error:
        failure = attempt.failure(error)
    else:
        return
    finally:
        await response.aclose()
    raise failure


def _check_kind(http_client: object, kind: str) -> None:
    import httpx2

    if not isinstance(http_client, getattr(httpx2, kind)):
        raise InvalidArgumentError(f"http_client must be an httpx2.{kind}")
