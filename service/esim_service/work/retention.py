"""The removal of old events, with their delivery attempts."""

from __future__ import annotations

import asyncio
from functools import partial

from ..domain import events
from ..store.changes.database import Database
from ..store.tables import attempts
from ..store.tables import events as store
from ..values.clock import DAY
from ..values.ids import Prefix, first

RETENTION = 30 * DAY
BATCH = 500
# The pause between two batches lets others write.
_PAUSE = 0.05
_NAME = "retention"


async def purge(database: Database, now: int) -> int:
    """Remove all events that are too old, in batches; return their number.

    Of several processes, one does it at a time and the others do nothing.

    Raises:
        UnavailableError: the database cannot do this now; the rest is left for the next run.
    """
    removed = 0
    async with database.hold(_NAME) as writer:
        if writer is None:
            return 0
        while old_events := await database.read(partial(store.old, now - RETENTION, BATCH)):
            for old in old_events:
                removed += await writer.write(partial(events.forget, old, now - RETENTION))
            await asyncio.sleep(_PAUSE)
        oldest = first(Prefix.DELIVERY, now - RETENTION)
        while await writer.write(partial(attempts.remove_old, oldest, BATCH)) == BATCH:
            await asyncio.sleep(_PAUSE)
    return removed
