"""The deliveries in the database, and the effects of attempts on them and their endpoints."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..store.changes.batcher import Batcher
from ..store.changes.database import Database, UnitOutcome
from ..store.statements.unit import Unit
from ..store.tables import attempts, events
from ..store.tables import outbox as store
from ..values.clock import SECOND
from ..values.entities import Scope
from ..work.metrics import WorkMetrics
from . import schedule
from .runner import LEASE, DueDelivery
from .sender import Acknowledged, AttemptOutcome, Failed, WebhookMessage

# Test events reach a disabled endpoint, too.
TEST_EVENT = "webhook.test"
_CLEARED_AT_ONCE = 500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The effects of a failure.

    Attributes:
        scope: of the endpoint; None if it was removed, or the failure does not count.
    """

    scope: Scope | None
    is_exhausted: bool
    was_enabled: bool
    is_disabled: bool


@dataclass(frozen=True, slots=True)
class _Record:
    """An attempt to record, and the unit that records it."""

    claim: DueDelivery
    attempt: attempts.StoredAttempt
    at: int
    make_unit: Callable[[DueDelivery, attempts.StoredAttempt, int], Unit[Any]]


class DatabaseOutbox:
    """Hands out due deliveries and records their attempts."""

    def __init__(
        self,
        database: Database,
        metrics: WorkMetrics,
        retry_scale: float = 1.0,
        spread: Callable[[], float] = random.random,
    ) -> None:
        """Create an outbox; `spread` returns for each failure the share of the jitter to use."""
        self._database = database
        # One batch at a time, however many attempts end together: orders get the rest.
        self._records = Batcher(self._write, _endpoint_of)
        self._metrics = metrics
        self._retry_scale = retry_scale
        self._spread = spread

    async def claim(
        self, now: int, lease_until: int, limit: int, per_endpoint: int, busy: Mapping[str, int]
    ) -> Sequence[DueDelivery]:
        """Claim due deliveries, possibly fewer than there are, as other workers may be faster."""
        # Looking needs no write transaction, and mostly nothing is due.
        due = await self._database.read(partial(store.due, now, per_endpoint))
        chosen = fairly(due, limit, per_endpoint, busy)
        if not chosen:
            return []
        rows = await self._database.write(partial(store.take, chosen, now, lease_until))
        return [_claim(row, lease_until) for row in rows]

    async def record(
        self, claim: DueDelivery, outcome: AttemptOutcome, at: int, milliseconds: int
    ) -> None:
        """Record an attempt."""
        number, result, next_at = claim.attempts + 1, attempts.ACKNOWLEDGED, None
        if isinstance(outcome, Failed):
            result = outcome.reason.value
            next_at = schedule.next_attempt(number, at, self._retry_scale, self._spread())
        attempt = attempts.StoredAttempt(
            number, at - milliseconds, milliseconds, result, outcome.status, next_at
        )
        if isinstance(outcome, Acknowledged):
            await self._records.run(_Record(claim, attempt, at, _acknowledge))
            self._metrics.ended.labels(result).inc()
            self._metrics.delay_seconds.observe(max(0, at - claim.created_at) / SECOND)
        else:
            await self._failed(claim, await self._records.run(_Record(claim, attempt, at, _fail)))
        self._metrics.deliveries.labels(result).inc()
        self._metrics.attempt_seconds.labels(result).observe(milliseconds / SECOND)
        about = {
            "event_id": claim.message.event_id,
            "endpoint_id": claim.endpoint_id,
            "attempt": number,
            "outcome": result,
            "status": outcome.status,
            "milliseconds": milliseconds,
        }
        _log.info("delivery attempt", extra=about)

    async def _write(self, records: Sequence[_Record]) -> Sequence[UnitOutcome[Any]]:
        units = [
            partial(record.make_unit, record.claim, record.attempt, record.at) for record in records
        ]
        return await self._database.write_all(units)

    async def _failed(self, claim: DueDelivery, verdict: _Verdict) -> None:
        if verdict.is_exhausted:
            self._metrics.ended.labels("exhausted").inc()
            _log.warning(
                "delivery of %s to %s is given up", claim.message.event_id, claim.endpoint_id
            )
        if verdict.scope is not None and verdict.is_disabled and verdict.was_enabled:
            self._metrics.disabled.inc()
            about = {
                "endpoint_id": claim.endpoint_id,
                "partner_id": verdict.scope.partner_id,
                "mode": verdict.scope.mode,
            }
            _log.warning("endpoint %s is disabled", claim.endpoint_id, extra=about)
        if verdict.is_disabled:
            await self._clear(claim.endpoint_id)

    async def release(self, claims: Sequence[DueDelivery]) -> None:
        """Release claims."""
        await self._database.write(partial(_release, claims))

    async def _clear(self, endpoint_id: str) -> None:
        # In parts, as a long queue must not hold up the others. If this is cut short, the next
        # failure continues it.
        clear = partial(store.clear, endpoint_id, TEST_EVENT, _CLEARED_AT_ONCE)
        cleared = _CLEARED_AT_ONCE
        while cleared == _CLEARED_AT_ONCE:
            cleared = await self._database.write(clear)
            self._metrics.ended.labels("dropped").inc(cleared)


