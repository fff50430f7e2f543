"""The ports of a process, bound before anything else and served by uvicorn."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn
from starlette.types import ASGIApp

from ..settings import ServiceSettings
from ..store.changes.database import OperatorError
from .protocol import Protocol

OPERATIONS_PORT = 9464
# After this time, pending requests are cut off.
GRACE_SECONDS = 20
BACKLOG = 2048
_LAST = (b"connection", b"close")


class FailedError(Exception):
    """The process cannot continue; the log gives the reason."""


class UvicornServer(uvicorn.Server):
    """A server with an event for the start of listening, which leaves signals to the process."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                http=Protocol,
                ws="none",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        self.listens.set()

    def end_connections(self) -> None:
        """Make each response the last one of its connection, for clients that keep theirs."""
        if _LAST not in self.config.encoded_headers:
            # uvicorn makes the second list of the first one once a second.
            self.config.encoded_headers.append(_LAST)
            self.server_state.default_headers = [*self.server_state.default_headers, _LAST]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and end all connections."""
        self.end_connections()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


def when_told(stop: Callable[[], None]) -> None:
    """Call a function on SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)


def bind(host: str, port: int, setting: str) -> socket.socket:
    """Bind a port; 0 chooses a free one.

    Raises:
        OperatorError: the port is in use, or the address does not exist.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            # From now on the port is reserved, and early clients wait.
            bound.listen(BACKLOG)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise OperatorError(
            f"port {port} of {host} cannot be used: {error.strerror}: see {setting}"
        ) from error
    return bound


def bind_operations(settings: ServiceSettings) -> socket.socket:
    """Bind the operations port; if none is set, the default one or else a free one."""
    host, port = settings.metrics_host, settings.metrics_port
    if port is not None:
        return bind(host, port, "ESIM_METRICS_PORT")
    try:
        return bind(host, OPERATIONS_PORT, "ESIM_METRICS_PORT")
    except OperatorError:
        return bind(host, 0, "ESIM_METRICS_PORT")


def address_of(bound: socket.socket) -> str:
    """Return the URL at which a port can be reached from this machine."""
    host, port = bound.getsockname()[:2]
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://[{address}]:{port}" if address.version == 6 else f"http://{address}:{port}"
