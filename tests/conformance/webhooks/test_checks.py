"""The checks of one attempt to deliver a webhook, and the timestamps of forged attempts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from specwright.conformance.checks.webhooks.attempt import DeliveryAttempt
from specwright.conformance.checks.webhooks.checks import CHECKS
from specwright.conformance.checks.webhooks.deliveries import FORGERIES, Genuine
from specwright.conformance.contract.webhooks import SentWebhook, webhooks
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.runtime.shared.signature import SignatureScheme, StaleSignatureError

from .provider import DOCUMENT

SECRET = "secret-of-the-endpoint"
EVENT = {"event": "e1", "kind": "parcel.sent", "weight": 5}
BODY = json.dumps(EVENT).encode()
# Of the declaration.
TOLERANCE = 300
NOW = 1_000_000.0


@pytest.fixture(scope="module")
def webhook(tmp_path_factory: pytest.TempPathFactory) -> SentWebhook:
    path = Path(tmp_path_factory.mktemp("document")) / "parcels.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    [found] = [each for each in webhooks(upgrade(load(path))) if each.name == "parcel.sent"]
    return found


def scheme(webhook: SentWebhook) -> SignatureScheme:
    assert webhook.scheme is not None
    return webhook.scheme


@pytest.fixture
def attempt(webhook: SentWebhook) -> DeliveryAttempt:
    """An attempt that is right in everything."""
    headers = (
        ("Content-Type", "application/json"),
        ("Parcel-Event", "e1"),
        ("Parcel-Kind", "parcel.sent"),
        ("Parcel-Mac", scheme(webhook).sign(BODY, SECRET, int(NOW))),
    )
    url = "https://127.0.0.1/1"
    return DeliveryAttempt(url, "POST", url, headers, BODY, False, False, NOW, None, 200)


def broken(webhook: SentWebhook, attempt: DeliveryAttempt) -> dict[str, list[str]]:
    """Return the rules that the attempt breaks, with their messages."""
    said = {rule: list(check(webhook, attempt, SECRET)) for rule, check in CHECKS.items()}
    return {rule: each for rule, each in said.items() if each}


def doubled(name: str) -> Callable[[DeliveryAttempt], DeliveryAttempt]:
    return lambda attempt: replace(
        attempt, headers=(*attempt.headers, *((name, each) for each in attempt.values(name)))
    )


def without(name: str) -> Callable[[DeliveryAttempt], DeliveryAttempt]:
    return lambda attempt: replace(
        attempt, headers=tuple(header for header in attempt.headers if header[0] != name)
    )


def test_an_attempt_that_is_right_breaks_nothing(
    webhook: SentWebhook, attempt: DeliveryAttempt
) -> None:
    assert broken(webhook, attempt) == {}
    small = replace(attempt, headers=tuple((name.lower(), each) for name, each in attempt.headers))
    assert broken(webhook, small) == {}


@pytest.mark.parametrize("change", [doubled, without])
@pytest.mark.parametrize(
    ("name", "rule", "said"),
    [
        ("Parcel-Mac", "signature", "the header Parcel-Mac does not occur exactly once"),
        ("Parcel-Event", "event-headers", "the header Parcel-Event does not occur exactly once"),
        ("Parcel-Kind", "event-headers", "the header Parcel-Kind does not occur exactly once"),
        ("Content-Type", "event-headers", "the media type is not application/json"),
    ],
)
def test_every_header_is_there_once(
    change: Callable[[str], Callable[[DeliveryAttempt], DeliveryAttempt]],
    name: str,
    rule: str,
    said: str,
    webhook: SentWebhook,
    attempt: DeliveryAttempt,
) -> None:
    assert broken(webhook, change(name)(attempt)) == {rule: [said]}


@pytest.mark.parametrize(
    ("late", "is_genuine"),
    [(TOLERANCE, True), (TOLERANCE + 1, False), (-TOLERANCE, True), (-TOLERANCE - 1, False)],
)
def test_a_signature_is_as_old_or_as_new_as_the_tolerance_allows(
    late: int, is_genuine: bool, webhook: SentWebhook, attempt: DeliveryAttempt
) -> None:
    found = broken(webhook, replace(attempt, received_at=NOW + late))
    assert (found == {}) == is_genuine


@pytest.mark.parametrize("name", ["refuses-old-timestamp", "refuses-future-timestamp"])
@pytest.mark.parametrize("fraction", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("way", [0.0, 0.9])
def test_a_forged_timestamp_is_beyond_the_tolerance_when_it_arrives(
    name: str, fraction: float, way: float, webhook: SentWebhook
) -> None:
    genuine = Genuine(webhook, EVENT, SECRET, NOW + fraction)
    [forgery] = [each for each in FORGERIES if each.rule.id == name]
    message = forgery.make(genuine, scheme(webhook))
    [mac] = [value for header, value in message.headers if header == "Parcel-Mac"]
    with pytest.raises(StaleSignatureError):
        scheme(webhook).verify(
            message.body, mac, SECRET, tolerance=TOLERANCE, now=genuine.now + way
        )
