"""The limit of calls that wait for a carrier: so many at a time, a few of them of one partner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import get_args
from weakref import WeakValueDictionary

from ..store.changes.database import LONG_HOLDS, UnavailableError
from ..values.entities import Mode, Scope

# Several partners have to be slow at once before another one waits for them.
PER_PARTNER = 5
WAIT_SECONDS = 10.0
# Less than others wait for a slot, so that a carrier that hangs lets them have it.
ANSWER_SECONDS = 5.0
_MODES: tuple[Mode, ...] = get_args(Mode)


class CarrierLimit:
    """Limit concurrent calls of a mode's carrier: first come, first served, with a timeout."""

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
        """Wait for a slot, and occupy it for the time of the context.

        Raises:
            UnavailableError: it did not come in time.
        """
        own = self._of_scope.setdefault(scope, asyncio.Semaphore(self._per_partner))
        async with AsyncExitStack() as taken:
            try:
                async with asyncio.timeout(self._wait_seconds):
                    await taken.enter_async_context(own)
                    await taken.enter_async_context(self._of_mode[scope.mode])
            except TimeoutError:
                raise UnavailableError("the carrier has no slot free") from None
            yield
