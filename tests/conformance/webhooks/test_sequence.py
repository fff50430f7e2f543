"""Checks of the times and bytes of successive attempts to deliver one event."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt, DeliveryFault
from specwright.conformance.checks.webhooks.judge import Judge
from specwright.conformance.checks.webhooks.sequence import (
    EARLY_SECONDS,
    LATE_SECONDS,
    Pace,
    awaited,
    broken,
)
from specwright.conformance.contract.webhooks import SentWebhook, webhooks
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade

from .provider import DOCUMENT, PAUSES, TIMEOUT

PAUSE, *_ = PAUSES
# A tenth of the pause more or less, and what clocks and networks add.
EARLIEST = PAUSE * 0.9 - EARLY_SECONDS
LATEST = PAUSE * 1.1 + LATE_SECONDS
BEGUN = 1_000.0
EARLY = "the next attempt comes before the declared pause"
LATE = "the next attempt comes after the declared pause"


@pytest.fixture(scope="module")
def webhook(tmp_path_factory: pytest.TempPathFactory) -> SentWebhook:
    path = tmp_path_factory.mktemp("document") / "parcels.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return webhooks(upgrade(load(path)))[0]


def attempt(at: float, fault: DeliveryFault | None = None) -> DeliveryAttempt:
    url = "https://127.0.0.1/hook"
    return DeliveryAttempt(url, "POST", url, (), b"{}", False, False, BEGUN + at, fault, 200)


def said(
    webhook: SentWebhook, *attempts: DeliveryAttempt, now: float = BEGUN
) -> list[tuple[str, str]]:
    assert webhook.delivery is not None
    found = broken(webhook, webhook.delivery, attempts, Pace(), now)
    return [(each.rule, each.message) for each in found]


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (0, EARLY),
        (EARLIEST - 0.01, EARLY),
        (EARLIEST + 0.01, None),
        (PAUSE, None),
        (LATEST - 0.01, None),
        (LATEST + 0.01, LATE),
    ],
)
@pytest.mark.parametrize("fault", [DeliveryFault.ERROR, DeliveryFault.SLOW])
def test_the_next_attempt_comes_after_its_pause(
    webhook: SentWebhook, fault: DeliveryFault, after: float, message: str | None
) -> None:
    # One that was answered too late has failed when its time was over.
    failed = TIMEOUT if fault is DeliveryFault.SLOW else 0
    found = said(webhook, attempt(0, fault), attempt(failed + after))
    assert found == ([("delivery-retry", message)] if message else [])


def test_an_attempt_that_does_not_come_is_missed_when_its_time_is_over(
    webhook: SentWebhook,
) -> None:
    first = attempt(0, DeliveryFault.ERROR)
    assert said(webhook, first, now=BEGUN + LATEST - 0.01) == []
    (missed,) = said(webhook, first, now=BEGUN + LATEST)
    assert missed == ("delivery-retry", f"no attempt follows after {DeliveryFault.ERROR}")
    assert said(webhook, attempt(0), now=BEGUN + LATEST) == []


def test_no_attempt_is_awaited_after_the_last_one_that_is_declared(webhook: SentWebhook) -> None:
    assert webhook.delivery is not None
    failed = [attempt(PAUSE * number, DeliveryFault.ERROR) for number in range(len(PAUSES) + 1)]
    assert awaited(failed[:-1], webhook.delivery, Pace()) is not None
    assert awaited(failed, webhook.delivery, Pace()) is None
    assert awaited(failed[:-1], webhook.delivery, Pace(patience_seconds=PAUSE - 1)) is None


def test_one_that_was_acknowledged_does_not_come_again(webhook: SentWebhook) -> None:
    message = "an acknowledged event is delivered again"
    assert said(webhook, attempt(0), attempt(PAUSE)) == [("delivery-acknowledged", message)]


@pytest.mark.parametrize(("after", "is_checked"), [(PAUSE - 0.01, False), (PAUSE, True)])
def test_an_acknowledged_event_is_watched_until_its_next_attempt_would_have_come(
    webhook: SentWebhook, after: float, is_checked: bool
) -> None:
    assert webhook.delivery is not None
    headers = ((webhook.delivery.event_type_header.raw, webhook.name),)
    record = Record()
    judge = Judge(record, [webhook], Pace())
    judge.together([replace(attempt(0), headers=headers)], BEGUN + after)
    assert ("delivery-acknowledged" in record.checked) == is_checked


def test_bytes_and_timestamps_of_the_next_attempt(webhook: SentWebhook) -> None:
    first, second = attempt(0, DeliveryFault.ERROR), attempt(PAUSE)
    (other,) = said(webhook, first, replace(second, body=b"{ }"))
    assert other == (
        "delivery-retry",
        "the body of the next attempt differs from that of the previous one",
    )
    signed = [
        replace(each, headers=(("Parcel-Mac", "mac=ab;at=1000"),)) for each in (first, second)
    ]
    (copied,) = said(webhook, *signed)
    assert copied[0] == "signature"
    anew = replace(second, headers=(("Parcel-Mac", "mac=ab;at=1002"),))
    assert said(webhook, signed[0], anew) == []
