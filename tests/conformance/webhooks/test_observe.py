"""Runs against the webhooks of implementations that keep their contract."""

from __future__ import annotations

import copy
import json
import secrets
import socket
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.observe import WebhookObservation, setting
from specwright.conformance.checks.webhooks.receiver import Receiver
from specwright.conformance.checks.webhooks.sequence import Pace
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.webhooks import registration, webhooks
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.driver.triggers import cause
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.service.running import serving

from .provider import DOCUMENT, Attempt, Event, Hook, Provider
from .test_faults import RULES

# One minute becomes two seconds.
RETRY_SCALE = 1 / 30


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.at(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("document") / "parcels.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return upgrade(load(path))


def test_all_events_of_the_reference_service_are_observed(
    root: Path, tmp_path: Path, authority: Authority
) -> None:
    document = upgrade(load(root / "spec" / "openapi.json"))
    declared, registered, record = webhooks(document), registration(document), Record()
    assert registered is not None
    assert len(declared) == 9
    variables = {
        "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
        "ESIM_WEBHOOK_CA_FILE": str(authority.file),
        "ESIM_WEBHOOK_RETRY_SCALE": str(RETRY_SCALE),
    }
    with (
        serving(str(tmp_path / "service.db"), tmp_path, **variables) as service,
        TargetServer(
            service.base_url, Credential.of(document), record, {MAIN: service.key()}
        ) as target,
        Receiver(setting(declared, authority=authority)) as receiver,
    ):
        pace = Pace(RETRY_SCALE, patience_seconds=5)
        provoke = partial(cause, Driver(Contract(document), target, "webhooks"))
        WebhookObservation(target, receiver, declared, registered, provoke, pace).run()
        request = target.request("GET", registered.operation.key)
        left = target.send(request, "webhooks", None).response
    assert record.violations == []
    assert record.skips == []
    pointers = {webhook.pointer for webhook in declared}
    for rule in ("event-missing", "event-schema", "event-headers", "signature", "delivery-retry"):
        found = record.checked[rule]
        assert {each.partition("/x-contract-")[0] for each in found} == pointers, rule
    assert left is not None
    assert left.at("/data") == []


def observed(document: Document, provider: Provider, authority: Authority, pace: Pace) -> Record:
    declared, registered, record = webhooks(document), registration(document), Record()
    assert registered is not None
    with (
        TargetServer(provider.url, None, record, {}) as target,
        Receiver(setting(declared, authority=authority)) as receiver,
    ):

        def provoke(operation: str, example: str | None) -> Any:
            if operation != "sendParcel":
                return target.send(target.request("POST", "/nothing"), "webhooks", None)
            body = json.dumps({example: True}).encode()
            return target.send(target.request("POST", "/parcels", body=body), "webhooks", None)

        undone = [("sendParcel", "lost")]
        WebhookObservation(
            target, receiver, declared, registered, provoke, pace, undone=undone
        ).run()
    return record


def test_pauses_that_are_too_long_are_said(parcels: Document, authority: Authority) -> None:
    with Provider(authority.file) as provider:
        record = observed(parcels, provider, authority, Pace(patience_seconds=1))
    assert record.violations == []
    skipped = {(skip.rule, skip.reason) for skip in record.skips}
    assert {rule for rule, _ in skipped} == {
        "delivery-retry",
        "delivery-acknowledged",
        "delivery-redirect",
    }
    assert any("does not wait as long as the declared pauses" in reason for _, reason in skipped)


def test_an_authority_that_is_not_trusted_is_said(
    parcels: Document, authority: Authority, tmp_path: Path
) -> None:
    other = Authority.at(tmp_path)
    with Provider(other.file) as provider:
        record = observed(parcels, provider, authority, Pace())
        assert all(hook.is_gone for hook in provider.hooks.values())
    assert record.violations == []
    assert {skip.reason for skip in record.skips if skip.rule == "event-missing"} == {
        "the implementation does not trust the receiver's authority"
    }
    assert len({skip.pointer for skip in record.skips if skip.rule == "event-missing"}) == 4


def test_a_stranger_at_the_receiver_is_not_taken_for_the_implementation(
    parcels: Document, authority: Authority
) -> None:
    class Visited(Provider):
        """Delivers once; then a stranger hangs up on the receiver, and no hook is added."""

        def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
            if path == "/hooks" and self.hooks:
                return 503, {}
            return super().handle(method, path, body)

        def start(self, hook: Hook, event: Event) -> None:
            self.post(hook, self.attempt(hook, event, 0))
            parts = urlsplit(hook.url)
            with socket.create_connection((parts.hostname or "", parts.port or 0)) as stranger:
                stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
                while stranger.recv(1024):
                    pass

    with Visited(authority.file) as provider:
        record = observed(parcels, provider, authority, Pace())
    reasons = {skip.reason for skip in record.skips if skip.rule == "event-missing"}
    assert reasons == {"addHook was answered with 503"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((400, {}), "addHook was answered with 400"),
        ((201, {"number": 1}), "the response of addHook lacks the secret"),
        ((201, {"key": {"text": "s"}}), "the response of addHook lacks the id or the secret"),
    ],
)
def test_an_endpoint_that_cannot_be_registered_is_said(
    parcels: Document, authority: Authority, answer: tuple[int, Any], reason: str
) -> None:
    class Refusing(Provider):
        def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
            return answer

    with Refusing(authority.file) as provider:
        record = observed(parcels, provider, authority, Pace())
    assert record.violations == []
    assert {skip.reason for skip in record.skips} == {reason}
    assert {skip.rule for skip in record.skips} == RULES


