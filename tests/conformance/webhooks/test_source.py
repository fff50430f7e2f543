"""The receiver of webhooks in a run, and the reasons for runs without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from specwright.conformance.checks.webhooks.listener import Listener
from specwright.conformance.checks.webhooks.source import ReceiverOptions, Watch
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.webhooks import webhooks
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.conformance.test_command import always, playing

from .provider import DOCUMENT


def loaded(place: Path, document: dict[str, Any]) -> Document:
    path = place / "parcels.json"
    path.write_text(json.dumps(document), "utf-8")
    return upgrade(load(path))


def watched(document: Document, options: ReceiverOptions | None) -> Record:
    """Return the record of a run against a server that refuses everything."""
    with (
        playing(always(503)) as port,
        TargetServer(f"http://127.0.0.1:{port}", None, Record(), {}) as target,
    ):
        Watch(Contract(document), target, options, patience_seconds=0).observe()
    return target.record


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (None, "no receiver was requested"),
        (ReceiverOptions(), "the document does not declare how endpoints are registered"),
    ],
)
def test_why_nothing_is_received_is_said_of_every_webhook(
    tmp_path: Path, options: ReceiverOptions | None, reason: str
) -> None:
    record = watched(loaded(tmp_path, {**DOCUMENT, "paths": {}}), options)
    assert record.exchanges == []
    assert [(skip.rule, skip.reason) for skip in record.skips] == [("event-missing", reason)] * 4


def test_behind_a_tunnel_its_url_is_registered(tmp_path: Path) -> None:
    options = ReceiverOptions(public_url="https://tunnel.example/")
    [asked] = watched(loaded(tmp_path, DOCUMENT), options).exchanges
    address = json.loads(asked.request.body or b"")["target"]["address"]
    assert address.startswith("https://tunnel.example/")


def test_where_no_status_is_declared_a_delivery_is_answered_with_200(tmp_path: Path) -> None:
    hook = {"post": {"responses": {"default": {"description": "Received."}}}}
    declared = webhooks(loaded(tmp_path, {**DOCUMENT, "webhooks": {"parcel.sent": hook}}))
    with Listener(declared, ReceiverOptions(), None, lambda _: None) as listener:
        listener.verify_with(None)
        answer = httpx2.post(listener.url, content=b"{}", trust_env=False)
    assert answer.status_code == 200
