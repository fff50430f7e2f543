"""Recorded bodies in XML are judged by their schemas, in both directions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.recording.exchange import HttpRequest
from specwright.document.sources.load import load
from tests.command import run

XML = "application/xml"
PET: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "id": {"type": "integer", "xml": {"attribute": True}},
        "name": {"type": "string"},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
    },
    "xml": {"name": "pet"},
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.1",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example/v1"}],
    "paths": {
        "/pets": {
            "post": {
                "operationId": "addPet",
                "requestBody": {"required": True, "content": {XML: {"schema": PET}}},
                "responses": {
                    "200": {"description": "It.", "content": {XML: {"schema": PET}}},
                    "400": {"description": "Refused."},
                },
            }
        }
    },
}
WHOLE = '<pet id="1"><name>a</name><tags>x</tags></pet>'


def findings(directory: Path, sent: str, received: str, status: int = 200) -> list[str]:
    """The rules that are broken by an exchange."""
    headers = [{"name": "Content-Type", "value": XML}]
    request = {
        "method": "POST",
        "url": "https://pets.example/v1/pets",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers,
        "queryString": [],
        "postData": {"mimeType": XML, "text": sent},
        "headersSize": -1,
        "bodySize": len(sent),
    }
    response = {
        "status": status,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers if received else [],
        "content": {"size": len(received), "mimeType": XML, "text": received},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": len(received),
    }
    entry = {
        **{"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "cache": {}},
        "timings": {"send": 0, "wait": 1, "receive": 0},
        "request": request,
        "response": response,
    }
    log = {"version": "1.2", "creator": {"name": "a browser", "version": "1"}, "entries": [entry]}
    (directory / "openapi.json").write_text(json.dumps(DOCUMENT))
    (directory / "traffic.har").write_text(json.dumps({"log": log}))
    place = ("traffic.har", "--base-url", "https://pets.example/v1")
    done = run("check-traffic", *place, "--format", "json", cwd=directory)
    reported = json.loads(done.stdout)["findings"]
    return [f"{finding['rule']}: {finding['message']}" for finding in reported]


def test_bodies_that_fit_have_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, WHOLE, f"<?xml version='1.0'?>\n<!-- it -->\n{WHOLE}") == []


@pytest.mark.parametrize(
    ("received", "words"),
    [
        ("<Pet><name>a</name></Pet>", "the root element is 'Pet', not 'pet'"),
        ('<pet id="many"><name>a</name></pet>', "not of type \"integer\" at '/id'"),
        ("<pet/>", '"name" is a required property'),
        ("<pet><name>a</name><tags/><tags/><tags/></pet>", "has more than 2 items at '/tags'"),
        ("<pet><name>a</pet>", "the body is not plain XML: line 1, column 15: mismatched tag"),
        ("<!DOCTYPE pet><pet><name>a</name></pet>", "a document type declaration is not allowed"),
    ],
)
def test_responses_are_judged(tmp_path: Path, received: str, words: str) -> None:
    (finding,) = findings(tmp_path, WHOLE, received)
    assert finding.startswith("response-schema: ")
    assert words in finding


@pytest.mark.parametrize("sent", ["<pet/>", '<pet id="x"><name>a</name></pet>', "<pet>"])
def test_an_invalid_request_must_be_refused(tmp_path: Path, sent: str) -> None:
    (finding,) = findings(tmp_path, sent, WHOLE)
    assert finding.startswith("invalid-accepted: ")
    assert "XML that breaks its schema" in finding
    assert findings(tmp_path, sent, "", 400) == []


@pytest.mark.parametrize(
    ("sent", "is_valid"),
    [
        (WHOLE, True),
        ("<pet>\n <name>a</name>\n <tags>x</tags>\n</pet>", True),
        # Whether a server takes these for the same value is its own affair.
        ("<Pet><name>a</name></Pet>", False),
        ("<pet><name>a</name><id>1</id></pet>", False),
        ("<pet><tags>x</tags><name>a</name></pet>", False),
        ("<!DOCTYPE pet><pet><name>a</name></pet>", False),
    ],
)
def test_only_the_declared_form_must_be_accepted(tmp_path: Path, sent: str, is_valid: bool) -> None:
    assert findings(tmp_path, sent, WHOLE) == []
    contract = Contract(load(tmp_path / "openapi.json"))
    routes = ContractRoutes(contract, "https://pets.example/v1")
    operation = routes.find("/pets", "POST")
    assert operation is not None
    headers = (("Content-Type", XML),)
    request = HttpRequest("POST", "https://pets.example/v1/pets", headers, sent.encode())
    verdict = RequestJudge(contract.document, routes).judge(operation, request)
    assert (verdict.is_valid, verdict.faults) == (is_valid, [])