def test_a_call_that_fails_causes_no_violation_but_is_said(
    parcels: Document, authority: Authority
) -> None:
    class Broken(Provider):
        def handle(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
            if path == "/parcels" and body.get("fragile"):
                return 503, {}
            return super().handle(method, path, body)

    with Broken(authority.file) as provider:
        record = observed(parcels, provider, authority, Pace(patience_seconds=1))
    assert record.violations == []
    (skip,) = [each for each in record.skips if each.rule == "event-missing"]
    assert "parcel.broken" in skip.pointer
    assert skip.reason == "the call that triggers it was answered with 503"


def test_the_events_of_other_steps_do_not_prolong_an_observation(
    parcels: Document, authority: Authority
) -> None:
    class Busy(Provider):
        """Has a further parcel to tell of as soon as one is acknowledged."""

        parcels = 300

        def after(self, hook: Hook, attempt: Attempt) -> None:
            if self.parcels and attempt.headers["Parcel-Kind"] == "parcel.sent":
                self.parcels -= 1
                if not self.stopped.wait(1):
                    self.start(hook, Event(secrets.token_hex(8), "parcel.sent"))

    with Busy(authority.file) as provider:
        record = observed(parcels, provider, authority, Pace(patience_seconds=3))
        assert provider.parcels
    assert record.violations == []
    assert {skip.rule for skip in record.skips} == set()


def test_tests_that_come_late_are_waited_for(authority: Authority, tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    for webhook in document["webhooks"].values():
        webhook["post"]["x-contract-trigger"]["within_seconds"] = 10
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(document), "utf-8")

    class Late(Provider):
        """Sends each test but the first ones late, and once."""

        tests = 0

        def deliver(self, hook: Hook, event: Event) -> None:
            if event.kind == "hook.ping":
                self.tests += 1
                if self.tests > 2:
                    self.stopped.wait(6)
                    self.post(hook, self.attempt(hook, event, 0))
                    return
            super().deliver(hook, event)

    with Late(authority.file) as provider:
        record = observed(load(path), provider, authority, Pace(patience_seconds=3))
    assert {violation.rule for violation in record.violations} == {"delivery-retry"}


def without(*keys: str, test: str | None = "pingHook") -> dict[str, Any]:
    """The contract of the provider without these declarations of 'parcel.broken'."""
    document: dict[str, Any] = json.loads(json.dumps(DOCUMENT))
    for key in keys:
        del document["webhooks"]["parcel.broken"]["post"][key]
    hooks = document["paths"]["/hooks"]["post"]["x-contract-webhook-endpoint"]
    hooks["test"] = test
    return document


@pytest.mark.parametrize(
    ("written", "skipped"),
    [
        (without("x-contract-trigger"), {"event-missing": "does not say what causes it"}),
        (without("x-contract-delivery"), {"event-missing": "does not say which header"}),
        (without("x-contract-signature"), {}),
        (without(test=None), {"event-missing": "the call that triggers it was answered with 404"}),
    ],
    ids=["no trigger", "no delivery", "no signature", "no test"],
)
def test_what_is_not_declared_is_not_judged(
    written: dict[str, Any], skipped: dict[str, str], authority: Authority, tmp_path: Path
) -> None:
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(written), "utf-8")
    with Provider(authority.file) as provider:
        record = observed(upgrade(load(path)), provider, authority, Pace(patience_seconds=1))
    assert record.violations == []
    said = {skip.rule: skip.reason for skip in record.skips if skip.rule in ("event-missing",)}
    assert said.keys() == skipped.keys()
    assert all(words in said[rule] for rule, words in skipped.items())


def test_a_document_that_says_nothing_about_endpoints_has_no_registration(
    tmp_path: Path,
) -> None:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps({**DOCUMENT, "paths": {}}), "utf-8")
    assert registration(upgrade(load(path))) is None
