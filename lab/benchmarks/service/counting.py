"""A proxy in front of PostgreSQL that counts the messages of a service."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

_SOCKET = ".s.PGSQL.5432"
_CHUNK = 65536
# Messages of the protocol: the client waits after a Sync, a Flush or a simple query; an Execute
# runs one statement. https://www.postgresql.org/docs/current/protocol-message-formats.html
_WAITED_FOR = b"SHQ"
_RUN = b"EQ"


class Tally:
    """The number of messages from all clients, by their first byte."""

    def __init__(self) -> None:
        self._seen: Counter[int] = Counter()

    @property
    def round_trips(self) -> int:
        return sum(self._seen[name] for name in _WAITED_FOR)

    @property
    def statements(self) -> int:
        return sum(self._seen[name] for name in _RUN)

    async def read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward the messages of a client one by one; the first one has no type."""
        with closing(writer):
            size = await reader.readexactly(4)
            writer.write(size + await reader.readexactly(int.from_bytes(size) - 4))
            while head := await reader.read(1):
                size = await reader.readexactly(4)
                self._seen[head[0]] += 1
                writer.write(head + size + await reader.readexactly(int.from_bytes(size) - 4))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with closing(writer):
        while data := await reader.read(_CHUNK):
            writer.write(data)


@contextmanager
def counted(url: str, place: Path) -> Iterator[tuple[str, Tally]]:
    """Run a proxy in front of a server's Unix socket; yield its URL and its tally."""
    parts = urlsplit(url)
    [directory] = parse_qs(parts.query)["host"]
    tally = Tally()

    async def serve(client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        server, ask = await asyncio.open_unix_connection(f"{directory}/{_SOCKET}")
        try:
            await asyncio.gather(tally.read(client, ask), _pass_on(server, answer))
        except (ConnectionError, asyncio.IncompleteReadError):
            ask.close()
            answer.close()

    async def run() -> None:
        server = await asyncio.start_unix_server(serve, place / _SOCKET)
        ready.set()
        async with server:
            while not stopped.is_set():
                await asyncio.sleep(0.05)

    ready, stopped = threading.Event(), threading.Event()
    thread = threading.Thread(target=asyncio.run, args=[run()])
    thread.start()
    ready.wait()
    try:
        yield urlunsplit(parts._replace(query=urlencode({"host": place}))), tally
    finally:
        stopped.set()
        thread.join()
