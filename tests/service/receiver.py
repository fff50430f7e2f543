"""A webhook receiver with TLS and an authority of its own, on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import trustme

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter, int], Awaitable[None]]


@dataclass
class Received:
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A receiver: its requests and its behaviour."""

    port: int
    behave: Behaviour
    requests: list[Received] = field(default_factory=list)
    connections: int = 0


def answer(status: str, *headers: str, body: bytes = b"") -> Behaviour:
    """Answer every request like this, and keep the connection."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: int) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()

    return behave


class Authority:
    """Signs certificates for receivers; its own is in `file`."""

    def __init__(self, directory: Path) -> None:
        self._authority = trustme.CA()
        self.file = directory / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def context(self, *names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context


@contextlib.asynccontextmanager
async def receiver(
    context: ssl.SSLContext | None, behave: Behaviour, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Receiver]:
    """Receive on a port of this machine, by default a free one; without a context, no TLS."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
                line, *lines = head.strip().split("\r\n")
                headers = dict(each.split(": ", 1) for each in lines)
                body = await reader.readexactly(int(headers["Content-Length"]))
                seen.requests.append(Received(line, headers, body))
                await seen.behave(reader, writer, len(seen.requests))
        writer.close()

    tasks: set[asyncio.Task[None]] = set()

    def track(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(connected(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(track, host, port, ssl=context)
    seen = Receiver(server.sockets[0].getsockname()[1], behave)
    try:
        yield seen
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
