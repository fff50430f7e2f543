"""The operations on the balance."""

from __future__ import annotations

from functools import partial

from partner_esim import models
from partner_esim.server import Balance, Context

from ..domain import bodies
from ..store.tables import partners
from .backend import ApiBackend, scope_of


class BalanceGroup(Balance):
    """The prepaid balance."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def get_balance(self, *, context: Context) -> models.Balance:
        """Return the balance of the key's mode."""
        scope = scope_of(context)
        account = await self._backend.read(scope, partial(partners.account, scope))
        return bodies.balance(account)
