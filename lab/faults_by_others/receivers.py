"""Faults in the reactions to failing receivers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from pytest import MonkeyPatch

from esim_service.delivery import outbox, schedule, sender
from esim_service.delivery.runner import DueDelivery
from esim_service.delivery.sender import AttemptLimits
from esim_service.store.statements.unit import Unit, row
from esim_service.store.tables import events as event_store
from esim_service.store.tables.attempts import StoredAttempt
from esim_service.values.entities import Scope
from lab.faults.changes import send_acknowledged_again
from lab.faults.seeding import substitute
from lab.faults_by_others.by_hand import (
    Desk,
    Manner,
    Receiver,
    ordered,
    receiving,
    register,
    shown_by,
    tested,
)
from partner_esim import webhooks


def _attempts(desk: Desk, manner: Manner, count: int, seconds: float = 25.0) -> bool:
    with receiving(desk, manner) as receiver:
        tested(desk.api, receiver.url)
        return receiver.has(count, seconds)


def _pauses(receiver: Receiver) -> list[float]:
    moments = [delivery.at for delivery in receiver.deliveries]
    return [after - before for before, after in itertools.pairwise(moments)]


def _signed_anew(desk: Desk) -> bool:
    with receiving(desk, lambda _: 500) as receiver:
        tested(desk.api, receiver.url)
        receiver.has(5)
        signatures = {delivery.headers["service-signature"] for delivery in receiver.deliveries}
    return len(signatures) > 1


@shown_by(_signed_anew)
def one_signature_for_all_attempts(patch: MonkeyPatch) -> None:
    """An attempt that is repeated has the time and the signature of the first one.

    “t and v1 are made anew each time”
    """
    signed: dict[tuple[bytes, str], str] = {}
    sign = webhooks.sign

    def once(body: bytes, secret: str, *, timestamp: int) -> str:
        return signed.setdefault((body, secret), sign(body, secret, timestamp=timestamp))

    patch.setattr(webhooks, "sign", once)


@shown_by(lambda desk: _attempts(desk, lambda _: 302, 2))
def redirect_is_a_success(patch: MonkeyPatch) -> None:
    """A receiver that answers with a redirect has got the event.

    “redirects are failures and not followed”
    """
    patch.setattr(webhooks, "SUCCESS_STATUSES", range(200, 400))


@shown_by(lambda desk: not _attempts(desk, lambda _: 202, 2, 3))
def only_200_is_a_success(patch: MonkeyPatch) -> None:
    """A receiver that answers 202 or 204 gets the event again.

    “Any 2xx response acknowledges a delivery.”
    """
    patch.setattr(webhooks, "SUCCESS_STATUSES", range(200, 201))


def _give_up(patch: MonkeyPatch, is_last: Callable[[int | None], bool]) -> None:
    """Let a failure of some kind be the last attempt."""
    fail = outbox._fail

    def given_up(claim: DueDelivery, attempt: StoredAttempt, at: int) -> Unit[outbox._Verdict]:
        last = replace(attempt, next_at=None) if is_last(attempt.status) else attempt
        return fail(claim, last, at)

    substitute(patch, fail, given_up)


@shown_by(lambda desk: _attempts(desk, lambda _: 410, 2))
def gone_is_gone(patch: MonkeyPatch) -> None:
    """After a response such as 404 or 410, a delivery is not tried again.

    “Otherwise retries occur after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours”
    """
    _give_up(patch, lambda status: status is not None and 400 <= status < 500)


@shown_by(lambda desk: _attempts(desk, lambda _: 0, 2))
def hanging_up_is_the_end(patch: MonkeyPatch) -> None:
    """After a connection that breaks, a delivery is not tried again.

    “Otherwise retries occur after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours”
    """
    _give_up(patch, lambda status: status is None)


@shown_by(lambda desk: _attempts(desk, lambda _: 503, 3))
def one_retry(patch: MonkeyPatch) -> None:
    """A delivery is tried twice and then given up.

    “(six in all)”
    """
    patch.setattr(schedule, "RETRY_AFTER", schedule.RETRY_AFTER[:1])
    patch.setattr(schedule, "ATTEMPTS", 2)


def _pauses_add_up(desk: Desk) -> bool:
    with receiving(desk, lambda _: 500) as receiver:
        tested(desk.api, receiver.url)
        receiver.has(5)
        return _pauses(receiver)[3] >= 3.5


@shown_by(_pauses_add_up)
def pauses_since_the_first_attempt(patch: MonkeyPatch) -> None:
    """Retries are counted from the first attempt on, and so come too early.

    “attempts at 0, then 1 min, 5 min, 30 min, 2 h, 12 h after the previous failure”
    """
    before, pauses = 0, []
    for each in schedule.RETRY_AFTER:
        pauses.append(each - before)
        before = each
    patch.setattr(schedule, "RETRY_AFTER", tuple(pauses))


def _slow_receiver(desk: Desk) -> bool:
    return not _attempts(desk, lambda _: -4, 2, 8)


@shown_by(_slow_receiver)
def two_seconds_of_patience(patch: MonkeyPatch) -> None:
    """An attempt is given up after two seconds.

    “connect 5 s, total 15 s”
    """
    patch.setattr(sender, "AttemptLimits", lambda: AttemptLimits(2.0, 2.0))


def _nothing_after_removal(desk: Desk) -> bool:
    with receiving(desk, lambda _: 500) as receiver:
        endpoint = tested(desk.api, receiver.url)
        receiver.has(4)
        desk.api.delete(f"/webhook-endpoints/{endpoint['id']}")
        count = len(receiver.deliveries)
        return not receiver.has(count + 1, 6)


@shown_by(_nothing_after_removal)
def removed_endpoint_is_tried_again(patch: MonkeyPatch) -> None:
    """A delivery that waits for a retry is still sent after its endpoint was removed.

    “Removes a webhook endpoint. Nothing more is delivered to it.”
    """

    # It is out of sight, and kept for what waits.
    def marked(scope: Scope, endpoint_id: str) -> Unit[bool]:
        record = yield from row(
            "UPDATE webhook_endpoints SET mode = 'gone'"
            " WHERE endpoint_id = $1 AND partner_id = $2 AND mode = $3 RETURNING endpoint_id",
            *(endpoint_id, scope.partner_id, scope.mode),
        )
        return record is not None

    substitute(patch, event_store.remove_endpoint, marked)


def _acknowledged_once(desk: Desk) -> bool:
    with receiving(desk) as receiver:
        register(desk.api, receiver.url)
        ordered(desk.api)
        return receiver.has(1) and not receiver.has(2, 4)


@shown_by(_acknowledged_once)
def acknowledged_and_sent_again(patch: MonkeyPatch) -> None:
    """A delivery that was acknowledged at the first attempt is sent once more.

    “Any 2xx response acknowledges a delivery.” “Otherwise retries occur after 1 minute”
    """
    send_acknowledged_again(patch)
