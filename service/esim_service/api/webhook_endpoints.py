"""The operations on webhook endpoints."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Awaitable, Callable
from functools import partial

from partner_esim import models
from partner_esim.server import Context, Problem, WebhookEndpoints

from ..delivery.guard import RefusedUrl
from ..domain import bodies, endpoints
from ..store.tables import events as store
from .backend import ApiBackend, scope_of

_SECRET_BYTES = 32


class WebhookEndpointGroup(WebhookEndpoints):
    """The URLs that events are delivered to."""

    def __init__(
        self,
        backend: ApiBackend,
        check_url: Callable[[str], Awaitable[None]],
        encrypt: Callable[[str], str],
    ) -> None:
        """Create the group.

        Args:
            check_url: raises RefusedUrl for URLs that may not be registered.
            encrypt: returns the stored form of a secret.
        """
        self._backend = backend
        self._check_url = check_url
        self._encrypt = encrypt

    async def list_webhook_endpoints(self, *, context: Context) -> models.WebhookEndpointList:
        """List all endpoints of the mode, newest first."""
        scope = scope_of(context)
        stored = await self._backend.read(scope, partial(store.endpoints, scope))
        return models.WebhookEndpointList(
            data=[bodies.endpoint(webhook_endpoint) for webhook_endpoint in stored],
            has_more=False,
            next_cursor=None,
        )

    async def create_webhook_endpoint(
        self, *, body: models.WebhookEndpointCreate, context: Context
    ) -> models.WebhookEndpointCreated:
        """Register an endpoint, and show its secret this once."""
        scope = scope_of(context)
        try:
            await self._check_url(body.url)
        except RefusedUrl as error:
            raise Problem("invalid_webhook_url", str(error), param="url") from None
        selected = body.event_types
        secret = f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"
        endpoint = await self._backend.write(
            scope, partial(endpoints.register, scope, body.url, selected, self._encrypt(secret))
        )
        return bodies.created_endpoint(endpoint, secret)

    async def delete_webhook_endpoint(self, *, id: str, context: Context) -> None:
        """Remove an endpoint."""
        scope = scope_of(context)
        more = await self._backend.write(scope, lambda _: endpoints.remove(scope, id))
        # After a crash, the others are removed when they are due.
        while more:
            more = await self._backend.write(scope, lambda _: endpoints.clear(id))

    async def test_webhook_endpoint(
        self, *, id: str, context: Context
    ) -> models.WebhookTestAccepted:
        """Send a test event to an endpoint."""
        scope = scope_of(context)
        event_id = await self._backend.write(scope, partial(endpoints.test, scope, id))
        return models.WebhookTestAccepted(event_id=event_id)
