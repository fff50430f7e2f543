"""The limit of calls that wait for the carrier: so many at a time, a few of them of one partner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from ..store.changes.database import LONG_HOLDS, UnavailableError

# Several partners have to be slow at once before another one waits for them.
PER_PARTNER = 5
WAIT_SECONDS = 10.0


class CarrierLimit:
    """Limit concurrent calls of the carrier: first come, first served, with a timeout."""

    def __init__(
        self,
        most: int = LONG_HOLDS,
        per_partner: int = PER_PARTNER,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        self._all = asyncio.Semaphore(most)
        self._per_partner = per_partner
        self._wait_seconds = wait_seconds
        self._of_partner: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, partner_id: str) -> AsyncIterator[None]:
        """Wait for a slot, and occupy it for the time of the context.

        Raises:
            UnavailableError: it did not come in time.
        """
        own = self._of_partner.setdefault(partner_id, asyncio.Semaphore(self._per_partner))
        async with AsyncExitStack() as taken:
            try:
                async with asyncio.timeout(self._wait_seconds):
                    await taken.enter_async_context(own)
                    await taken.enter_async_context(self._all)
            except TimeoutError:
                raise UnavailableError("the carrier has no slot free") from None
            yield
