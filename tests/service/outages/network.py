"""A network between a process and PostgreSQL that drops its traffic on demand."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit


class Network:
    """Passes bytes on, until a connection is in a black hole: then both ends hear nothing more."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tasks: set[asyncio.Task[None]] = set()
        self._passing: set[asyncio.Event] = set()
        self._lost: list[asyncio.StreamWriter] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port = self._wait(self._listen())

    def lose(self) -> None:
        """Let all connections that are open lead nowhere; new ones are carried as before."""
        self._loop.call_soon_threadsafe(self._passing.clear)

    def lead_to(self, url: str) -> None:
        """Carry connections that are new to another server."""
        self._url = url

    def close(self) -> None:
        """End all connections."""
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(10)

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _end(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        for writer in self._lost:
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await _connected(self._url)
        except OSError:
            writer.close()
            return
        ours = asyncio.Event()
        self._passing.add(ours)
        self._lost += [writer, back]
        for source, target in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._pass(source, target, ours))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, ours: asyncio.Event
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                # What has come this far when the connection is lost is lost, too: even an end.
                if ours in self._passing:
                    target.write(data)
        if ours in self._passing:
            target.close()


_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@contextmanager
def network(url: str) -> Iterator[tuple[Network, str]]:
    """A network to a PostgreSQL, and the address of the server as it is seen through it."""
    parts = urlsplit(url)
    made = Network(url)
    user = f"{parts.username}:{parts.password or ''}@" if parts.username else ""
    try:
        yield made, urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{made.port}", query=""))
    finally:
        made.close()


async def _connected(url: str) -> _Streams:
    parts = urlsplit(url)
    if directory := parse_qs(parts.query).get("host", [""])[0]:
        return await asyncio.open_unix_connection(f"{directory}/.s.PGSQL.5432")
    return await asyncio.open_connection(parts.hostname, parts.port or 5432)
