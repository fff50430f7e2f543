"""Each rule about webhooks finds the provider that breaks it, and no other rule does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.observe import WebhookObservation, setting
from specwright.conformance.checks.webhooks.receiver import Receiver
from specwright.conformance.checks.webhooks.sequence import Pace
from specwright.conformance.contract.webhooks import registration, webhooks
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade

from .faults import FAULTS, NeverRetries
from .provider import DOCUMENT, Provider

CONCURRENTLY = 8
RULES = {
    "event-missing",
    "event-schema",
    "event-content",
    "event-headers",
    "signature",
    "delivery-retry",
    "delivery-acknowledged",
    "delivery-redirect",
    "event-unsubscribed",
    "delivery-deleted",
}


def observed(document: Document, authority: Authority, kind: type[Provider]) -> Record:
    """Return the record of a run against a provider."""
    declared, registered, record = webhooks(document), registration(document), Record()
    assert registered is not None
    with (
        kind(authority.file) as provider,
        TargetServer(provider.url, None, record, {}) as target,
        Receiver(setting(declared, authority=authority)) as receiver,
    ):

        def provoke(operation: str, example: str | None) -> Exchange:
            if operation == "countBoxes":
                return target.send(target.request("GET", "/boxes"), "webhooks", None)
            assert operation == "sendParcel"
            body = json.dumps({example: True}).encode()
            request = target.request("POST", "/parcels", body=body)
            return target.send(request, "webhooks", None)

        pace = Pace(patience_seconds=3)
        undone = [("sendParcel", "lost")]
        WebhookObservation(
            target, receiver, declared, registered, provoke, pace, undone=undone
        ).run()
        shown = repr(record) + "".join(
            violation.text + exchange.request.curl
            for violation in record.violations
            for exchange in violation.exchanges
        )
        assert provider.hooks
        assert not any(hook.secret in shown for hook in provider.hooks.values())
    return record


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("document") / "parcels.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return upgrade(load(path))


@pytest.fixture(scope="module")
def records(
    document: Document, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[type[Provider], Record]:
    """The records of all providers, which mostly wait: so they run at the same time."""
    authority = Authority.at(Path(tmp_path_factory.mktemp("authority")))
    kinds = [Provider, *FAULTS]
    with ThreadPoolExecutor(CONCURRENTLY) as pool:
        found = pool.map(lambda kind: observed(document, authority, kind), kinds)
        return dict(zip(kinds, found, strict=True))


def test_a_provider_that_follows_its_contract_breaks_nothing(
    records: Mapping[type[Provider], Record],
) -> None:
    record = records[Provider]
    assert record.violations == []
    assert record.skips == []
    assert set(record.checked) == RULES


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_fault_is_found_by_its_rule(
    kind: type[Provider], records: Mapping[type[Provider], Record]
) -> None:
    found = {violation.rule for violation in records[kind].violations}
    if kind is NeverRetries:
        # Of an event whose connection was reset at once, nothing was seen.
        found.discard("event-missing")
    assert found == {FAULTS[kind]}, [
        (violation.rule, violation.text) for violation in records[kind].violations
    ]


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_violation_shows_what_was_sent(
    kind: type[Provider], records: Mapping[type[Provider], Record]
) -> None:
    for violation in records[kind].violations:
        assert violation.exchanges
        assert all(exchange.number for exchange in violation.exchanges)
        assert len(violation.text) < 200


def test_every_rule_has_a_fault() -> None:
    assert set(FAULTS.values()) == RULES
