"""The operations on eSIMs."""

from __future__ import annotations

from functools import partial

from partner_esim import models
from partner_esim.server import Context, Esims

from ..domain import bodies, esims
from ..store.tables import esims as store
from .backend import NEWEST, ApiBackend, page, scope_of


class EsimGroup(Esims):
    """The eSIMs that orders produced."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def list_esims(
        self, *, order_id: str | None, limit: int, cursor: str | None, context: Context
    ) -> models.EsimList:
        """List eSIMs, newest first."""
        scope = scope_of(context)
        items, more, following = await page(
            self._backend,
            scope,
            partial(store.page, scope, order_id),
            lambda esim: esim.esim_id,
            limit,
            cursor,
            NEWEST,
            "esims",
            scope.partner_id,
            scope.mode,
            order_id,
        )
        return models.EsimList(
            data=[bodies.esim(item) for item in items], has_more=more, next_cursor=following
        )

    async def get_esim(self, *, iccid: str, context: Context) -> models.Esim:
        """Return one eSIM."""
        scope = scope_of(context)
        esim = await self._backend.read(scope, partial(esims.find, scope, iccid))
        return bodies.esim(esim)
