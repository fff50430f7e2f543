"""A server that follows a script and records its requests."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler


class Fault(Enum):
    """The fault of an origin that does not respond properly."""

    RESET = "reset"
    SILENCE = "silence"
    DRIPPING_HEAD = "dripping head"
    DRIPPING_BODY = "dripping body"
    GARBAGE = "garbage"


# Dripping ends by itself, so that a client without a limit fails its test and not the run.
DRIPS = 60
PAUSE = 0.05


@dataclass(frozen=True)
class Answer:
    """One answer of the script."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    promised: int | None = None
    # Bytes in place of all that, each after a pause of so many seconds.
    raw: Iterable[bytes] | None = None
    pause: float = 0.0
    stays_open: bool = False


@dataclass(frozen=True)
class Asked:
    """One request that arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    # All headers, as they were sent.
    fields: list[tuple[str, str]] = field(default_factory=list)
    # Port of the caller's end.
    connection: int = 0


@dataclass
class Origin:
    """The script still to come and the requests so far."""

    url: str = ""
    script: list[Answer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def answer(self, *answers: Answer) -> None:
        """Add to the script; its last answer repeats."""
        self.script.extend(answers)


@contextmanager
def running() -> Iterator[Origin]:
    """Serve on a free port of the loopback interface until the block ends."""
    origin = Origin()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            body = b"".join(self.chunks())
            headers = {name.lower(): value for name, value in self.headers.items()}
            fields, port = self.headers.items(), self.client_address[1]
            origin.asked.append(Asked(self.command, self.path, headers, body, fields, port))
            answer = origin.script.pop(0) if len(origin.script) > 1 else origin.script[0]
            if answer.raw is not None:
                self.send_raw(answer.raw, answer.pause)
                self.close_connection = not answer.stays_open
                return
            if answer.fault is Fault.SILENCE:
                origin.done.wait()
            if answer.fault is Fault.GARBAGE:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n" + answer.body + b"\r\n\r\n")
            if answer.fault is Fault.DRIPPING_HEAD:
                self.drip(b"HTTP/1.1 200 OK\r\nX-Drip: ", b"x", b"\r\ncontent-length: 2\r\n\r\n{}")
            if answer.fault is Fault.DRIPPING_BODY:
                length = DRIPS + len(answer.body)
                head = f"HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n".encode()
                self.drip(head, b" ", answer.body)
            if answer.fault is not None:
                self.close_connection = True
                return
            self.send_response_only(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            size = len(answer.body) if answer.promised is None else answer.promised
            self.send_header("content-length", str(size))
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = answer.promised is not None

        def chunks(self) -> Iterator[bytes]:
            if self.headers.get("transfer-encoding") != "chunked":
                yield self.rfile.read(int(self.headers.get("content-length") or 0))
                return
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            # No test sends trailers.
            self.rfile.readline()

        def drip(self, head: bytes, drop: bytes, end: bytes) -> None:
            with suppress(OSError):
                self.wfile.write(head)
                for _ in range(DRIPS):
                    origin.done.wait(PAUSE)
                    self.wfile.write(drop)
                self.wfile.write(end)

        def send_raw(self, pieces: Iterable[bytes], pause: float) -> None:
            with suppress(OSError):
                for piece in pieces:
                    if pause and origin.done.wait(pause):
                        return
                    self.wfile.write(piece)

        # The names are those of the standard library.
        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: the tests look at the recorded requests."""

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        # Connections that clients keep open must not hold up the end of a test.
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        origin.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield origin
        finally:
            origin.done.set()
            server.shutdown()
            thread.join()
