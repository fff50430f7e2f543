"""Rules for the sequence of attempts to deliver one event to one endpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.conformance.checks.webhooks.checks import DELIVERY_SIGNATURE
from specwright.conformance.contract.webhooks import SentWebhook
from specwright.vocabulary.keywords.delivery import Delivery

DELIVERY_RETRY = BehaviourRule(
    "delivery-retry",
    BehaviourCategory.WEBHOOKS,
    (
        "A delivery that is not acknowledged is retried, with the same id and the same bytes, at "
        "the declared times."
    ),
    example="an endpoint returns 500, and the delivery is not retried",
    advice=(
        "Keep the event until it is acknowledged, and retry at the declared times, with the same "
        "id and bytes."
    ),
)
DELIVERY_ACKNOWLEDGED = BehaviourRule(
    "delivery-acknowledged",
    BehaviourCategory.WEBHOOKS,
    "A delivery that was acknowledged is not sent again.",
    example="an endpoint returns 204, and the same event is sent again",
    advice="Record each acknowledgement before the next attempt is scheduled.",
)

# How much earlier or later than declared an attempt may arrive, due to clocks and networks.
EARLY_SECONDS = 0.25
LATE_SECONDS = 5.0
# Timestamps are whole seconds: two attempts that are further apart have different ones.
_DISTINCT_SECONDS = 1.5


class Broken(NamedTuple):
    """A broken rule, a message, and the last of the attempts that break it."""

    rule: str
    message: str
    last: DeliveryAttempt


@dataclass(frozen=True, slots=True)
class Pace:
    """The time that a run waits for attempts after a failure.

    Attributes:
        retry_scale: the factor by which the implementation multiplies the declared pauses.
        patience_seconds: the maximum time to wait.
    """

    retry_scale: float = 1.0
    patience_seconds: float = 5.0

    def pause(self, declared: Delivery, failures: int) -> float | None:
        """Return the pause after a number of failures; None if the next attempt is not awaited."""
        if not 0 < failures <= len(declared.retry_after_seconds):
            return None
        pause = declared.retry_after_seconds[failures - 1] * self.retry_scale
        return pause if pause <= self.patience_seconds else None


def failed_at(attempt: DeliveryAttempt, declared: Delivery) -> float:
    """Return the time at which an attempt failed from its sender's point of view."""
    slow = declared.timeout_seconds if attempt.fault is DeliveryFault.SLOW else 0
    return attempt.received_at + slow


def awaited(attempts: Sequence[DeliveryAttempt], declared: Delivery, pace: Pace) -> float | None:
    """Return when another attempt is due; None if it is not required or not awaited."""
    last = attempts[-1]
    pause = pace.pause(declared, len(attempts)) if last.fault else None
    return None if pause is None else failed_at(last, declared) + pause * 1.1 + LATE_SECONDS


def broken(
    webhook: SentWebhook,
    declared: Delivery,
    attempts: Sequence[DeliveryAttempt],
    pace: Pace,
    now: float,
) -> Iterator[Broken]:
    """Yield the rules that attempts break, given in order of arrival."""
    for failures, (before, after) in enumerate(pairwise(attempts), 1):
        if before.fault is None:
            message = "an acknowledged event is delivered again"
            yield Broken(DELIVERY_ACKNOWLEDGED, message, after)
            continue
        if after.body != before.body:
            message = "the body of the next attempt differs from that of the previous one"
            yield Broken(DELIVERY_RETRY, message, after)
        pause = pace.pause(declared, failures)
        if pause is not None:
            yield from _untimely(declared, before, after, pause)
        yield from _copied(webhook, before, after)
    until = awaited(attempts, declared, pace)
    if until is not None and until <= now:
        fault = attempts[-1].fault
        yield Broken(DELIVERY_RETRY, f"no attempt follows after {fault}", attempts[-1])


def _untimely(
    declared: Delivery, before: DeliveryAttempt, after: DeliveryAttempt, pause: float
) -> Iterator[Broken]:
    waited = after.received_at - failed_at(before, declared)
    if waited < pause - EARLY_SECONDS - pause * 0.1:
        yield Broken(DELIVERY_RETRY, "the next attempt comes before the declared pause", after)
    elif waited > pause * 1.1 + LATE_SECONDS:
        yield Broken(DELIVERY_RETRY, "the next attempt comes after the declared pause", after)


def _copied(
    webhook: SentWebhook, before: DeliveryAttempt, after: DeliveryAttempt
) -> Iterator[Broken]:
    """Yield a violation if the timestamp is that of the attempt before."""
    if webhook.signature is None or after.received_at - before.received_at < _DISTINCT_SECONDS:
        return
    timestamps = [_timestamp(webhook, attempt) for attempt in (before, after)]
    if timestamps[0] is not None and timestamps[0] == timestamps[1]:
        message = "the timestamp of the previous attempt was reused"
        yield Broken(DELIVERY_SIGNATURE, message, after)


def _timestamp(webhook: SentWebhook, attempt: DeliveryAttempt) -> str | None:
    if webhook.signature is None:
        return None
    form = re.escape(webhook.signature.template.raw)
    form = form.replace(re.escape("{timestamp}"), "([0-9]+)").replace(re.escape("{digest}"), ".*")
    values = attempt.values(webhook.signature.header.raw)
    match = re.fullmatch(form, values[0]) if values else None
    return match[1] if match else None
