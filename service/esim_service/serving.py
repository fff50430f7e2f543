"""Runs the service on its two ports until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from ipaddress import ip_address

import structlog
import uvicorn
from starlette.types import ASGIApp

from .background import Background
from .service import open_service
from .settings import API_PATH, Settings
from .store.database import OperatorError

OPERATIONS_PORT = 9464
# After this time requests that are not answered are cut off.
GRACE_SECONDS = 20
BACKLOG = 2048

_log = structlog.get_logger(__name__)


class FailedError(Exception):
    """The process cannot go on; the log says why."""


class _Server(uvicorn.Server):
    """A server that says when it listens, and leaves signals to the process."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
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
        """Begin to listen."""
        await super().startup(sockets)
        self.listens.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def serve(settings: Settings, announce: Callable[[str, str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        announce: called with the address of the API and that of the operators' port as soon as
            requests are answered.

    Raises:
        OperatorError: it cannot be started like this.
        FailedError: it had to stop by itself.
    """
    with (
        closing(_bind(settings.host, settings.port, "ESIM_PORT")) as api,
        closing(_bind_operations(settings)) as operations,
    ):
        base_url = settings.base_url or f"{_address(api)}{API_PATH}"
        async with open_service(settings, base_url) as service:
            servers = _Server(service.api), _Server(service.operations)
            running = [
                asyncio.create_task(server.serve(sockets=[each]))
                for server, each in zip(servers, (api, operations), strict=True)
            ]
            for server in servers:
                await server.listens.wait()
            ready = partial(announce, base_url, _address(operations))
            await _run(servers, running, service.background, ready)


async def _run(
    servers: tuple[_Server, _Server],
    running: list[asyncio.Task[None]],
    background: Background | None,
    announce: Callable[[], None],
) -> None:
    stopped = asyncio.Event()
    api, operations = servers

    def stop() -> None:
        # Who asks twice does not want to wait.
        api.force_exit = stopped.is_set()
        stopped.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    work = asyncio.create_task(background.run()) if background else None
    if work is not None:
        work.add_done_callback(lambda _: stopped.set())
    announce()
    _log.info("started")
    await stopped.wait()
    _log.info("stopping")
    has_failed = work is not None and work.done()
    api.should_exit = True
    await running[0]
    if background is not None and work is not None:
        background.stop()
        await asyncio.wait([work])
        if error := work.exception():
            _log.error("the background work failed", exc_info=error)
    operations.should_exit = True
    await running[1]
    if has_failed:
        raise FailedError("the background work ended by itself")


def _bind(host: str, port: int, setting: str) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            # From now on nobody else gets the port, and who connects early waits.
            made.listen(BACKLOG)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise OperatorError(
            f"port {port} of {host} cannot be used: {error.strerror}: see {setting}"
        ) from error
    return made


def _bind_operations(settings: Settings) -> socket.socket:
    host, port = settings.metrics_host, settings.metrics_port
    if port is not None:
        return _bind(host, port, "ESIM_METRICS_PORT")
    try:
        return _bind(host, OPERATIONS_PORT, "ESIM_METRICS_PORT")
    except OperatorError:
        return _bind(host, 0, "ESIM_METRICS_PORT")


def _address(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://[{address}]:{port}" if address.version == 6 else f"http://{address}:{port}"
