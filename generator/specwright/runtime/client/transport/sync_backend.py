"""Connections with one deadline for all steps of a call."""

from __future__ import annotations

import ssl
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore2

# Bytes written in one step.
PIECE = 65_536

_ends: ContextVar[float | None] = ContextVar("ends", default=None)


@contextmanager
def deadline(seconds: float) -> Generator[None]:
    """Limit all steps within the block to a total of `seconds`."""
    token = _ends.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends.reset(token)


def _left(timeout: float | None, late: type[httpcore2.TimeoutException]) -> float | None:
    ends = _ends.get()
    if ends is None:
        return timeout
    left = ends - time.monotonic()
    if left <= 0:
        raise late("the deadline has passed")
    return left if timeout is None else min(timeout, left)


class DeadlineStream(httpcore2.NetworkStream):
    """A connection of another backend, with the deadline applied to each step."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read available bytes, or wait for some."""
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
        for start in range(0, len(buffer), PIECE):
            left = _left(timeout, httpcore2.WriteTimeout)
            self._stream.write(buffer[start : start + PIECE], left)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Switch the connection to TLS."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """Return information about the connection."""
        return self._stream.get_extra_info(info)


class DeadlineBackend(httpcore2.NetworkBackend):
    """A network backend based on blocking sockets."""

    def __init__(self) -> None:
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to a host."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(
            self._backend.connect_tcp(host, port, left, local_address, socket_options)
        )
