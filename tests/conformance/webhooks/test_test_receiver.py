"""`specwright test-receiver` tells which deliveries a consumer answers rightly."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from specwright.conformance.checks.webhooks.consumer import Consumer
from specwright.conformance.checks.webhooks.deliveries import RULES
from specwright.conformance.contract.webhooks import webhooks
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.findings import Level
from tests.conftest import COMMAND, ROOT
from tests.serving import Server

from . import consumer_app
from .consumer_app import SECRET, app
from .provider import DOCUMENT


def run(url: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, which may take its secret from HOOK_SECRET."""
    return subprocess.run(
        [COMMAND, "test-receiver", url, "--secret-env", "HOOK_SECRET", *arguments],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", "HOOK_SECRET": SECRET, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def document() -> Document:
    return upgrade(load(ROOT / "spec" / "openapi.json"))


def rules(document: Document, application: Starlette, level: Level) -> set[str]:
    """The rules of the findings of a level."""
    with Server(application) as server:
        found = Consumer(document, f"{server.url}/in", SECRET).findings(webhooks(document))
    return {each.rule for each in found if each.level is level}


def test_a_receiver_made_with_the_generated_package_answers_rightly() -> None:
    with Server(app(consumer_app.parses)) as server:
        done = run(f"{server.url}/in", "--format", "json")
    assert SECRET not in done.stdout + done.stderr
    assert done.returncode == 0, done.stdout
    findings = json.loads(done.stdout)["findings"]
    assert {finding["level"] for finding in findings} == {"info"}
    assert {finding["rule"] for finding in findings} == {rule.id for rule in RULES}
    assert not [finding for finding in findings if "not tried" in finding["message"]]
    genuine = [finding for finding in findings if finding["rule"] == "acknowledges-genuine"]
    assert len({each["pointer"] for each in genuine}) == 9
    assert all(finding["message"].startswith("a delivery of '") for finding in genuine)
    assert "with the example 'half'" in " ".join(finding["message"] for finding in genuine)
    assert len({finding["message"] for finding in genuine}) == len(genuine)


@pytest.mark.parametrize(
    ("application", "expected"),
    [
        (app(consumer_app.takes_unsigned), {"refuses-unsigned"}),
        (
            app(consumer_app.never_looks_at_the_clock),
            {"refuses-old-timestamp", "refuses-future-timestamp"},
        ),
        (app(consumer_app.minds_only_the_past), {"refuses-future-timestamp"}),
        (app(consumer_app.minds_only_the_future), {"refuses-old-timestamp"}),
        (app(consumer_app.ignores_case), {"refuses-upper-case-digest"}),
        (app(consumer_app.takes_any_digest), {"refuses-second-digest"}),
        (app(consumer_app.takes_both_bodies), {"refuses-rewritten-body"}),
        (
            app(consumer_app.takes_the_wrong_digest),
            {"refuses-wrong-digest", "refuses-other-secret", "refuses-rewritten-body"},
        ),
        (
            app(consumer_app.verifies_what_it_has_parsed),
            {
                "acknowledges-genuine",
                "acknowledges-repeated",
                "acknowledges-unknown-type",
                "refuses-rewritten-body",
            },
        ),
        (
            app(consumer_app.trusting),
            {rule.id for rule in RULES if rule.id.startswith("refuses-")},
        ),
        (app(consumer_app.right, remembers=True), {"acknowledges-repeated"}),
        (
            app(consumer_app.right, knows=lambda kind: not kind.endswith(".later")),
            {"acknowledges-unknown-type"},
        ),
    ],
    ids=lambda value: "" if isinstance(value, Starlette) else "+".join(sorted(value)[:2]),
)
def test_each_fault_is_found_by_its_rule(
    document: Document, application: Starlette, expected: set[str]
) -> None:
    assert rules(document, application, Level.ERROR) == expected


def test_a_proxy_of_the_environment_gets_no_delivery(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert rules(document, app(consumer_app.right), Level.ERROR) == set()


def test_a_failure_is_no_refusal(document: Document) -> None:
    found = rules(document, app(consumer_app.right, refusal=500), Level.WARNING)
    assert found == {rule.id for rule in RULES if rule.id.startswith("refuses-")}


def test_the_text_names_the_rule_the_place_and_the_delivery() -> None:
    with Server(app(consumer_app.trusting)) as server:
        done = run(f"{server.url}/in")
    assert done.returncode == 1
    assert "error refuses-unsigned a delivery without a signature was acknowledged" in done.stdout
    assert "spec/openapi.json:" in done.stdout
    assert "Service-Event-Id: evt_" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_one_that_hangs_is_not_waited_for_long(tmp_path: Path) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    for name, item in document["webhooks"].items():
        content = item["post"]["requestBody"]["content"]["application/json"]
        content["example"] = {"event": "e1", "kind": name, "weight": 1}
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(document), "utf-8")
    parcels = upgrade(load(path))
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(InputError, match="the response took too long"),
    ):
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        Consumer(parcels, url, SECRET).findings(webhooks(parcels))


