"""The operations on the sandbox."""

from __future__ import annotations

from functools import partial

from partner_esim import models
from partner_esim.server import Context, Problem, Sandbox

from ..domain import sandbox
from ..values.clock import moment
from ..values.money import to_decimal
from .backend import ApiBackend, scope_of


class SandboxGroup(Sandbox):
    """The test mode."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def reset_sandbox(self, *, context: Context) -> models.SandboxReset:
        """Reset the sandbox of the partner."""
        scope = scope_of(context)
        if scope.mode != "test":
            raise Problem("test_mode_only", "Only a test-mode key can reset the sandbox.")
        account = await self._backend.write(scope, partial(sandbox.reset, scope))
        return models.SandboxReset(
            reset_at=moment(account.updated_at), balance_usd=to_decimal(account.balance)
        )