def fairly(
    due: Sequence[store.Due], limit: int, per_endpoint: int, busy: Mapping[str, int]
) -> Sequence[str]:
    """Choose deliveries to claim: first by the fewest in flight per endpoint, then by age."""
    in_flight = Counter(busy)
    ranked: list[tuple[int, int, str]] = []
    for delivery in due:
        in_flight[delivery.endpoint_id] += 1
        if (rank := in_flight[delivery.endpoint_id]) <= per_endpoint:
            ranked.append((rank, delivery.due_at, delivery.delivery_id))
    return [delivery_id for _, _, delivery_id in sorted(ranked)[:limit]]


def _endpoint_of(record: _Record) -> str:
    return record.claim.endpoint_id


def _claim(row: store.ClaimedDelivery, lease_until: int) -> DueDelivery:
    message = WebhookMessage(row.url, row.secret, row.event_id, row.event_type, row.body)
    return DueDelivery(
        row.delivery_id,
        row.endpoint_id,
        row.attempts,
        row.created_at,
        lease_until,
        message,
    )


# An endpoint is locked before its deliveries, as on removal.


def _acknowledge(claim: DueDelivery, attempt: attempts.StoredAttempt, at: int) -> Unit[None]:
    endpoint = yield from events.lock_endpoint(claim.endpoint_id)
    yield from store.remove(claim.delivery_id)
    if endpoint is not None:
        yield from events.save_endpoint(schedule.acknowledged(endpoint, at))
        yield from attempts.add(claim.delivery_id, claim.message.event_id, endpoint, attempt)


def _fail(claim: DueDelivery, attempt: attempts.StoredAttempt, at: int) -> Unit[_Verdict]:
    before = yield from events.lock_endpoint(claim.endpoint_id)
    is_ours = yield from store.is_held(claim.delivery_id, claim.lease_until)
    if before is None or not is_ours:
        return _Verdict(scope=None, is_exhausted=False, was_enabled=False, is_disabled=False)
    if attempt.next_at is None:
        yield from store.remove(claim.delivery_id)
    else:
        yield from store.postpone(claim.delivery_id, attempt.next_at, attempt.number)
    after = schedule.failed(before, attempt.number, at)
    yield from events.save_endpoint(after)
    yield from attempts.add(claim.delivery_id, claim.message.event_id, before, attempt)
    return _Verdict(
        scope=before.scope,
        is_exhausted=attempt.next_at is None,
        was_enabled=before.status == "enabled",
        is_disabled=after.status == "disabled",
    )


def _release(claims: Sequence[DueDelivery]) -> Unit[None]:
    for claim in claims:
        # The time of the claim, when the delivery was due.
        yield from store.release(claim.delivery_id, claim.lease_until, claim.lease_until - LEASE)
