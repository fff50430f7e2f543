"""A server on loopback that misbehaves as scripted and records the requests."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

# A drip ends by itself, so that a library without a limit ends, too.
DRIPS = 120
PAUSE = 0.05
CHUNK = b" " * (1 << 20)


@dataclass(frozen=True)
class Asked:
    """One request that arrived, and its time."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: int
    moment: float = field(default_factory=time.monotonic)

    def values(self, name: str) -> list[str]:
        """Return all values of a header."""
        return [value for key, value in self.headers if key == name]


# Returns whether the connection stays open.
Answer = Callable[[Asked, socket.socket], bool]


def reply(body: object, status: int = 200, **headers: str) -> Answer:
    """Respond with bytes, or with JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {
        "content-type": "application/json",
        "content-length": str(len(content)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    message = _head(status, given) + content

    def answer(asked: Asked, connection: socket.socket) -> bool:
        connection.sendall(message)
        return int(given["content-length"]) == len(content)

    return answer


def echo(make: Callable[[Asked], object], pause: float = 0.0) -> Answer:
    """Respond with JSON that depends on the request."""

    def answer(asked: Asked, connection: socket.socket) -> bool:
        time.sleep(pause)
        return reply(make(asked))(asked, connection)

    return answer


def breaks(asked: Asked, connection: socket.socket) -> bool:
    """Reset the connection after the whole request has arrived."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


# One element for each drop that has been sent.
DROPS: list[bytes] = []


def drips_head(asked: Asked, connection: socket.socket) -> bool:
    """Send a response head that takes six seconds."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nx-drip: ")
    return _drip(connection, b"x", b"\r\ncontent-length: 2\r\n\r\n{}")


def drips_body(body: object) -> Answer:
    """Send a body that takes six seconds."""
    content = json.dumps(body).encode()

    def answer(asked: Asked, connection: socket.socket) -> bool:
        length = str(DRIPS + len(content))
        given = {"content-type": "application/json", "content-length": length}
        connection.sendall(_head(200, given))
        return _drip(connection, b" ", content)

    return answer


def pads(body: object, chunks: int) -> Answer:
    """Send JSON after a number of MiB of blanks."""
    content = json.dumps(body).encode()
    length = str(chunks * len(CHUNK) + len(content))

    def answer(asked: Asked, connection: socket.socket) -> bool:
        connection.sendall(
            _head(200, {"content-type": "application/json", "content-length": length})
        )
        for _ in range(chunks):
            connection.sendall(CHUNK)
        connection.sendall(content)
        return True

    return answer


def bomb(body: object, chunks: int) -> Answer:
    """Send JSON after a number of MiB of blanks, compressed by gzip to some KiB."""
    packer = zlib.compressobj(1, wbits=31)
    packed = b"".join(packer.compress(CHUNK) for _ in range(chunks))
    packed += packer.compress(json.dumps(body).encode()) + packer.flush()
    return reply(packed, content_encoding="gzip")


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def _drip(connection: socket.socket, drop: bytes, end: bytes) -> bool:
    for _ in range(DRIPS):
        time.sleep(PAUSE)
        connection.sendall(drop)
        DROPS.append(drop)
    connection.sendall(end)
    return False


class Origin:
    """The server, with a script that repeats its last response, and its requests so far."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.asked: list[Asked] = []
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def says(self, *answers: Answer) -> None:
        """Set the script."""
        self.script = list(answers)

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            arguments = (connection, self.connections)
            threading.Thread(target=self._serve, args=arguments, daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError), connection:
            for asked in _requests(connection, number):
                self.asked.append(asked)
                answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                if not answer(asked, connection):
                    return


def _requests(connection: socket.socket, number: int) -> Iterator[Asked]:
    with connection.makefile("rb") as stream:
        while line := stream.readline():
            method, target, _ = line.decode("latin-1").split(" ", 2)
            headers = []
            while field_line := stream.readline().strip():
                name, _, value = field_line.decode("latin-1").partition(":")
                headers.append((name.strip().lower(), value.strip()))
            length = next((int(value) for name, value in headers if name == "content-length"), 0)
            yield Asked(method, target, headers, stream.read(length), number)
