"""The process that only does the background work, until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial

import structlog

from ..http.health import create_operations_app
from ..http.listening import FailedError, UvicornServer, address_of, bind_operations, when_told
from ..settings import ServiceSettings
from ..store.changes.database import OperatorError
from ..store.drivers.migrate import require_current
from ..store.drivers.open import is_file
from .background import Background
from .components import freeze, open_background, open_components, require_ready, require_secrets
from .live_mode import require_fit_for_keys
from .service_manager import report_ready

_log = structlog.get_logger(__name__)


async def work(settings: ServiceSettings, announce: Callable[[str], None]) -> None:
    """Work until SIGTERM or SIGINT.

    Args:
        announce: called with the URL of the operations port once it works.

    Raises:
        OperatorError: it cannot be started with these settings.
        FailedError: it stopped unexpectedly.
    """
    if is_file(settings.database):
        raise OperatorError(
            f"{settings.database} is an SQLite file, whose `serve` does this work itself: "
            "workers need PostgreSQL"
        )
    with closing(bind_operations(settings)) as bound:
        async with open_components(settings) as components:
            await require_current(components.database)
            await require_fit_for_keys(settings, components.database, components.clock.now())
            await require_secrets(components)
            server = UvicornServer(
                create_operations_app(partial(require_ready, components), components.registry)
            )
            serving = asyncio.create_task(server.serve(sockets=[bound]))
            await server.listens.wait()
            try:
                async with open_background(components, settings) as background:
                    await _run(background, partial(announce, address_of(bound)))
            finally:
                server.should_exit = True
                await serving


async def _run(background: Background, announce: Callable[[], None]) -> None:
    running = asyncio.create_task(background.run())
    is_told = False

    def stop() -> None:
        nonlocal is_told
        if is_told:
            # A second signal stops immediately.
            running.cancel()
        is_told = True
        _log.info("stopping")
        background.stop()

    when_told(stop)
    freeze()
    announce()
    report_ready()
    _log.info("started")
    await asyncio.wait([running])
    if is_told and running.cancelled():
        return
    if error := running.exception():
        _log.error("the background work failed", exc_info=error)
    if not is_told:
        raise FailedError("the background work stopped unexpectedly")
