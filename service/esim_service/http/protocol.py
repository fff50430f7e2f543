"""HTTP at the byte level: input that never reaches the API gets the contract's errors, too."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from partner_esim.models import Error, ErrorObject
from partner_esim.server import REQUEST_ID_HEADER

from ..values.clock import SystemClock
from ..values.ids import Ids, Prefix

HEAD_BYTES = 64 * 1024
# For bytes that are neither body nor a complete head: they add up chunk by chunk. The limit also
# covers the end of the previous request if it arrives together with the start of a head.
UNFINISHED_BYTES = 8 * HEAD_BYTES
# For an entire request, from its first byte to its last.
REQUEST_SECONDS = 30.0
# When the process ends: for a request that is on its way on a new connection.
ARRIVAL_SECONDS = 2.0
# Time for a client to read its last response: a reset, caused by unread bytes, could discard it.
LINGER_SECONDS = 2.0
_REQUEST_LINE = re.compile(rb"([A-Za-z0-9!#$%&'*+.^_`|~-]+) [!-~]+ HTTP/1\.[01]\r\n")
_METHODS = frozenset(b"CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE".split())
_ALLOW = "DELETE, GET, HEAD, OPTIONS, POST"
# `uri-host [":" port]` of RFC 9112, which may be empty.
_HOST = re.compile(
    rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]++|%[0-9A-Fa-f]{2})*+)(?::[0-9]*)?"
)
_BAD_REQUEST = "400 Bad Request"


class HeadTooLargeError(Exception):
    """A request has more bytes before its body than the limit."""


class MalformedError(Exception):
    """A head that the parser accepts and RFC 9112 does not."""


class UnknownCodingError(Exception):
    """A body that is encoded in a way that this server cannot decode, such as gzip."""


def error(code: str, message: str, request_id: str) -> bytes:
    """Return the contract's error for an invalid request."""
    details = ErrorObject(
        type="invalid_request_error", code=code, message=message, request_id=request_id
    )
    return Error(error=details).model_dump_json(by_alias=True).encode()


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP with limits of size and time, and with errors in the contract's format."""

    # The ids of requests that never reach the API.
    ids: ClassVar = Ids(SystemClock())
    _head = 0
    _unfinished = 0
    _is_open = False
    _is_head = False
    _is_encoded = False
    _received = b""
    _is_fresh = True
    _refusal: bytes | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start a connection."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        self._unwatch()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the connection with the process; a client that has just connected is answered."""
        if self.cycle is None and not self.transport.is_closing():
            self._unwatch()
            self._deadline = self.loop.call_later(ARRIVAL_SECONDS, self._expire)
        else:
            super().shutdown()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Let a client that has closed its side read its responses; then disconnect."""
        if self._is_open or self._is_idle:
            return False
        last = self.pipeline[0][0] if self.pipeline else self.cycle
        last.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        """Process bytes from the client."""
        if self._refusal is not None:
            return
        self._received = data
        self._is_fresh = not self._is_open
        super().data_received(data)
        self._unfinished += len(data)
        if self.transport.is_closing() or self._refusal is not None:
            return
        # The parser buffers a header until it is complete, however long that takes.
        if self._unfinished > UNFINISHED_BYTES:
            self._head = self._unfinished
            self.send_400_response("")
        elif self._is_open or self._is_idle:
            self._watch()

    def on_message_begin(self) -> None:
        """Start a request."""
        self._unwatch()
        self._head = self._unfinished = 0
        self._is_open = self._is_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End the head of a request."""
        version = self.parser.get_http_version()
        hosts = [value for name, value in self.headers if name == b"host"]
        if version not in ("1.0", "1.1") or len(hosts) > 1 or (not hosts and version == "1.1"):
            raise MalformedError
        if not all(map(_HOST.fullmatch, hosts)):
            raise MalformedError
        values = [value for name, value in self.headers if name == b"transfer-encoding"]
        if values:
            *others, last = (coding.strip().lower() for coding in b",".join(values).split(b","))
            if last != b"chunked":
                # The length of the body is unknown (RFC 9112, 6.3).
                raise MalformedError
            if others:
                self._is_encoded = True
                raise UnknownCodingError
        # This rejects invalid targets: until it returns, the API does not have the request.
        super().on_headers_complete()
        self._is_head = False

    def on_body(self, body: bytes) -> None:
        """Process a part of the body."""
        self._unfinished -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unwatch()
        self._is_open = self._is_fresh = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """End a response, and continue with the next request."""
        is_last = not self.pipeline and not self.transport.is_closing()
        if is_last and self._refusal is not None:
            self._end(self._refusal)
        elif is_last and self._is_unread and self.expect_100_continue:
            # The body may or may not come, as it was not asked for.
            self._end(b"")
        else:
            super().on_response_complete()

    def on_url(self, url: bytes) -> None:
        """Process a part of the target."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Process a header; trailers after the body are ignored."""
        self._count(len(name) + len(value))
        if self._is_head:
            super().on_header(name, value)

    def send_400_response(self, msg: str) -> None:
        """Reject invalid HTTP, or a method that the parser does not know."""
        line = _REQUEST_LINE.match(self._received) if self._is_fresh else None
        if line and line[1] not in _METHODS:
            method = line[1].decode("ascii")[:40]
            self._refuse("method_not_allowed", f"No path supports {method}.")
        elif self._head > HEAD_BYTES:
            message = f"The request has more than {HEAD_BYTES} bytes before its body."
            self._refuse("invalid_length", message)
        elif self._is_encoded:
            message = "The only transfer coding that is supported is chunked."
            self._refuse("invalid_value", message, "501 Not Implemented")
        else:
            self._refuse("invalid_value", "The request is not valid HTTP.")

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or (self.cycle.response_complete and not self.pipeline)

    @property
    def _is_unread(self) -> bool:
        is_complete = self._is_idle and not self._is_head
        return self._is_open and is_complete

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > HEAD_BYTES:
            raise HeadTooLargeError

    def _watch(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._expire)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self.flow.read_paused:
            # The client is not to blame for the delay.
            self._watch()
        elif self._is_open:
            self._refuse("invalid_value", "The request did not arrive in time.")
        elif self._is_idle:
            self.transport.close()

    def _refuse(self, code: str, message: str, status: str = _BAD_REQUEST) -> None:
        """Send an error after the responses to all earlier requests, and disconnect."""
        self._unwatch()
        reply = self._reply(code, message, status)
        if self._is_open and not self._is_head:
            # The request itself is at fault, and has already been passed to the API.
            if self.pipeline:
                self.pipeline.popleft()
                self._refusal = reply
            else:
                self._end(b"" if self.cycle.response_started else reply)
                self.cycle.disconnected = True
                self.cycle.waiting_for_100_continue = False
                self.cycle.message_event.set()
        elif self._is_idle:
            self._end(reply)
        else:
            self._refusal = reply

    def _reply(self, code: str, message: str, status: str) -> bytes:
        request_id = self.ids.new(Prefix.REQUEST)
        headers = ""
        if code == "method_not_allowed":
            status, headers = "405 Method Not Allowed", f"allow: {_ALLOW}\r\n"
        body = error(code, message, request_id)
        head = (
            f"HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\n"
            f"{REQUEST_ID_HEADER.lower()}: {request_id}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        return head.encode("ascii") + body

    def _end(self, reply: bytes) -> None:
        self._unwatch()
        self._unset_keepalive_if_required()
        self._refusal = b""
        self.transport.write(reply)
        try:
            self.transport.write_eof()
        except (OSError, NotImplementedError):
            # The client is gone, or the transport does not support half-closing.
            self.transport.close()
        else:
            self.flow.resume_reading()
            self._deadline = self.loop.call_later(LINGER_SECONDS, self.transport.close)
