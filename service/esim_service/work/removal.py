"""The removal of rows that resets of the sandbox have ended."""

from __future__ import annotations

import asyncio
from functools import partial

from ..store.changes.database import Database
from ..store.tables import epochs

PART = 256
# The pause between two parts lets others write.
_PAUSE = 0.05
_NAME = "removal"


async def remove_ended(database: Database) -> None:
    """Remove the rows of all epochs that have ended, in parts.

    Of several processes, one does it at a time and the others do nothing. If it ends before the
    last part, the next call goes on.

    Raises:
        UnavailableError: the database cannot do this now; the rest is left for the next call.
    """
    # Looking needs no write transaction, and mostly nothing has ended.
    if not await database.read(epochs.ended):
        return
    async with database.hold(_NAME, is_long=True) as writer:
        if writer is None:
            return
        for epoch in await database.read(epochs.ended):
            for table in epochs.TABLES:
                while await writer.write(partial(epochs.remove_some, epoch, table, PART)):
                    await asyncio.sleep(_PAUSE)
            await writer.write(partial(epochs.forget, epoch))
