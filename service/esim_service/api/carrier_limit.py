"""A limit of concurrent calls to a carrier, in total and per partner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import get_args
from weakref import WeakValueDictionary

from ..store.changes.database import LONG_HOLDS, UnavailableError
from ..values.entities import Mode, Scope

# Only if several partners are slow at once does another one wait for them.
PER_PARTNER = 5
WAIT_SECONDS = 10.0
# Shorter than the wait for a slot, so that a carrier that hangs frees it in time for others.
ACCEPT_SECONDS = 5.0
_MODES: tuple[Mode, ...] = get_args(Mode)


class CarrierLimit:
    """Limits concurrent calls of a mode's carrier: first come, first served, with a timeout."""

    def __init__(
        self,
        most: int = LONG_HOLDS // len(_MODES),
        per_partner: int = PER_PARTNER,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        self._of_mode = {mode: asyncio.Semaphore(most) for mode in _MODES}
        self._per_partner = per_partner
        self._wait_seconds = wait_seconds
        self._of_scope: WeakValueDictionary[Scope, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, scope: Scope) -> AsyncIterator[None]:
        """Wait for a slot, and occupy it for the duration of the context.

        Raises:
            UnavailableError: no slot was free in time.
        """
        own = self._of_scope.setdefault(scope, asyncio.Semaphore(self._per_partner))
        async with AsyncExitStack() as slots:
            try:
                async with asyncio.timeout(self._wait_seconds):
                    await slots.enter_async_context(own)
                    await slots.enter_async_context(self._of_mode[scope.mode])
            except TimeoutError:
                raise UnavailableError("the carrier has no slot free") from None
            yield
