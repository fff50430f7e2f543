"""Asynchronous connections with a fast check whether the peer has closed them.

The pool checks all idle connections before each request; the check of anyio costs more than a
request.
"""

from __future__ import annotations

import select
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore2


class PolledStream(httpcore2.AsyncNetworkStream):
    """A connection of another backend, with a fast check for readability."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket = stream.get_extra_info("socket")

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read available bytes, or wait for some."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Switch the connection to TLS."""
        return PolledStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return information about the connection."""
        if info == "is_readable" and self._socket is not None:
            return _is_readable(self._socket.fileno())
        return self._stream.get_extra_info(info)


class PolledBackend(httpcore2.AsyncNetworkBackend):
    """A network backend based on anyio."""

    def __init__(self) -> None:
        self._backend = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to a host."""
        return PolledStream(
            await self._backend.connect_tcp(host, port, timeout, local_address, socket_options)
        )


def _is_readable(descriptor: int) -> bool:
    """Return whether there is something to read; on an idle connection, that is its end."""
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
