"""A raw connection to the service: bytes sent and received."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from partner_esim.models import Error

from ..running import DEADLINE

PLAN = "pln_jp-5gb-30d"
BASE = "/api/v1"

references = (f"h-{number}" for number in itertools.count())


@dataclass(frozen=True)
class Answer:
    """An answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def refusal(self) -> tuple[int, str]:
        """Status and code of an error, which has the contract's form."""
        assert self.headers["content-type"] == "application/json"
        found = Error.model_validate_json(self.body).error
        assert found.request_id == self.headers["request-id"]
        assert all(word not in found.message for word in ("Traceback", "sys.", "codec", "asyncpg"))
        return self.status, found.code


class Connection:
    """A connection to the service, in bytes."""

    def __init__(self, port: int, key: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self._received = b""
        self.authorization = f"Authorization: Bearer {key}\r\n".encode()

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def end(self) -> None:
        """Say that nothing more is written."""
        self._socket.shutdown(socket.SHUT_WR)

    def _more(self) -> None:
        data = self._socket.recv(65536)
        assert data, "the service hung up"
        self._received += data

    def read(self, has_body: bool = True) -> Answer:
        while b"\r\n\r\n" not in self._received:
            self._more()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        line, *lines = head.decode("ascii").split("\r\n")
        headers = {k.lower(): v for k, v in (each.split(": ", 1) for each in lines)}
        size = int(headers.get("content-length", 0)) if has_body else 0
        while len(self._received) < size:
            self._more()
        body, self._received = self._received[:size], self._received[size:]
        return Answer(int(line.split()[1]), headers, body)

    def is_closed(self) -> bool:
        """Wait for the end; nothing may come before it."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def send(
        self,
        method: str,
        target: str | bytes,
        body: bytes | None = None,
        fields: Sequence[bytes] = (b"Content-Type: application/json",),
    ) -> Answer:
        target = target if isinstance(target, bytes) else target.encode()
        size = b"" if body is None else b"Content-Length: %d\r\n" % len(body)
        more = b"" if body is None else b"".join(field + b"\r\n" for field in fields)
        head = b"%s %s HTTP/1.1\r\nHost: x\r\n" % (method.encode(), BASE.encode() + target)
        self.write(head + self.authorization + size + more + b"\r\n" + (body or b""))
        return self.read(has_body=method != "HEAD")

    def close(self) -> None:
        self._socket.close()


def order(more: str = "", reference: str | None = None) -> bytes:
    name = next(references) if reference is None else reference
    return f'{{"plan_id": "{PLAN}", "reference": "{name}"{more}}}'.encode()
