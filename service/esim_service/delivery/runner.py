"""The loop that sends due deliveries from the outbox to their endpoints."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ..store.changes.database import OperatorError, UnavailableError
from ..values.clock import SECOND, Clock
from ..work.loop import GRACE_SECONDS, ClaimInProgress, WorkLoop
from .sender import AttemptOutcome, Failed, FailureReason, WebhookMessage

IN_FLIGHT = 100
PER_ENDPOINT = 4
LEASE = 30 * SECOND
# An attempt that has waited this long only holds a socket: it makes room for another one, so that
# endpoints that hang cannot take all places. At most `OPEN` attempts are open in total.
SLOW_SECONDS = 0.5
OPEN = 1000

_log = logging.getLogger(__name__)

Send: TypeAlias = Callable[[WebhookMessage], Awaitable[AttemptOutcome]]


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery that this worker may attempt until its lease ends.

    Attributes:
        attempts: the number of earlier attempts.
        created_at: the time when it was queued.
    """

    delivery_id: str
    endpoint_id: str
    attempts: int
    created_at: int
    lease_until: int
    message: WebhookMessage


class Outbox(Protocol):
    """The deliveries in the database."""

    async def claim(
        self, now: int, lease_until: int, limit: int, per_endpoint: int, busy: Mapping[str, int]
    ) -> Sequence[DueDelivery]:
        """Claim due deliveries that no other worker has claimed.

        Returns at most `limit`, and for each endpoint at most `per_endpoint` minus those that are
        `busy`. Endpoints that would then have the fewest in flight come first, among these the
        oldest deliveries: an endpoint with many due deliveries does not hold up another one.
        """
        ...

    async def record(
        self, claim: DueDelivery, outcome: AttemptOutcome, at: int, milliseconds: int
    ) -> None:
        """Record an attempt of the given duration, by the rules of `schedule`.

        After another worker has claimed the delivery, only an acknowledgement still counts.
        """
        ...

    async def release(self, claims: Sequence[DueDelivery]) -> None:
        """Release claims at once; their attempts do not count."""
        ...


class DeliveryRunner(WorkLoop[DueDelivery]):
    """Keeps as many attempts in flight as there is room for."""

    things = "deliveries"

    def __init__(
        self,
        outbox: Outbox,
        send: Send,
        clock: Clock,
        grace_seconds: float = GRACE_SECONDS,
        gather_seconds: float = 0.0,
    ) -> None:
        super().__init__(clock, grace_seconds, gather_seconds)
        self._outbox = outbox
        self._send = send

    async def claim(
        self, in_progress: Collection[ClaimInProgress[DueDelivery]]
    ) -> Sequence[DueDelivery]:
        """Claim due deliveries, fairly among endpoints."""
        room = self._room(in_progress)
        if room <= 0:
            return ()
        now = self._clock.now()
        busy = Counter(attempt.claim.endpoint_id for attempt in in_progress)
        return await self._outbox.claim(now, now + LEASE, room, PER_ENDPOINT, busy)

    async def work(self, claim: DueDelivery) -> None:
        """Make one attempt and record its outcome."""
        started = self._clock.monotonic()
        try:
            outcome = await self._send(claim.message)
        except OperatorError as error:
            # Nothing was sent. The lease expires, and a worker with the right keys may be faster.
            _log.error("delivery %s cannot be attempted: %s", claim.delivery_id, error)
            return
        except Exception:
            # A bug must not end the worker, and must not be repeated forever.
            _log.exception("delivery %s could not be attempted", claim.delivery_id)
            outcome = Failed(FailureReason.INTERNAL)
        try:
            took = round((self._clock.monotonic() - started) * SECOND)
            await self._outbox.record(claim, outcome, self._clock.now(), took)
        except UnavailableError as error:
            # The lease expires, and the delivery is repeated.
            _log.warning("delivery %s cannot be recorded: %s", claim.delivery_id, error)

    async def release(self, claims: Sequence[DueDelivery]) -> None:
        """Release these attempts for other workers."""
        await self._outbox.release(claims)

    def _room(self, in_progress: Collection[ClaimInProgress[DueDelivery]]) -> int:
        waiting_since = self._clock.monotonic() - SLOW_SECONDS
        fast = sum(attempt.since > waiting_since for attempt in in_progress)
        return min(IN_FLIGHT - fast, OPEN - len(in_progress))
