"""The loop that takes due jobs from the database and has them done."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, get_args

from ..activity import Activity
from ..carrier import UnreachableError
from ..clock import SECOND, Clock
from ..domain.entities import Job, JobKind
from ..store import jobs as store
from ..store.database import Database, UnavailableError
from ..store.unit import Unit
from .work import retry_after

# Each kind has places of its own: orders that the carrier lets hang do not stop the observations.
PER_KIND = 32
LEASE = 25 * SECOND
POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0

_log = logging.getLogger(__name__)

Do: TypeAlias = Callable[[Job], Awaitable[None]]


class JobRunner:
    """Keeps as many jobs going as there is room for."""

    def __init__(
        self,
        database: Database,
        do: Do,
        clock: Clock,
        activity: Activity,
        grace_seconds: float = GRACE_SECONDS,
        gather_seconds: float = 0.0,
    ) -> None:
        """Make a runner.

        Args:
            grace_seconds: how long a stop waits for what is going on.
            gather_seconds: how long a call to `wake` waits for others, so that one claim does.
        """
        self._database = database
        self._do = do
        self._clock = clock
        self._activity = activity
        self._grace_seconds = grace_seconds
        self._gather_seconds = gather_seconds
        self._running: dict[asyncio.Task[None], Job] = {}
        self._interrupted: list[Job] = []
        self._is_cut_off = False
        self._stirred = asyncio.Event()
        self._stopped = False

    def wake(self) -> None:
        """Say that something may be due; without it, the runner looks at regular intervals."""
        self._stirred.set()

    def stop(self) -> None:
        """Let `run` end: no more jobs are claimed, a short time for what is going on."""
        self._stopped = True
        self._stirred.set()

    async def run(self) -> None:
        """Do jobs until `stop` is called; a cancellation gives them back, too."""
        try:
            while not self._stopped:
                self._stirred.clear()
                await self.fill()
                await self._pause()
            await self.settle(self._grace_seconds)
        finally:
            await self._give_back()

    async def settle(self, seconds: float) -> None:
        """Wait for what is going on, for so long at most."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)

    async def fill(self) -> int:
        """Claim what there is room for, and begin to do it; return how many jobs that is."""
        try:
            jobs = await self._claim()
        except UnavailableError as error:
            # Once is enough, however often it looks.
            if not self._is_cut_off:
                _log.warning("jobs cannot be claimed: %s", error)
            self._is_cut_off = True
            return 0
        self._is_cut_off = False
        for job in jobs:
            task = asyncio.create_task(self._work(job))
            self._running[task] = job
            task.add_done_callback(self._ended)
        return len(jobs)

    async def _claim(self) -> Sequence[Job]:
        now, room = self._clock.now(), self._room()
        await self._resume()
        # Looking needs no transaction that writes, and mostly there is nothing.
        due = await self._database.read(partial(store.due, now, room))
        if not due:
            return ()
        return await self._database.write(partial(store.take, due, now, now + LEASE))

    async def _resume(self) -> None:
        """Make due again what the database could not do, sooner than its lease ends."""
        if jobs := tuple(self._interrupted):
            await self._database.write(partial(_release, jobs, self._clock.now()))
            self._interrupted = self._interrupted[len(jobs) :]

    def _room(self) -> Mapping[JobKind, int]:
        running = Counter(job.kind for job in self._running.values())
        kinds: Sequence[JobKind] = get_args(JobKind)
        return {kind: room for kind in kinds if (room := PER_KIND - running[kind]) > 0}

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._stirred.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self._gather_seconds)

    async def _work(self, job: Job) -> None:
        try:
            outcome = await self._attempt(job)
        except UnavailableError as error:
            _log.warning("%s of %s is interrupted: %s", job.kind, job.subject_id, error)
            self._interrupted.append(job)
            outcome = "interrupted"
        self._activity.jobs.labels(job.kind, outcome).inc()

    async def _attempt(self, job: Job) -> str:
        try:
            await self._do(job)
        except UnavailableError:
            raise
        except UnreachableError as error:
            _log.warning("%s of %s has to wait: %s", job.kind, job.subject_id, error)
            outcome = "unanswered"
        except Exception:
            # A mistake of ours must not end the runner, and must not be repeated in a hurry.
            _log.exception("%s of %s cannot be done", job.kind, job.subject_id)
            outcome = "broken"
        else:
            return "done"
        attempts = job.attempts + 1
        due_at = self._clock.now() + retry_after(attempts)
        await self._database.write(partial(store.postpone, job, due_at, attempts))
        return outcome

    def _ended(self, task: asyncio.Task[None]) -> None:
        job = self._running.pop(task, None)
        self._stirred.set()
        if job is not None and not task.cancelled() and (error := task.exception()):
            _log.error("%s of %s failed", job.kind, job.subject_id, exc_info=error)

    async def _give_back(self) -> None:
        if not self._running:
            return
        running = dict(self._running)
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        jobs = [job for task, job in running.items() if task.cancelled()]
        try:
            await self._database.write(partial(_release, jobs, self._clock.now()))
        except UnavailableError as error:
            _log.warning("%d jobs cannot be given back: %s", len(jobs), error)


def _release(jobs: Sequence[Job], now: int) -> Unit[None]:
    for job in jobs:
        yield from store.postpone(job, now, job.attempts)
