"""A client that knows for each order whether it got a response, even if the server dies."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

PLAN = "pln_ee-1gb-7d"
# The errors of a client when the process at the other end dies.
GONE = (OSError, asyncio.IncompleteReadError)


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of the server, to the last byte."""

    status: int
    is_replay: bool
    body: bytes


class Caller:
    """One connection with one request at a time."""

    def __init__(self, base_url: str, key: str) -> None:
        self._address = urlsplit(base_url)
        self._key = key

    async def __aenter__(self) -> Self:
        host, port = self._address.hostname, self._address.port
        self._reader, self._writer = await asyncio.open_connection(host, port)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    async def order(self, reference: str) -> Answer:
        """Place an order.

        Raises:
            OSError, asyncio.IncompleteReadError: there was no answer, or no whole one.
        """
        body = json.dumps({"plan_id": PLAN, "reference": reference}).encode()
        return await self.send("POST", "/orders", body)

    async def send(self, method: str, path: str, body: bytes = b"") -> Answer:
        """Send a request, and read its answer to the end.

        Raises:
            OSError, asyncio.IncompleteReadError: there was no answer, or no whole one.
        """
        head = (
            f"{method} {self._address.path}{path} HTTP/1.1\r\nhost: localhost\r\n"
            f"authorization: Bearer {self._key}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines if line)
        content = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return Answer(int(first.split()[1]), headers.get("idempotent-replay") == "true", content)
