"""The endpoints for operators: liveness, readiness and metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ..store.changes.database import OperatorError, UnavailableError

Probe = Callable[[], Awaitable[None]]

PROBE_SECONDS = 5.0
_LATE = f"the database has not responded for {PROBE_SECONDS:.0f} s"


def create_operations_app(ready: Probe, registry: CollectorRegistry) -> Starlette:
    """Create the application for the operations port.

    Args:
        ready: returns if requests can be served, and raises the store's errors otherwise.
        registry: the metrics to expose.
    """

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(request: Request) -> Response:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await ready()
        except (OperatorError, UnavailableError) as error:
            return PlainTextResponse(f"not ready: {error}\n", status_code=503)
        except TimeoutError:
            return PlainTextResponse(f"not ready: {_LATE}\n", status_code=503)
        return PlainTextResponse("ready\n")

    async def metrics(request: Request) -> Response:
        return Response(generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", metrics),
        ]
    )
