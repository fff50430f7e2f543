"""The work of the service that is not triggered by requests."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import get_args

from ..carrier.port import Provisioner, Reporter
from ..delivery.outbox import DatabaseOutbox
from ..delivery.runner import DeliveryRunner, Send
from ..store.changes.database import Database, UnavailableError
from ..store.tables import dates, jobs, outbox, purchases
from ..values.clock import DAY, SECOND, Clock
from ..values.entities import Job, JobKind
from ..values.ids import Ids
from ..work.jobs import CarrierJobs
from ..work.metrics import WorkMetrics
from ..work.removal import remove_ended
from ..work.retention import purge
from ..work.runner import LEASE, JobRunner

PURGE_SECONDS = 3600.0
MEASURE_SECONDS = 10.0
REMOVE_SECONDS = 1.0
_PAUSE_SECONDS = 1.0
# Under load, one claim then takes many jobs.
_GATHER_SECONDS = 0.002

_log = logging.getLogger(__name__)


class Background:
    """Delivers events, processes jobs and removes old data, on one database.

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
        metrics: WorkMetrics,
        retry_scale: float = 1.0,
        spread: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._clock = clock
        self._metrics = metrics
        self._work = CarrierJobs(database, clock, ids, provisioner, reporter)
        self._jobs = JobRunner(
            database,
            self._do,
            clock,
            metrics,
            gather_seconds=_GATHER_SECONDS,
        )
        deliveries = DatabaseOutbox(database, metrics, retry_scale, spread)
        self._deliveries = DeliveryRunner(deliveries, send, clock, gather_seconds=_GATHER_SECONDS)
        self._has_warned = False
        self._stopped = False

    async def run(self) -> None:
        """Work until `stop` is called; a cancellation releases claims, too."""
        await self._take_over()
        async with asyncio.TaskGroup() as group:
            chores = [
                group.create_task(self._repeat(self._purge, PURGE_SECONDS)),
                group.create_task(self._repeat(self._measure, MEASURE_SECONDS)),
                group.create_task(self._repeat(self._remove, REMOVE_SECONDS)),
            ]
            try:
                async with asyncio.TaskGroup() as loops:
                    loops.create_task(self._keep(self._jobs.run))
                    loops.create_task(self._keep(self._deliveries.run))
            finally:
                for chore in chores:
                    chore.cancel()

    def stop(self) -> None:
        """Let `run` end: no new work is started, work in flight gets a short time."""
        self._stopped = True
        self._jobs.stop()
        self._deliveries.stop()

    def lease(self, kind: JobKind) -> int:
        """Return how long this process keeps a new job, which it then starts without a claim."""
        return LEASE if not self._stopped and self._jobs.has_room(kind) else 0

    def begin(self, job: Job) -> None:
        """Start a job that was kept."""
        self._jobs.begin(job)
        self._deliveries.wake()

    def wake(self) -> None:
        """Signal that a commit may have left work to do."""
        self._jobs.wake()
        self._deliveries.wake()

    async def _take_over(self) -> None:
        """Take over claims of an earlier process on this file at once, not when leases end."""
        if self._database.dialect != "sqlite":
            return
        now = self._clock.now()
        try:
            await self._database.write(partial(jobs.take_over, now))
            await self._database.write(partial(outbox.take_over, now))
        except UnavailableError as error:
            _log.warning("the claims of an earlier process were not taken over: %s", error)

    async def _do(self, job: Job) -> None:
        await self._work(job)
        self._deliveries.wake()

    async def _keep(self, run: Callable[[], Awaitable[None]]) -> None:
        """Keep a loop running; a loop that a bug has ended is restarted."""
        while not self._stopped:
            try:
                await run()
            except Exception:
                _log.exception("a background loop has failed")
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _repeat(self, chore: Callable[[], Awaitable[None]], seconds: float) -> None:
        while True:
            try:
                await chore()
            except UnavailableError as error:
                _log.warning("a periodic task has to wait: %s", error)
            except Exception:
                _log.exception("a periodic task has failed")
            await asyncio.sleep(seconds)

    async def _purge(self) -> None:
        self._metrics.purged.inc(await purge(self._database, self._clock.now()))

    async def _remove(self) -> None:
        await remove_ended(self._database)

    async def _measure(self) -> None:
        new, retrying = await self._database.read(outbox.count)
        self._metrics.waiting.labels("new").set(new)
        self._metrics.waiting.labels("retrying").set(retrying)
        now = self._clock.now()
        due = await self._database.read(partial(jobs.count_due, now))
        for kind in get_args(JobKind):
            self._metrics.jobs_due.labels(kind).set(due.get(kind, 0))
        oldest = await self._database.read(purchases.oldest)
        for kind in purchases.KINDS:
            age = max(0, now - oldest.get(kind, now))
            self._metrics.oldest_seconds.labels(kind).set(age / SECOND)
        ahead = await self._database.read(partial(dates.count_ahead, now + DAY))
        self._metrics.dated_ahead.set(ahead)
        if ahead and not self._has_warned:
            message = "%d accounts are dated more than a day ahead: run `correct-dates`"
            _log.warning(message, ahead)
        self._has_warned = ahead > 0
