"""The loop that takes due deliveries from the outbox to their endpoints."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ..clock import SECOND, Clock
from ..store.database import UnavailableError
from .sender import Failed, Message, Outcome, Reason

IN_FLIGHT = 100
PER_ENDPOINT = 4
LEASE = 30 * SECOND
# An attempt that has waited this long only holds a socket: it makes room for another one, so that
# endpoints that hang cannot take all places. In all, no more than this are open.
SLOW_SECONDS = 0.5
OPEN = 1000
POLL_SECONDS = 0.25
GRACE_SECONDS = 5.0

_log = logging.getLogger(__name__)

Send: TypeAlias = Callable[[Message], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery that this worker may attempt until its lease ends.

    Attributes:
        attempts: how many were made before.
    """

    delivery_id: str
    endpoint_id: str
    attempts: int
    lease_until: int
    message: Message


class Outbox(Protocol):
    """The deliveries in the database."""

    async def claim(
        self, now: int, lease_until: int, limit: int, per_endpoint: int, busy: Mapping[str, int]
    ) -> Sequence[Claim]:
        """Claim due deliveries that nobody else has claimed.

        Returns at most `limit`, of each endpoint at most `per_endpoint` less what is `busy`. First
        those of the endpoints that would then have the fewest in flight, among these the oldest:
        so an endpoint with many due deliveries does not keep another one waiting.
        """
        ...

    async def record(self, claim: Claim, outcome: Outcome, at: int) -> None:
        """Write down an attempt by the rules of `schedule`.

        After another worker has claimed the delivery, only an acknowledgement still counts.
        """
        ...

    async def release(self, claims: Sequence[Claim]) -> None:
        """Give claims back at once; their attempts do not count."""
        ...


@dataclass(frozen=True, slots=True)
class _Attempt:
    claim: Claim
    started: float


class Worker:
    """Keeps as many attempts in flight as there is room for."""

    def __init__(
        self,
        outbox: Outbox,
        send: Send,
        clock: Clock,
        grace_seconds: float = GRACE_SECONDS,
        gather_seconds: float = 0.0,
    ) -> None:
        """Make a worker.

        Args:
            grace_seconds: how long a stop waits for what is in flight.
            gather_seconds: how long a call to `wake` waits for others, so that one claim does.
        """
        self._outbox = outbox
        self._send = send
        self._clock = clock
        self._grace_seconds = grace_seconds
        self._gather_seconds = gather_seconds
        self._attempts: dict[asyncio.Task[None], _Attempt] = {}
        self._stirred = asyncio.Event()
        self._is_cut_off = False
        self._stopped = False

    def wake(self) -> None:
        """Say that something may be due; without it, the worker looks at regular intervals."""
        self._stirred.set()

    def stop(self) -> None:
        """Let `run` end: no more claims, a short time for what is in flight."""
        self._stopped = True
        self._stirred.set()

    async def run(self) -> None:
        """Deliver until `stop` is called; a cancellation gives the claims back, too."""
        try:
            while not self._stopped:
                self._stirred.clear()
                await self.fill()
                await self._pause()
            if self._attempts:
                await asyncio.wait(self._attempts, timeout=self._grace_seconds)
        finally:
            await self._give_back()

    async def fill(self) -> None:
        """Claim what there is room for, and begin to send it."""
        room = self._room()
        if room <= 0:
            return
        now = self._clock.now()
        busy = Counter(attempt.claim.endpoint_id for attempt in self._attempts.values())
        try:
            claims = await self._outbox.claim(now, now + LEASE, room, PER_ENDPOINT, busy)
        except UnavailableError as error:
            # Once is enough, however often it looks.
            if not self._is_cut_off:
                _log.warning("deliveries cannot be claimed: %s", error)
            self._is_cut_off = True
            return
        self._is_cut_off = False
        for claim in claims:
            task = asyncio.create_task(self._deliver(claim))
            self._attempts[task] = _Attempt(claim, self._clock.monotonic())
            task.add_done_callback(self._ended)

    def _room(self) -> int:
        waiting_since = self._clock.monotonic() - SLOW_SECONDS
        fast = sum(attempt.started > waiting_since for attempt in self._attempts.values())
        return min(IN_FLIGHT - fast, OPEN - len(self._attempts))

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._stirred.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self._gather_seconds)

    async def _deliver(self, claim: Claim) -> None:
        try:
            outcome = await self._send(claim.message)
        except Exception:
            # A mistake of ours must not end the worker, and must not be repeated for ever.
            _log.exception("delivery %s could not be attempted", claim.delivery_id)
            outcome = Failed(Reason.INTERNAL)
        try:
            await self._outbox.record(claim, outcome, self._clock.now())
        except UnavailableError as error:
            # The lease ends by itself, and the delivery is made once more.
            _log.warning("delivery %s cannot be recorded: %s", claim.delivery_id, error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        attempt = self._attempts.pop(task, None)
        self._stirred.set()
        if attempt is not None and not task.cancelled() and (error := task.exception()):
            _log.error("delivery %s failed", attempt.claim.delivery_id, exc_info=error)

    async def _give_back(self) -> None:
        if not self._attempts:
            return
        attempts = dict(self._attempts)
        for task in attempts:
            task.cancel()
        await asyncio.wait(attempts)
        claims = [attempt.claim for task, attempt in attempts.items() if task.cancelled()]
        try:
            await self._outbox.release(claims)
        except UnavailableError as error:
            _log.warning("%d claims cannot be given back: %s", len(claims), error)
