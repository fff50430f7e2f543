"""HTTP as bytes: what is no request that the API could see gets the contract's error, too."""

from __future__ import annotations

import re
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from partner_esim.models import Error, ErrorObject

from .clock import SystemClock
from .ids import Ids, Prefix

HEAD_BYTES = 64 * 1024
# More, because the bytes that arrive with the first of a head may belong to the request before.
UNFINISHED_BYTES = 8 * HEAD_BYTES
_REQUEST_LINE = re.compile(rb"([A-Za-z0-9!#$%&'*+.^_`|~-]+) [!-~]+ HTTP/1\.[01]\r\n")
_METHODS = frozenset(b"CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE".split())
_ALLOW = "DELETE, GET, HEAD, OPTIONS, POST"


class HeadTooLargeError(Exception):
    """A request has more before its body than is kept."""


def error(code: str, message: str, request_id: str) -> bytes:
    """Return the contract's error of an invalid request."""
    found = ErrorObject(
        type="invalid_request_error", code=code, message=message, request_id=request_id
    )
    return Error(error=found).model_dump_json(by_alias=True).encode()


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP with a limit for heads, and with errors in the contract's form."""

    # The ids of requests that never reach the API.
    ids: ClassVar = Ids(SystemClock())
    _head = 0
    _unfinished = 0
    _is_head = False
    _received = b""

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client."""
        self._received = data
        super().data_received(data)
        if not self._is_head or self.transport.is_closing():
            return
        # The parser gathers a header until it is whole, however long that takes.
        self._unfinished += len(data)
        if self._unfinished > UNFINISHED_BYTES:
            self._head = self._unfinished
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head = self._unfinished = 0
        self._is_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End the head of a request."""
        self._is_head = False
        super().on_headers_complete()

    def on_url(self, url: bytes) -> None:
        """Take a part of the target."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > HEAD_BYTES:
            raise HeadTooLargeError

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or has a method that the parser does not know."""
        request_id = self.ids.new(Prefix.REQUEST)
        line = _REQUEST_LINE.match(self._received)
        if line and line[1] not in _METHODS:
            status, headers = "405 Method Not Allowed", f"allow: {_ALLOW}\r\n"
            method = line[1].decode("ascii")[:40]
            body = error("method_not_allowed", f"No path supports {method}.", request_id)
        elif self._head > HEAD_BYTES:
            status, headers = "400 Bad Request", ""
            message = f"The request has more than {HEAD_BYTES} bytes before its body."
            body = error("invalid_length", message, request_id)
        else:
            status, headers = "400 Bad Request", ""
            body = error("invalid_value", "The request is not valid HTTP.", request_id)
        head = (
            f"HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\n"
            f"request-id: {request_id}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()
