"""A balancer that gives every request to the next one of several processes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle
from urllib.parse import urlsplit, urlunsplit

_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@asynccontextmanager
async def balancer(base_urls: Sequence[str]) -> AsyncIterator[str]:
    """Serve for the time of the context; give the base URL of all processes together."""
    ports = cycle([urlsplit(url).port for url in base_urls])

    async def serve(client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        try:
            head = await client.readuntil(_END)
            length = _LENGTH.search(head)
            body = await client.readexactly(int(length[1]) if length else 0)
            server, ask = await asyncio.open_connection("127.0.0.1", next(ports))
            # One request for each connection, on both sides: so the next goes to another process.
            ask.write(head[: -len(_END)] + b"\r\nconnection: close" + _END + body)
            answer.write(await server.read())
            await answer.drain()
            ask.close()
        except asyncio.IncompleteReadError:
            # The client had nothing more to ask.
            pass
        finally:
            answer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield urlunsplit(urlsplit(base_urls[0])._replace(netloc=f"127.0.0.1:{port}"))
