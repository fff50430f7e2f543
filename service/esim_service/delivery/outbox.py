"""The deliveries in the database, and what an attempt makes of them and of their endpoint."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..store import events
from ..store import outbox as store
from ..store.database import Database
from ..store.unit import Unit
from ..work.metrics import WorkMetrics
from . import schedule
from .runner import LEASE, DueDelivery
from .sender import Acknowledged, Message, Outcome

# Tests reach an endpoint that is disabled, too.
TEST_EVENT = "webhook.test"
_CLEARED_AT_ONCE = 500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a failure led to."""

    is_exhausted: bool
    was_enabled: bool
    is_disabled: bool


class DatabaseOutbox:
    """Hands out what is due, and writes down what became of it."""

    def __init__(self, database: Database, metrics: WorkMetrics, retry_scale: float = 1.0) -> None:
        self._database = database
        self._metrics = metrics
        self._retry_scale = retry_scale

    async def claim(
        self, now: int, lease_until: int, limit: int, per_endpoint: int, busy: Mapping[str, int]
    ) -> Sequence[DueDelivery]:
        """Claim due deliveries; other workers may be faster, so it can be fewer than there are."""
        # Looking needs no transaction that writes, and mostly there is nothing.
        due = await self._database.read(partial(store.due, now, per_endpoint))
        chosen = fairly(due, limit, per_endpoint, busy)
        if not chosen:
            return []
        taken = await self._database.write(partial(store.take, chosen, now, lease_until))
        return [_claim(each, lease_until) for each in taken]

    async def record(self, claim: DueDelivery, outcome: Outcome, at: int) -> None:
        """Write down an attempt."""
        if isinstance(outcome, Acknowledged):
            result = "acknowledged"
            await self._database.write(partial(_acknowledge, claim, at))
        else:
            result = outcome.reason.value
            fail = partial(_fail, claim, at, self._retry_scale)
            await self._failed(claim, await self._database.write(fail))
        self._metrics.deliveries.labels(result).inc()
        about = {
            "event_id": claim.message.event_id,
            "endpoint_id": claim.endpoint_id,
            "attempt": claim.attempts + 1,
            "outcome": result,
            "status": outcome.status,
        }
        _log.info("delivery attempt", extra=about)

    async def _failed(self, claim: DueDelivery, verdict: _Verdict) -> None:
        if verdict.is_exhausted:
            self._metrics.exhausted.inc()
            _log.warning(
                "delivery of %s to %s is given up", claim.message.event_id, claim.endpoint_id
            )
        if verdict.is_disabled and verdict.was_enabled:
            self._metrics.disabled.inc()
            _log.warning("endpoint %s is disabled", claim.endpoint_id)
        if verdict.is_disabled:
            await self._clear(claim.endpoint_id)

    async def release(self, claims: Sequence[DueDelivery]) -> None:
        """Give claims back."""
        await self._database.write(partial(_release, claims))

    async def _clear(self, endpoint_id: str) -> None:
        # In parts, because a long queue must not hold up the others. If this is cut short, the next
        # failure goes on with it.
        clear = partial(store.clear, endpoint_id, TEST_EVENT, _CLEARED_AT_ONCE)
        while await self._database.write(clear) == _CLEARED_AT_ONCE:
            pass


def fairly(
    due: Sequence[store.Due], limit: int, per_endpoint: int, busy: Mapping[str, int]
) -> Sequence[str]:
    """Choose what to claim: first for the endpoints with the fewest in flight, then by age."""
    in_flight = Counter(busy)
    ranked: list[tuple[int, int, str]] = []
    for each in due:
        in_flight[each.endpoint_id] += 1
        if (rank := in_flight[each.endpoint_id]) <= per_endpoint:
            ranked.append((rank, each.due_at, each.delivery_id))
    return [delivery_id for _, _, delivery_id in sorted(ranked)[:limit]]


def _claim(taken: store.Taken, lease_until: int) -> DueDelivery:
    message = Message(taken.url, taken.secret, taken.event_id, taken.event_type, taken.body)
    return DueDelivery(taken.delivery_id, taken.endpoint_id, taken.attempts, lease_until, message)


# An endpoint is held before its deliveries, as when it is removed.


def _acknowledge(claim: DueDelivery, at: int) -> Unit[None]:
    endpoint = yield from events.lock_endpoint(claim.endpoint_id)
    yield from store.remove(claim.delivery_id)
    if endpoint is not None:
        yield from events.save_endpoint(schedule.acknowledged(endpoint, at))


def _fail(claim: DueDelivery, at: int, retry_scale: float) -> Unit[_Verdict]:
    before = yield from events.lock_endpoint(claim.endpoint_id)
    is_ours = yield from store.is_held(claim.delivery_id, claim.lease_until)
    if before is None or not is_ours:
        return _Verdict(is_exhausted=False, was_enabled=False, is_disabled=False)
    attempts = claim.attempts + 1
    due_at = schedule.next_attempt(attempts, at, retry_scale)
    if due_at is None:
        yield from store.remove(claim.delivery_id)
    else:
        yield from store.postpone(claim.delivery_id, due_at, attempts)
    after = schedule.failed(before, attempts, at)
    yield from events.save_endpoint(after)
    return _Verdict(
        is_exhausted=due_at is None,
        was_enabled=before.status == "enabled",
        is_disabled=after.status == "disabled",
    )


def _release(claims: Sequence[DueDelivery]) -> Unit[None]:
    for claim in claims:
        # When it was claimed, it was due.
        yield from store.release(claim.delivery_id, claim.lease_until, claim.lease_until - LEASE)
