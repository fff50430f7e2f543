"""Response bodies, received and decompressed up to a limit of bytes."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from .base import BodyTooLargeError, Headers, Request, Response, TransportError

if TYPE_CHECKING:
    import httpx2

# Rarely more than one; each copies the remaining data.
MAX_GZIP_MEMBERS = 100
_PLAIN = ("", "identity")


class Body:
    """The bytes received of a body, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # Not a list: a service may send a body byte by byte.
        self._content = bytearray()

    def add(self, chunk: bytes) -> None:
        """Add received bytes.

        Raises:
            BodyTooLargeError: the body exceeds the limit.
        """
        self._content += chunk
        if len(self._content) > self._limit:
            raise _too_large(self._limit)

    def response(self, received: httpx2.Response) -> Response:
        """Return the response with its body decompressed.

        Raises:
            TransportError: the body cannot be decompressed, or is then too large.
        """
        headers = _headers(received)
        response = Response(received.status_code, headers, bytes(self._content))
        encoding = (response.header("content-encoding") or "").lower()
        # Content read by a hook is already decompressed.
        if encoding in _PLAIN or received.is_stream_consumed:
            return response
        if encoding not in ("gzip", "x-gzip"):
            raise TransportError("the response has an encoding that was not requested")
        return Response(response.status, headers, _unpacked(response.content, self._limit))


def is_left_open(request: Request, response: httpx2.Response) -> bool:
    """Return whether to leave a body to the caller: as requested, successful, plain, unread."""
    is_success = 200 <= response.status_code < 300
    encoding = response.headers.get("content-encoding", "").lower()
    return request.stream and is_success and encoding in _PLAIN and not response.is_stream_consumed


def opened(response: httpx2.Response, chunks: Iterator[bytes] | AsyncIterator[bytes]) -> Response:
    """Return a response with a streamed body."""
    return Response(response.status_code, _headers(response), b"", chunks)


def _headers(response: httpx2.Response) -> Headers:
    return [(name.decode("latin-1"), text.decode("latin-1")) for name, text in response.headers.raw]


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
    raise TransportError("the response cannot be decompressed")


def _too_large(limit: int) -> TransportError:
    return BodyTooLargeError(f"the response exceeds {limit} bytes")
