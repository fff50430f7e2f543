"""The work of a job: a request to the carrier, and the recording of its response."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeVar

from ..carrier.port import Provisioner, RefusedError, Reporter, UnreachableError
from ..domain import observation, orders, topups
from ..domain.lifecycle import NextReport, Observation, is_alive
from ..domain.stamp import AccountRule, Stamp, account_change
from ..store.changes.database import Database
from ..store.tables import esims
from ..store.tables import jobs as store
from ..store.tables import orders as order_store
from ..values.clock import MINUTE, SECOND, Clock
from ..values.entities import Esim, Failure, Job, JobKind, Scope
from ..values.ids import Ids

T = TypeVar("T")

_log = logging.getLogger(__name__)

CARRIER_SECONDS = 15.0
LONGEST_PAUSE = 5 * MINUTE


def retry_after(attempts: int) -> int:
    """Return how long a job waits after a number of failed attempts."""
    return min(SECOND << min(attempts - 1, 20), LONGEST_PAUSE)


class CarrierJobs:
    """The work of each kind of job.

    Each kind can be repeated at any time: an order, a top-up or an event that exists already is
    not created twice.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: Ids,
        provisioner: Provisioner,
        reporter: Reporter,
        carrier_seconds: float = CARRIER_SECONDS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._provisioner = provisioner
        self._reporter = reporter
        self._carrier_seconds = carrier_seconds
        self._kinds: Mapping[JobKind, Callable[[Job], Awaitable[None]]] = {
            "provision": self._provision,
            "topup": self._top_up,
            "observe": self._observe,
        }

    async def __call__(self, job: Job) -> None:
        """Do a job.

        Raises:
            UnreachableError: the carrier does not respond now.
            UnavailableError: the database cannot do this now.
        """
        await self._kinds[job.kind](job)

    async def _provision(self, job: Job) -> None:
        find = partial(order_store.find, job.scope, job.subject_id)
        order = job.order or await self._database.read(find)
        if order is None or order.status != "processing":
            await self._drop(job)
            return
        try:
            profiles = await self._in_time(self._provisioner.provision(order))
        except RefusedError as error:
            failure = Failure(error.code, error.message)
            await self._change(
                order.scope, order.order_id, partial(orders.fail, order.order_id, failure)
            )
            return
        next_report = self._reporter.next_report
        complete = partial(orders.complete, order.order_id, profiles, next_report)
        await self._change(order.scope, order.order_id, complete)

    async def _top_up(self, job: Job) -> None:
        topup = await self._database.read(partial(esims.find_topup, job.scope, job.subject_id))
        if topup is None or topup.status != "processing":
            await self._drop(job)
            return
        esim = await self._database.read(partial(esims.find, topup.scope, topup.iccid))
        # It may have ended since the top-up was bought; the carrier is then not asked.
        if esim is None or not is_alive(esim):
            await self._change(topup.scope, topup.esim_id, partial(topups.fail, topup.topup_id))
            return
        try:
            await self._in_time(self._provisioner.top_up(topup))
        except RefusedError:
            await self._change(topup.scope, topup.esim_id, partial(topups.fail, topup.topup_id))
            return
        await self._change(topup.scope, topup.esim_id, partial(topups.complete, topup.topup_id))

    async def _observe(self, job: Job) -> None:
        esim = await self._database.read(partial(esims.known, job.scope, job.subject_id))
        if esim is None:
            await self._drop(job)
            return
        try:
            report = await self._in_time(self._reporter.report(esim, self._clock.now()))
        except UnreachableError:
            # Time passes even without a report.
            follow = partial(observation.follow, job, None, job.attempts + 1, _later(job))
            await self._follow(esim, follow)
            raise
        follow = partial(observation.follow, job, report, 0, self._reporter.next_report)
        await self._follow(esim, follow)
        _log_trouble(esim, report)

    async def _follow(self, esim: Esim, rule: AccountRule[bool]) -> None:
        if await self._change(esim.scope, esim.esim_id, rule):
            # This did not run on its last day, or the carrier has moved the end back.
            _log.warning("%s has expired without esim.expiring", esim.esim_id)

    async def _in_time(self, asked: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._carrier_seconds):
                return await asked
        except TimeoutError:
            raise UnreachableError("the carrier did not respond in time") from None

    async def _change(self, scope: Scope, subject: str, rule: AccountRule[T]) -> T:
        stamp = Stamp(self._clock.now(), self._ids)
        return await self._database.change(account_change(scope, subject, rule, stamp))

    async def _drop(self, job: Job) -> None:
        await self._database.write(partial(store.remove, job.kind, job.subject_id))


def _log_trouble(before: Esim, report: Observation | None) -> None:
    """Log news from the carrier for which the contract has no event."""
    if report is None:
        return
    about = {"esim_id": before.esim_id, "partner_id": before.scope.partner_id}
    if report.profile_status == "error" and before.profile_status != "error":
        _log.warning("the carrier reports an error of a profile", extra=about)
    if report.is_revoked:
        _log.warning("the carrier has revoked an eSIM", extra=about)


def _later(job: Job) -> NextReport:
    return lambda _, now: now + retry_after(job.attempts + 1)
