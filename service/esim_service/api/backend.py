"""The resources that all groups share: the database, the clock, the carrier and cursors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from partner_esim.server import Context, Cursors, Problem

from ..carrier.port import Inquiry, Provisioner, RefusedError, UnreachableError
from ..domain.idempotency import IdempotentRequest, StoredResponse, in_progress, replay
from ..domain.stamp import AccountRule, Stamp, account_change
from ..store.changes.change import AccountChange, run_single
from ..store.changes.database import Database, HeldError, UnavailableError
from ..store.statements.unit import Unit
from ..values.clock import Clock
from ..values.entities import Job, JobKind, Principal, Scope
from ..values.ids import Ids
from ..values.problems import unavailable
from .carrier_limit import ACCEPT_SECONDS, CarrierLimit

T = TypeVar("T")

# Sorts after every id.
NEWEST = "~"
OLDEST = ""


class Work(Protocol):
    """Does the work that requests leave behind."""

    def lease(self, kind: JobKind) -> int:
        """Return for how many milliseconds this process keeps a new job; 0 for not at all."""
        ...

    def begin(self, job: Job) -> None:
        """Start a job that this process has kept."""
        ...

    def wake(self) -> None:
        """Signal that a commit may have left work to do."""
        ...


class RemoteWorkers(Work):
    """Leaves all work to worker processes, which poll for it."""

    def lease(self, kind: JobKind) -> int:
        """Keep no job."""
        return 0

    def begin(self, job: Job) -> None:
        """Do nothing."""

    def wake(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class ApiBackend:
    """Runs units of work for requests.

    Attributes:
        carrier_limit: the limit of concurrent requests to the carrier.
    """

    database: Database
    clock: Clock
    ids: Ids
    carrier: Provisioner
    cursors: Cursors
    work: Work = field(default_factory=RemoteWorkers)
    carrier_limit: CarrierLimit = field(default_factory=CarrierLimit)

    def stamp(self) -> Stamp:
        """Return the stamp of one unit of work."""
        return Stamp(self.clock.now(), self.ids)

    async def read(self, make: Callable[[], Unit[T]]) -> T:
        """Run a unit of queries."""
        try:
            return await self.database.read(make)
        except UnavailableError:
            raise unavailable() from None

    async def write(self, make: Callable[[Stamp], Unit[T]]) -> T:
        """Run a unit that writes."""
        try:
            result = await self.database.write(lambda: make(self.stamp()))
        except UnavailableError:
            raise unavailable() from None
        self.work.wake()
        return result

    async def run_idempotent(
        self,
        purchase: IdempotentRequest,
        inquiry: Inquiry,
        check: Callable[[], Unit[StoredResponse | None]],
        rule: AccountRule[StoredResponse],
    ) -> StoredResponse:
        """Do the work of a reference, unless it is done or in progress."""
        change = account_change(purchase.scope, purchase.name, rule, self.stamp(), gives_way=True)
        try:
            if self.carrier.has_to_be_asked(inquiry):
                response = await self._ask_carrier_first(inquiry, check, change)
            else:
                response = await self.database.change(change)
        except HeldError:
            # The reference may be held by another retry of a request that is already done.
            known = await self.read(partial(replay, purchase))
            if known is None:
                raise in_progress() from None
            return known
        except UnavailableError:
            raise unavailable() from None
        if response.job is not None:
            self.work.begin(response.job)
        else:
            self.work.wake()
        return response

    async def _ask_carrier_first(
        self,
        inquiry: Inquiry,
        check: Callable[[], Unit[StoredResponse | None]],
        change: AccountChange[StoredResponse],
    ) -> StoredResponse:
        slot = self.carrier_limit.take(change.scope)
        async with slot, self.database.hold(change.subject, is_long=True) as writer:
            if writer is None:
                raise HeldError
            known = await writer.write(check)
            if known is not None:
                return known
            await self._ask(inquiry)
            return await writer.write(partial(run_single, change))

    async def _ask(self, inquiry: Inquiry) -> None:
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                await self.carrier.accept(inquiry)
        except RefusedError as error:
            raise Problem("upstream_error", error.message) from None
        except (UnreachableError, TimeoutError):
            raise unavailable() from None


def scope_of(context: Context) -> Scope:
    """Return the scope of the data that a request is about.

    Raises:
        Problem: the partner is suspended.
    """
    principal: Principal = context.principal
    if principal.suspended:
        raise Problem("partner_suspended", "This partner is suspended.")
    return principal.scope


async def page(
    backend: ApiBackend,
    query: Callable[[str, int], Unit[Sequence[T]]],
    key: Callable[[T], str],
    limit: int,
    cursor: str | None,
    start: str,
    *cursor_scope: object,
) -> tuple[Sequence[T], bool, str | None]:
    """Return a page of a list that is ordered by an id, whether there is more, and its cursor."""
    position = start if cursor is None else str(backend.cursors.decode(cursor, *cursor_scope))
    items = await backend.read(partial(query, position, limit + 1))
    if len(items) <= limit:
        return items, False, None
    items = items[:limit]
    return items, True, backend.cursors.encode(key(items[-1]), *cursor_scope)
