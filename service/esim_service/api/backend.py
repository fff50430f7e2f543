"""The resources that all groups share: the database, the clock, the carrier and cursors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar, get_args

from partner_esim.server import Context, Cursors, Problem

from ..carrier.port import Inquiry, Provisioner, RefusedError, UnreachableError
from ..domain.idempotency import IdempotentRequest, StoredResponse, in_progress, replay
from ..domain.stamp import AccountRule, Stamp, account_change
from ..store.changes.change import AccountChange, run_single
from ..store.changes.database import LONG_HOLDS, Database, HeldError, UnavailableError
from ..store.statements.unit import Unit
from ..values.clock import Clock
from ..values.entities import Job, JobKind, Mode, Principal, Scope
from ..values.ids import Ids
from ..values.problems import unavailable
from .slots import Slots

T = TypeVar("T")

# Sorts after every id.
NEWEST = "~"
OLDEST = ""
# The work of a partner in progress, by its cost: a page of a hundred rows, or eleven single
# resources. What the partner sends beyond that waits for itself, and orders not behind reads.
READS_PER_SCOPE = 110
_SLOTS_PER_READ = 10
WRITES_PER_SCOPE = 8
CARRIER_PER_SCOPE = 5
_CARRIER_PER_MODE = LONG_HOLDS // len(get_args(Mode))
# Shorter than the wait for a slot, so that a carrier that hangs frees it in time for others.
ACCEPT_SECONDS = 5.0


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
        reads, writes: the slots for units of work.
        carrier_slots: the slots for requests that wait for the carrier.
        carrier_slots_of_mode: the same for all scopes of a mode together. Only if several of them
            are slow at once does another one wait for them.
    """

    database: Database
    clock: Clock
    ids: Ids
    carrier: Provisioner
    cursors: Cursors
    work: Work = field(default_factory=RemoteWorkers)
    reads: Slots = field(default_factory=partial(Slots, READS_PER_SCOPE))
    writes: Slots = field(default_factory=partial(Slots, WRITES_PER_SCOPE))
    carrier_slots: Slots = field(default_factory=partial(Slots, CARRIER_PER_SCOPE))
    carrier_slots_of_mode: Slots = field(default_factory=partial(Slots, _CARRIER_PER_MODE))

    def stamp(self) -> Stamp:
        """Return the stamp of one unit of work."""
        return Stamp(self.clock.now(), self.ids)

    async def read(self, scope: Scope, make: Callable[[], Unit[T]], rows: int = 0) -> T:
        """Run a unit of queries for a partner, with a number of rows at most."""
        try:
            async with self.reads.take(scope, _SLOTS_PER_READ + rows):
                return await self.database.read(make)
        except UnavailableError:
            raise unavailable() from None

    async def write(self, scope: Scope, make: Callable[[Stamp], Unit[T]]) -> T:
        """Run a unit that writes for a partner."""
        try:
            async with self.writes.take(scope):
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
                async with self.writes.take(purchase.scope):
                    response = await self.database.change(change)
        except HeldError:
            # The reference may be held by another retry of a request that is already done.
            known = await self.read(purchase.scope, partial(replay, purchase))
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
        async with (
            self.carrier_slots.take(change.scope),
            self.carrier_slots_of_mode.take(change.scope.mode),
            self.database.hold(change.subject, is_long=True) as writer,
        ):
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
    scope: Scope,
    query: Callable[[str, int], Unit[Sequence[T]]],
    key: Callable[[T], str],
    limit: int,
    cursor: str | None,
    start: str,
    *cursor_scope: object,
) -> tuple[Sequence[T], bool, str | None]:
    """Return a page of a list that is ordered by an id, whether there is more, and its cursor."""
    position = start if cursor is None else str(backend.cursors.decode(cursor, *cursor_scope))
    items = await backend.read(scope, partial(query, position, limit + 1), limit)
    if len(items) <= limit:
        return items, False, None
    items = items[:limit]
    return items, True, backend.cursors.encode(key(items[-1]), *cursor_scope)


def list_body(bodies: Iterable[bytes], has_more: bool, next_cursor: str | None) -> bytes:
    """Return the body of a list of stored items, which have the form of the contract.

    To parse and write a hundred of them again would make others wait for milliseconds.
    """
    rest = {"has_more": has_more, "next_cursor": next_cursor}
    tail = json.dumps(rest, separators=(",", ":")).encode()
    return b'{"data":[' + b",".join(bodies) + b"]," + tail[1:]
