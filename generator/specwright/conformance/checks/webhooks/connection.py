"""HTTP/1.1 on one connection to the receiver, with simulated faults."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.extras import LazyLibrary
from specwright.http_messages import Headers

if TYPE_CHECKING:
    import h11
else:
    h11 = LazyLibrary("h11")

MAX_HEAD_BYTES = 16 * 1024
MAX_BODY_BYTES = 1024 * 1024
IDLE_SECONDS = 30.0
_READ_BYTES = 64 * 1024
# SO_LINGER with a timeout of zero: closing sends RST.
_AT_ONCE = struct.pack("ii", 1, 0)

# Method, target, headers, body, and whether the body is truncated; None for an unknown endpoint.
Take = Callable[[str, str, Headers, bytes, bool], Awaitable[DeliveryAttempt | None]]


class Connection:
    """One connection, from its first request to its end."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, take: Take
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._take = take
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)

    async def serve(self) -> None:
        """Respond to one request after the other.

        Raises:
            h11.RemoteProtocolError: the client does not speak HTTP.
        """
        try:
            with suppress(OSError, TimeoutError):
                while await self._answer_next():
                    self._http.start_next_cycle()
        finally:
            self._writer.close()

    async def _answer_next(self) -> bool:
        """Respond to a request, and return whether another one may follow."""
        async with asyncio.timeout(IDLE_SECONDS):
            request = await self._next_event()
            if not isinstance(request, h11.Request):
                return False
            body, is_cut = await self._body()
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in request.headers.raw_items()
        )
        attempt = await self._take(
            request.method.decode("latin-1"),
            request.target.decode("latin-1"),
            headers,
            body,
            is_cut,
        )
        if attempt is None:
            await self._send(HTTPStatus.NOT_FOUND)
        else:
            await self._play(attempt)
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _body(self) -> tuple[bytes, bool]:
        """Return the body, and whether it is truncated."""
        body = bytearray()
        if self._http.they_are_waiting_for_100_continue:
            proceed = h11.InformationalResponse(status_code=HTTPStatus.CONTINUE, headers=[])
            await self._write(self._http.send(proceed))
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > MAX_BODY_BYTES:
                return bytes(body[:MAX_BODY_BYTES]), True
        return bytes(body), False

    async def _next_event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(_READ_BYTES))
        return event

    async def _play(self, attempt: DeliveryAttempt) -> None:
        if attempt.fault is DeliveryFault.RESET:
            self._reset()
        elif attempt.status is not None:
            await self._send(attempt.status, attempt.location)

    def _reset(self) -> None:
        plug: socket.socket = self._writer.get_extra_info("socket")
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._writer.transport.abort()

    async def _send(self, status: int, location: str | None = None) -> None:
        # A 204 has no Content-Length (RFC 9110, 8.6).
        headers = [] if status == HTTPStatus.NO_CONTENT else [("Content-Length", "0")]
        if location is not None:
            headers.append(("Location", location))
        if self._http.their_state is not h11.DONE:
            # The rest of the request is not read (RFC 9112, 9.6).
            headers.append(("Connection", "close"))
        response = h11.Response(status_code=status, headers=headers)
        await self._write(self._http.send(response))
        await self._write(self._http.send(h11.EndOfMessage()))

    async def _write(self, data: bytes | None) -> None:
        self._writer.write(data or b"")
        await self._writer.drain()
