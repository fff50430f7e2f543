"""An HTTPS server on a local port, with its own thread."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable
from enum import Enum, auto
from types import TracebackType
from typing import TYPE_CHECKING

from specwright.conformance.checks.webhooks.authority import HOST
from specwright.conformance.checks.webhooks.connection import Connection, Take
from specwright.errors import InputError
from specwright.extras import LazyLibrary

if TYPE_CHECKING:
    import h11
else:
    h11 = LazyLibrary("h11")

MAX_CONNECTIONS = 64
HANDSHAKE_SECONDS = 10.0


class Lost(Enum):
    """A connection without a delivery.

    Attributes:
        REFUSED: one too many, or malformed.
        DISTRUSTED: it ended before the TLS handshake was complete.
    """

    REFUSED = auto()
    DISTRUSTED = auto()


class ReceiverServer:
    """A server that runs within its context; without certificates, it speaks plain HTTP."""

    def __init__(
        self, port: int, context: ssl.SSLContext | None, take: Take, note: Callable[[Lost], None]
    ) -> None:
        """Prepare a server; port 0 chooses a free one."""
        self.port = port
        self._context = context
        self._take = take
        self._note = note
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """The local URL of the server, without a trailing slash."""
        return f"{'https' if self._context else 'http'}://{HOST}:{self.port}"

    def __enter__(self) -> ReceiverServer:
        starting = asyncio.start_server(self._connected, HOST, self.port)
        try:
            self._server = self._loop.run_until_complete(starting)
        except OSError as error:
            self._loop.close()
            raise InputError(
                f"webhooks cannot be received on port {self.port}: {error.strerror}",
                hint="choose another port",
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MAX_CONNECTIONS:
            self._note(Lost.REFUSED)
            writer.transport.abort()
            return
        task = self._loop.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._context is not None:
            # The handshake is done here, as the server does not report failed ones.
            try:
                await writer.start_tls(self._context, ssl_handshake_timeout=HANDSHAKE_SECONDS)
            except OSError:
                writer.transport.abort()
                self._note(Lost.DISTRUSTED)
                return
        try:
            await Connection(reader, writer, self._take).serve()
        except h11.RemoteProtocolError:
            self._note(Lost.REFUSED)
