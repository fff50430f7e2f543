"""The keys of the database, each cached for a moment."""

from __future__ import annotations

from functools import partial

from ..store.changes.database import Database
from ..store.tables import partners
from ..values.clock import SECOND, Clock
from ..values.entities import Principal

# How long a process may still accept a key that was revoked or whose partner was suspended.
REMEMBERED_SECONDS = 2.0
_MOST = 10_000


class StoredKeys:
    """A key ring on the database.

    A valid key is looked up again after `REMEMBERED_SECONDS`: a revocation, a suspension or new
    limits reach every process within that time, without a notification. A key that expires is not
    cached beyond that. An invalid key is looked up each time, so that a new key works at once.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[bytes, tuple[Principal, float]] = {}

    async def find(self, digest: bytes) -> Principal | None:
        """Return the principal of the key with this digest; None if no valid key has it."""
        now = self._clock.monotonic()
        known = self._known.get(digest)
        if known is not None and now < known[1]:
            return known[0]
        self._known.pop(digest, None)
        wall = self._clock.now()
        principal = await self._database.read(partial(partners.principal, digest, wall))
        if principal is not None:
            if len(self._known) >= _MOST:
                self._known.clear()
            # Counted from before the query: its result may be as old as that.
            seconds = REMEMBERED_SECONDS
            if principal.expires_at is not None:
                seconds = min(seconds, (principal.expires_at - wall) / SECOND)
            self._known[digest] = principal, now + seconds
        return principal
