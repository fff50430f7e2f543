"""The loop that claims due jobs from the database and runs them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias, get_args

from ..carrier.port import UnreachableError
from ..store.changes.database import Database, UnavailableError
from ..store.statements.unit import Unit
from ..store.tables import jobs as store
from ..values.clock import SECOND, Clock
from ..values.entities import Job, JobKind
from .jobs import retry_after
from .loop import GRACE_SECONDS, ClaimInProgress, WorkLoop
from .metrics import WorkMetrics

# Many share a commit, so that orders are completed as fast as they are placed.
PER_KIND = 128
# How long an order waits if its process has died; longer work renews its lease.
LEASE = 8 * SECOND
_RENEWED_FROM = LEASE // 2
_KINDS: Sequence[JobKind] = get_args(JobKind)

_log = logging.getLogger(__name__)

Do: TypeAlias = Callable[[Job], Awaitable[None]]


class JobRunner(WorkLoop[Job]):
    """Keeps as many jobs in progress as there is room for."""

    things = "jobs"

    def __init__(
        self,
        database: Database,
        do: Do,
        clock: Clock,
        metrics: WorkMetrics,
        per_kind: int = PER_KIND,
        grace_seconds: float = GRACE_SECONDS,
        gather_seconds: float = 0.0,
    ) -> None:
        """Create a runner.

        Args:
            per_kind: the maximum of concurrent jobs of a kind. Each kind has its own places, so
                that orders that hang at the carrier do not stop the observations.
        """
        super().__init__(clock, grace_seconds, gather_seconds)
        self._per_kind = per_kind
        self._database = database
        self._do = do
        self._metrics = metrics
        self._interrupted: list[Job] = []
        self._renewed: dict[str, Job] = {}

    def has_room(self, kind: JobKind) -> bool:
        """Return whether another job of a kind can be started."""
        # With so few in progress, there is room for any kind.
        return len(self.in_progress) < self._per_kind or kind in self._room(self.in_progress)

    async def claim(self, in_progress: Collection[ClaimInProgress[Job]]) -> Sequence[Job]:
        """Claim due jobs, of each kind as many as it has free places."""
        now, room = self._clock.now(), self._room(in_progress)
        await self._resume()
        await self._renew([job.claim for job in in_progress], now)
        if not room:
            return ()
        return await self._database.run(partial(store.take, now, room, now + LEASE))

    def may_be_more(self, claims: Sequence[Job]) -> bool:
        """Return whether any were claimed, or some kind has no room."""
        return bool(claims) or len(self._room(self.in_progress)) < len(_KINDS)

    async def work(self, claim: Job) -> None:
        """Do a job once, and ensure that it is repeated if it could not be done."""
        try:
            outcome = await self._attempt(claim)
        except UnavailableError as error:
            _log.warning("%s of %s is interrupted: %s", claim.kind, claim.subject_id, error)
            self._interrupted.append(self._renewed.get(claim.job_id, claim))
            outcome = "interrupted"
        self._renewed.pop(claim.job_id, None)
        self._metrics.jobs.labels(claim.kind, outcome).inc()

    async def release(self, claims: Sequence[Job]) -> None:
        """Make jobs due again at once."""
        held = [self._renewed.get(claim.job_id, claim) for claim in claims]
        await self._database.write(partial(_release, held, self._clock.now()))

    async def _resume(self) -> None:
        """Make interrupted jobs due again, sooner than their leases end."""
        if jobs := tuple(self._interrupted):
            await self.release(jobs)
            self._interrupted = self._interrupted[len(jobs) :]

    async def _renew(self, in_progress: Sequence[Job], now: int) -> None:
        """Renew the leases of jobs in progress before they end."""
        held = (self._renewed.get(claimed.job_id, claimed) for claimed in in_progress)
        late = [claimed for claimed in held if claimed.due_at - now <= _RENEWED_FROM]
        if not late:
            return
        await self._database.write(partial(_release, late, now + LEASE))
        still = {claimed.claim.job_id for claimed in self.in_progress}
        for job in late:
            if job.job_id in still:
                self._renewed[job.job_id] = replace(job, due_at=now + LEASE)

    async def _attempt(self, job: Job) -> str:
        try:
            await self._do(job)
        except UnavailableError:
            raise
        except UnreachableError as error:
            _log.warning("%s of %s has to wait: %s", job.kind, job.subject_id, error)
            outcome = "unanswered"
        except Exception as error:
            # A bug must not end the runner, and must not cause hasty retries.
            # Its traceback is logged once.
            about = None if job.attempts else error
            _log.error(
                "%s of %s cannot be done: %s", job.kind, job.subject_id, error, exc_info=about
            )
            outcome = "broken"
        else:
            return "done"
        attempts = job.attempts + 1
        due_at = self._clock.now() + retry_after(attempts)
        held = self._renewed.get(job.job_id, job)
        await self._database.write(partial(store.postpone, held, due_at, attempts))
        return outcome

    def _room(self, in_progress: Collection[ClaimInProgress[Job]]) -> Mapping[JobKind, int]:
        running = Counter(job.claim.kind for job in in_progress)
        return {kind: room for kind in _KINDS if (room := self._per_kind - running[kind]) > 0}


def _release(jobs: Sequence[Job], now: int) -> Unit[None]:
    for job in jobs:
        yield from store.release(job, now)
