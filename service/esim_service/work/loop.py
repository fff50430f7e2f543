"""The loop that claims work in the database, as much at a time as there is room for."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from ..store.changes.database import UnavailableError
from ..values.clock import Clock

C = TypeVar("C")

POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0
# A claim costs the same for few items as for many: claims of few are farther apart.
_FEW = 16
_LONGER = 15

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClaimInProgress(Generic[C]):
    """A claim in progress, and its start on the monotonic clock."""

    claim: C
    since: float


class WorkLoop(ABC, Generic[C]):
    """Claims work, does it, and releases unfinished claims."""

    # The name of the claims, in the plural, for the log.
    things: ClassVar[str]

    def __init__(
        self,
        clock: Clock,
        grace_seconds: float = GRACE_SECONDS,
        gather_seconds: float = 0.0,
    ) -> None:
        """Create a loop.

        Args:
            grace_seconds: how long a stop waits for work in progress.
            gather_seconds: how long a call to `wake` waits for others, so that one claim is enough.
                After a claim of few items, the wait is fifteen times as long.
        """
        self._clock = clock
        self._grace_seconds = grace_seconds
        self._gather_seconds = gather_seconds
        self._tasks: dict[asyncio.Task[None], ClaimInProgress[C]] = {}
        self._woken = asyncio.Event()
        self._may_be_more = True
        self._is_cut_off = False
        self._stopped = False

    @property
    def in_progress(self) -> Collection[ClaimInProgress[C]]:
        """The claims in progress."""
        return self._tasks.values()

    @abstractmethod
    async def claim(self, in_progress: Collection[ClaimInProgress[C]]) -> Sequence[C]:
        """Claim due work, as much as there is room for next to the work in progress.

        Raises:
            UnavailableError: the database cannot do this now.
        """

    @abstractmethod
    async def work(self, claim: C) -> None:
        """Do the claimed work, and handle its failure."""

    @abstractmethod
    async def release(self, claims: Sequence[C]) -> None:
        """Release unfinished claims, so that others can claim them at once.

        Raises:
            UnavailableError: the database cannot do this now.
        """

    def may_be_more(self, claims: Sequence[C]) -> bool:
        """Return whether more work may be due, which a finished claim would make room for."""
        return True

    def begin(self, claim: C) -> None:
        """Start the work of a claim."""
        task = asyncio.create_task(self.work(claim))
        self._tasks[task] = ClaimInProgress(claim, self._clock.monotonic())
        task.add_done_callback(self._ended)

    def wake(self) -> None:
        """Signal that work may be due; without it, the loop polls at regular intervals."""
        self._woken.set()

    def stop(self) -> None:
        """Let `run` end: no more claims, a short time for work in progress."""
        self._stopped = True
        self._woken.set()

    async def run(self) -> None:
        """Work until `stop` is called; a cancellation releases the claims, too."""
        try:
            while not self._stopped:
                self._woken.clear()
                await self._pause(self._clock.monotonic(), await self.fill())
            await self.settle(self._grace_seconds)
        finally:
            await self._abandon()

    async def settle(self, seconds: float) -> None:
        """Wait for work in progress, at most for the given time."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def fill(self) -> int:
        """Claim as much work as there is room for, and start it; return the number of claims."""
        try:
            claims = await self.claim(self.in_progress)
        except UnavailableError as error:
            # One warning is enough, however often the loop polls.
            if not self._is_cut_off:
                _log.warning("%s cannot be claimed: %s", self.things, error)
            self._is_cut_off = True
            return 0
        self._is_cut_off = False
        for claim in claims:
            self.begin(claim)
        self._may_be_more = self.may_be_more(claims)
        return len(claims)

    async def _pause(self, since: float, claimed: int) -> None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            return
        apart = self._gather_seconds * _LONGER if claimed < _FEW else 0.0
        remaining = since + apart - self._clock.monotonic()
        await asyncio.sleep(max(self._gather_seconds, remaining))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if self._may_be_more:
            self._woken.set()
        if not task.cancelled() and (error := task.exception()):
            _log.error("one of the %s has failed", self.things, exc_info=error)

    async def _abandon(self) -> None:
        if not self._tasks:
            return
        tasks = dict(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        claims = [running.claim for task, running in tasks.items() if task.cancelled()]
        try:
            await self.release(claims)
        except UnavailableError as error:
            _log.warning("%d %s cannot be given back: %s", len(claims), self.things, error)
