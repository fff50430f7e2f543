"""The service as a whole: everything that a server process needs, from its settings."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog
from starlette.types import ASGIApp

from partner_esim.server import Cursors, create_app

from .. import catalogue
from ..api.backend import ApiBackend, RemoteWorkers
from ..api.balance import BalanceGroup
from ..api.esims import EsimGroup
from ..api.events import EventGroup
from ..api.orders import OrderGroup
from ..api.plans import PlanGroup
from ..api.sandbox import SandboxGroup
from ..api.topups import TopupGroup
from ..api.webhook_endpoints import WebhookEndpointGroup
from ..delivery import guard
from ..http import document
from ..http.health import create_operations_app
from ..http.middleware import RequestLog, RequestMetrics, RequestMiddleware, RouteTemplates
from ..http.pages import PageRedirect, StaticPage
from ..keys.auth import Authenticator
from ..keys.keyring import StoredKeys
from ..rate_limits.choose import open_windows
from ..rate_limits.limiter import KeyLimiter, Windows
from ..settings import API_PATH, ServiceSettings
from ..store.changes.database import Database, UnavailableError
from ..store.drivers.migrate import migrate, require_current
from ..store.drivers.open import is_file
from ..store.tables import catalogue as catalogue_store
from ..store.tables import secrets as secret_store
from ..values.ids import Prefix
from .background import Background
from .components import (
    Components,
    open_background,
    open_components,
    require_ready,
    require_secrets,
)
from .live_mode import require_fit_for_keys

DOCS_PATH = "/docs"

# The reference page has its own policy, which cannot have this directive.
_CONTENT_SECURITY = "frame-ancestors 'none'"
_CATALOGUE = "catalogue"
_PAUSE = 0.2
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """The parts of a server process.

    Attributes:
        api: for partners.
        operations: for operators.
        background: None if other processes do this work.
        stops: set once no more requests should be sent to it.
    """

    api: ASGIApp
    operations: ASGIApp
    background: Background | None
    stops: asyncio.Event


@asynccontextmanager
async def open_service(settings: ServiceSettings, base_url: str) -> AsyncIterator[ServiceParts]:
    """Open the database and assemble the service for the duration of the context.

    Raises:
        OperatorError: the database cannot be used.
    """
    async with AsyncExitStack() as stack:
        components = await stack.enter_async_context(open_components(settings))
        database, clock, ids = components.database, components.clock, components.ids
        await prepare(database, may_migrate=is_file(settings.database))
        await require_fit_for_keys(settings, database, clock.now())
        await require_secrets(components)
        windows = await stack.enter_async_context(open_windows(settings.redis_url, database, clock))
        background = None
        if settings.worker:
            background = await stack.enter_async_context(open_background(components, settings))
        secret = await database.write(
            partial(secret_store.ensure, "cursors", secrets.token_bytes(_SECRET_BYTES))
        )
        backend = ApiBackend(
            database=database,
            clock=clock,
            ids=ids,
            carrier=components.carrier,
            cursors=Cursors(secret),
            work=background or RemoteWorkers(),
        )

        def request_id(sent: str | None = None) -> str:
            # Every log entry of the request has its id.
            new_id = ids.new(Prefix.REQUEST)
            structlog.contextvars.bind_contextvars(request_id=new_id)
            return new_id

        api = create_app(
            plans=PlanGroup(backend),
            orders=OrderGroup(backend),
            esims=EsimGroup(backend),
            topups=TopupGroup(backend),
            balance=BalanceGroup(backend),
            events=EventGroup(backend),
            webhook_endpoints=WebhookEndpointGroup(
                backend,
                partial(guard.check, rule=components.rule, resolve=components.resolver),
                components.secrets.encrypt,
            ),
            sandbox=SandboxGroup(backend),
            authenticate=Authenticator(StoredKeys(database, clock)),
            rate_limiter=KeyLimiter(windows),
            request_id=request_id,
            prefix=API_PATH,
        )
        pages: dict[str, ASGIApp] = {
            f"{API_PATH}/openapi.json": StaticPage(
                partial(document.render, base_url), "application/json", request_id
            ),
            DOCS_PATH: StaticPage(
                partial(document.reference_page, base_url),
                "text/html",
                request_id,
                {"Content-Security-Policy": _CONTENT_SECURITY},
            ),
            "/": PageRedirect(DOCS_PATH.removeprefix("/"), request_id),
            f"{DOCS_PATH}/": PageRedirect(f"..{DOCS_PATH}", request_id),
        }
        routes = RouteTemplates(API_PATH + path for path in document.load()["paths"])
        log = RequestLog(sys.stderr) if settings.log_level in ("debug", "info") else None
        stops = asyncio.Event()
        yield ServiceParts(
            api=RequestMiddleware(api, pages, routes, RequestMetrics(components.registry), log),
            operations=create_operations_app(
                partial(_ready, components, windows, stops), components.registry
            ),
            background=background,
            stops=stops,
        )


async def prepare(database: Database, *, may_migrate: bool) -> None:
    """Migrate the schema if that is allowed, and ensure that there is a catalogue.

    Raises:
        OperatorError: the schema is not the one that this service needs.
    """
    if may_migrate:
        await migrate(database)
    await require_current(database)
    while await database.read(catalogue_store.is_empty):
        # Of several processes that start together, one loads the catalogue and the others wait.
        async with database.hold(_CATALOGUE) as writer:
            if writer is not None and await database.read(catalogue_store.is_empty):
                loaded = catalogue.load(catalogue.default_path())
                await writer.write(partial(catalogue_store.replace, loaded))
        await asyncio.sleep(0 if writer else _PAUSE)


async def _ready(components: Components, windows: Windows, stops: asyncio.Event) -> None:
    if stops.is_set():
        raise UnavailableError("the service is stopping")
    await require_ready(components)
    await windows.check()