def test_what_cannot_be_tried_is_said(tmp_path: Path) -> None:
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    parcels = upgrade(load(path))
    with pytest.raises(InputError, match="no webhook of the document has an example"):
        Consumer(parcels, "http://127.0.0.1:1/", SECRET).findings(webhooks(parcels))


async def take(request: Request) -> Response:
    return Response(status_code=204)


def test_what_one_webhook_lacks_for_a_trial_is_said(tmp_path: Path) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    written = document["webhooks"]["parcel.sent"]["post"]
    written["requestBody"]["content"]["application/json"]["example"] = {"event": "e1", "weight": 1}
    del written["x-contract-signature"]
    path = tmp_path / "parcels.json"
    path.write_text(json.dumps(document), "utf-8")
    parcels = upgrade(load(path))
    with Server(Starlette(routes=[Route("/in", take, methods=["POST"])])) as server:
        found = Consumer(parcels, f"{server.url}/in", SECRET).findings(webhooks(parcels))
    said = {each.message.partition(": ")[2] for each in found if "not tried" in each.message}
    others = document["webhooks"].keys() - {"parcel.sent"}
    assert said == {
        "'parcel.sent' is not signed, so nothing can be forged",
        *(f"'{name}' has no example, and no value of its schema was found" for name in others),
        *(f"'{name}' does not belong to an extensible union" for name in document["webhooks"]),
    }


@pytest.mark.parametrize(
    ("name", "count"),
    [("oas-webhook-example-3.1.yaml", 1), ("polar.json", 41), ("resend.yaml", 17)],
)
def test_documents_of_others_need_no_examples(corpus: Path, name: str, count: int) -> None:
    path = corpus / "specs" / name
    received: list[object] = []

    async def note(request: Request) -> Response:
        received.append(json.loads(await request.body()))
        return Response(status_code=200)

    with Server(Starlette(routes=[Route("/in", note, methods=["POST"])])) as server:
        command = [COMMAND, "test-receiver", f"{server.url}/in", "--document", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    declared = webhooks(upgrade(load(path)))
    assert len(declared) == count
    # The last one is the first one again.
    assert len(received) == count + 1
    for webhook, event in zip(declared, received, strict=False):
        assert not list(webhook.problems(event)), webhook.name


def test_deliveries_that_are_signed_need_a_secret() -> None:
    command = [COMMAND, "test-receiver", "http://127.0.0.1:1/in"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--secret-env" in done.stderr


@pytest.mark.parametrize(
    ("url", "arguments", "words"),
    [
        ("http://127.0.0.1:1/in", (), "does not respond"),
        ("http://192.0.2.1/in", (), "--allow-host 192.0.2.1"),
        ("http://127.0.0.1.example/in", (), "--allow-host 127.0.0.1.example"),
        ("ftp://127.0.0.1/in", (), "http or https URL"),
        ("http://name:word@127.0.0.1/in", (), "user information"),
        ("http://127.0.0.1:port/in", (), "http or https URL"),
        ("http://127.0.0.1:1/in", ("--secret-env", "NOT_SET_HERE"), "NOT_SET_HERE"),
        ("http://127.0.0.1:1/in", ("--document", "none.json"), "none.json"),
    ],
)
def test_what_cannot_be_done_is_said(url: str, arguments: tuple[str, ...], words: str) -> None:
    done = run(url, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "word" not in done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_an_invalid_document_is_not_sent(tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text('{"openapi": "3.1.1", "paths": 1}')
    done = run("http://127.0.0.1:1/in", "--document", str(document))
    assert done.returncode == 2
    assert "specwright validate" in done.stderr
