"""`specwright test --document URL`: the permitted addresses and the accepted responses."""

from __future__ import annotations

import json

import pytest

from specwright.files import LARGEST
from tests.conformance.test_command import Exchange, playing
from tests.conftest import Run

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "paths": {"/things": {"get": {"responses": {"200": {"description": "All."}}}}},
}
CONTENT = {
    "/openapi.json": json.dumps(DOCUMENT).encode(),
    "/broken.json": json.dumps({**DOCUMENT, "paths": []}).encode(),
    "/page": b"<!doctype html><title>Sign in</title>",
    "/text": b"\x1b[31mnothing here",
    "/things": b"[]",
    "/large.json": b" " * (LARGEST + 1),
}


def respond(exchange: Exchange) -> None:
    if exchange.path == "/elsewhere":
        exchange.answer(302, Location="http://198.51.100.7/openapi.json")
    elif exchange.path in CONTENT:
        exchange.answer(200, CONTENT[exchange.path])
    else:
        exchange.answer(404)


def test_a_document_is_taken_from_its_address(specwright: Run) -> None:
    with playing(respond) as port:
        url = f"http://127.0.0.1:{port}"
        done = specwright("test", url, "--document", f"{url}/openapi.json", "--format", "json")
    assert json.loads(done.stdout)["document"] == f"{url}/openapi.json"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nowhere", "HTTP Error 404"),
        ("/page", "the response begins with '<!doctype html><title>Sign in</title>'"),
        ("/text", r"the response begins with '\x1b[31mnothing here'"),
        ("/large.json", "is too large"),
        ("/elsewhere", "it redirects to another machine"),
        ("/broken.json", "a document with errors cannot be used"),
    ],
)
def test_what_cannot_be_used_is_said(path: str, said: str, specwright: Run) -> None:
    with playing(respond) as port:
        url = f"http://127.0.0.1:{port}"
        done = specwright("test", url, "--document", url + path)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("address", ["http://198.51.100.7/a.json", "http://u:p@127.0.0.1/a.json"])
def test_a_machine_that_was_not_allowed_is_not_asked(address: str, specwright: Run) -> None:
    done = specwright("test", "http://127.0.0.1:1", "--document", address)
    assert done.returncode == 2
    assert "is another machine" in done.stderr or "user information" in done.stderr
