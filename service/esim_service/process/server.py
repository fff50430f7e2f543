"""The process that runs the service on its two ports until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

import structlog

from ..http.listening import (
    FailedError,
    UvicornServer,
    address_of,
    bind,
    bind_operations,
    when_told,
)
from ..settings import API_PATH, ServiceSettings
from ..store.changes.database import OperatorError
from ..store.drivers.open import is_file
from .components import freeze
from .service import DOCS_PATH, ServiceParts, open_service
from .service_manager import inherited_port, report_ready

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServedAddresses:
    """The URLs that a process serves."""

    api: str
    reference: str
    operations: str


async def serve(
    settings: ServiceSettings, announce: Callable[[ServedAddresses], Awaitable[None]]
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        announce: called once requests are served.

    Raises:
        OperatorError: it cannot be started with these settings.
        FailedError: it stopped unexpectedly.
    """
    if not settings.worker and is_file(settings.database):
        raise OperatorError("ESIM_WORKER=false needs PostgreSQL: no other process can use the file")
    with (
        closing(inherited_port() or bind(settings.host, settings.port, "ESIM_PORT")) as api,
        closing(bind_operations(settings)) as operations,
    ):
        base_url = settings.base_url or f"{address_of(api)}{API_PATH}"
        async with open_service(settings, base_url) as service:
            servers = UvicornServer(service.api), UvicornServer(service.operations)
            running = [
                asyncio.create_task(server.serve(sockets=[port]))
                for server, port in zip(servers, (api, operations), strict=True)
            ]
            for server in servers:
                await server.listens.wait()
            addresses = ServedAddresses(
                base_url, f"{address_of(api)}{DOCS_PATH}", address_of(operations)
            )
            ready = partial(announce, addresses)
            await _run(servers, running, service, settings.drain_seconds, ready)


async def _run(
    servers: tuple[UvicornServer, UvicornServer],
    running: list[asyncio.Task[None]],
    service: ServiceParts,
    drain_seconds: float,
    announce: Callable[[], Awaitable[None]],
) -> None:
    stopped, hurried = asyncio.Event(), asyncio.Event()
    api, operations = servers
    background = service.background

    def stop() -> None:
        # A second signal stops immediately.
        if stopped.is_set():
            api.force_exit = True
            hurried.set()
        stopped.set()

    when_told(stop)
    work = asyncio.create_task(background.run()) if background else None
    if work is not None:
        work.add_done_callback(lambda _: stopped.set())
    _log.info("started")
    freeze()
    # Last, so that it is the last output in a terminal.
    await announce()
    report_ready()
    await stopped.wait()
    _log.info("stopping")
    has_failed = work is not None and work.done()
    service.stops.set()
    api.end_connections()
    with suppress(TimeoutError):
        async with asyncio.timeout(drain_seconds):
            await hurried.wait()
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
        raise FailedError("the background work stopped unexpectedly")
