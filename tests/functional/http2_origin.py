"""A server of HTTP/2 over TLS that follows a script and records its requests."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum

import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, RequestReceived, StreamEnded


class End(Enum):
    """The end of a response, after its last piece."""

    COMPLETE = "complete"
    RESET = "reset"
    GOODBYE = "goodbye"
    # The server says that it has not processed the request.
    UNPROCESSED = "unprocessed"
    GARBAGE = "garbage"
    DISCONNECT = "disconnect"
    SILENCE = "silence"


@dataclass(frozen=True)
class Reply:
    """One response of the script; without a status, it ends before its headers."""

    status: int | None = 200
    pieces: tuple[bytes, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    end: End = End.COMPLETE


@dataclass(frozen=True)
class Call:
    """One request that arrived, with the port of the caller's end as its connection."""

    headers: Mapping[str, str]
    body: bytes
    connection: int


@dataclass
class Http2Origin:
    """The script still to come and the requests so far.

    Attributes:
        trust: the TLS settings of a client that trusts the server.
    """

    trust: ssl.SSLContext
    url: str = ""
    script: list[Reply] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def reply(self, *replies: Reply) -> None:
        """Add to the script; its last response repeats."""
        self.script.extend(replies)


class _Connection:
    """One connection, which is served until either side ends it."""

    def __init__(self, origin: Http2Origin, socket: ssl.SSLSocket) -> None:
        self._origin, self._socket = origin, socket
        self._port = int(socket.getpeername()[1])
        self._state = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._requests: dict[int, tuple[Mapping[str, str], bytearray]] = {}
        self._is_open = True

    def serve(self) -> None:
        self._state.initiate_connection()
        self._flush()
        while self._is_open and (received := self._socket.recv(65536)):
            for event in self._state.receive_data(received):
                if isinstance(event, RequestReceived):
                    self._requests[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, DataReceived):
                    self._requests[event.stream_id][1].extend(event.data)
                    self._state.acknowledge_received_data(
                        event.flow_controlled_length, event.stream_id
                    )
                elif isinstance(event, StreamEnded):
                    self._respond(event.stream_id)
            self._flush()

    def _respond(self, stream: int) -> None:
        headers, body = self._requests.pop(stream)
        origin = self._origin
        origin.calls.append(Call(headers, bytes(body), self._port))
        reply = origin.script.pop(0) if len(origin.script) > 1 else origin.script[0]
        if reply.status is not None:
            named = {"content-type": "application/json", **reply.headers}
            self._state.send_headers(stream, [(":status", str(reply.status)), *named.items()])
            self._flush()
        for piece in reply.pieces:
            self._state.send_data(stream, piece)
            self._flush()
        self._end(stream, reply.end)

    def _end(self, stream: int, end: End) -> None:
        match end:
            case End.COMPLETE:
                self._state.end_stream(stream)
            case End.RESET:
                self._state.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)
            case End.GOODBYE:
                self._state.close_connection()
            case End.UNPROCESSED:
                self._state.close_connection(last_stream_id=stream - 2)
            case End.GARBAGE:
                # A frame with data belongs to a stream (RFC 9113, 6.1).
                self._socket.sendall(bytes(9))
            case End.DISCONNECT | End.SILENCE:
                pass
        self._flush()
        self._is_open = end in (End.COMPLETE, End.RESET, End.SILENCE)

    def _flush(self) -> None:
        self._socket.sendall(self._state.data_to_send())


@contextmanager
def running() -> Iterator[Http2Origin]:
    """Serve on a free port of the loopback interface until the block ends."""
    authority = trustme.CA()
    settings = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(settings)
    settings.set_alpn_protocols(["h2"])
    origin = Http2Origin(ssl.create_default_context())
    authority.configure_trust(origin.trust)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            # Clients leave as they like.
            with suppress(OSError), settings.wrap_socket(self.request, server_side=True) as socket:
                _Connection(origin, socket).serve()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        # Connections that clients keep open must not hold up the end of a test.
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        origin.url = f"https://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield origin
        finally:
            server.shutdown()
            thread.join()
