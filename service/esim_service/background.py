"""Everything that the service does without a request."""

from __future__ import annotations

import asyncio

from .activity import Activity
from .carrier import Provisioner, Reporter
from .clock import Clock
from .delivery.worker import Send
from .ids import Ids
from .store.database import Database


class Background:
    """Delivers events, works off jobs and removes what is too old, on one database.

    Any number may run on one PostgreSQL.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: Ids,
        provisioner: Provisioner,
        reporter: Reporter,
        send: Send,
        activity: Activity,
    ) -> None:
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Work until `stop` is called; a cancellation gives claims back, too."""
        await self._stopped.wait()

    def stop(self) -> None:
        """Let `run` end: nothing new is begun, what is in flight gets a short time."""
        self._stopped.set()

    def wake(self) -> None:
        """Say that a commit may have left something to do."""
