"""Requests without the right credentials, and the responses that refuse them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.conformance.checks.access.credentials import credentials
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, UNKNOWN_KEY, stranger
from specwright.conformance.driver.signing import Signer
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential, scheme_of
from specwright.document.sources.load import load
from tests.conformance.shop import serving

KEY = "key-of-the-test-00000000"
BEARER = {"type": "http", "scheme": "bearer"}
HEADER = {"type": "apiKey", "in": "header", "name": "X-Key"}
# The status for requests with these headers.
Refusal = Callable[[Request], int]


def tried(path: Path, scheme: dict[str, Any], declared: list[str], answer: Refusal) -> Record:
    """The record of the requests to an operation that declares these statuses."""
    operation = {
        "responses": {each: {"description": "An answer."} for each in declared},
        "security": [{"key": []}],
    }
    document = {
        "openapi": "3.1.1",
        "info": {"title": "Things", "version": "1"},
        "paths": {"/things": {"get": operation}},
        "components": {"securitySchemes": {"key": scheme}},
    }
    path.write_text(json.dumps(document), "utf-8")
    contract = Contract(load(path))

    async def things(request: Request) -> Response:
        return JSONResponse({}, answer(request))

    keys = {MAIN: KEY, UNKNOWN_KEY: stranger(KEY)}
    with (
        serving(Starlette(routes=[Route("/v1/things", things)])) as url,
        TargetServer(url, Credential.of(contract.document), Record(), keys) as target,
    ):
        credentials(Driver(contract, target, "scenarios"))
    return target.record


def unless_right(status: int) -> Refusal:
    """Return a server that refuses all but the right key with a status."""
    right = f"Bearer {KEY}"
    return lambda request: 200 if request.headers.get("authorization") == right else status


def said(record: Record) -> list[str]:
    return [violation.text.removeprefix("GET /things ") for violation in record.violations]


@pytest.mark.parametrize(
    ("declared", "status", "is_refusal"),
    [
        *((["200", "401"], status, status in (401, 429)) for status in (401, 429, 403, 404, 400)),
        # Other interfaces hide that there is anything.
        *((["200"], status, status != 400) for status in (401, 429, 403, 404, 400)),
    ],
)
def test_a_refusal_has_the_status_that_is_declared_else_one_of_three(
    declared: list[str], status: int, is_refusal: bool, tmp_path: Path
) -> None:
    record = tried(tmp_path / "api.json", BEARER, declared, unless_right(status))
    assert said(record) == ([] if is_refusal else [f"without credentials: {status}, not 401"])


def test_a_failure_of_the_server_ignores_no_credentials(tmp_path: Path) -> None:
    # A rule of its own reports it.
    record = tried(tmp_path / "api.json", BEARER, ["200", "401"], unless_right(500))
    assert said(record) == []
    assert "credentials-ignored" in record.checked


def test_a_request_that_fails_with_the_key_as_well_proves_nothing(tmp_path: Path) -> None:
    # As for each path of a wrong base URL.
    record = tried(tmp_path / "api.json", BEARER, ["200", "401"], lambda _: 404)
    assert said(record) == []
    assert [(skip.rule, skip.reason) for skip in record.skips] == [
        ("credentials-ignored", "the operation never succeeded")
    ]


def test_a_key_counts_under_its_scheme_only(tmp_path: Path) -> None:
    def answer(request: Request) -> int:
        return 200 if request.headers.get("authorization", "").endswith(KEY) else 401

    record = tried(tmp_path / "api.json", BEARER, ["200", "401"], answer)
    assert said(record) == ["with the right key under another scheme: 200, not 401"]


@pytest.mark.parametrize(
    ("key", "own", "chosen"),
    [
        # Every document by drf-spectacular has a session cookie first, and then basic.
        ("user:secret", {}, ("password",)),
        ("a-token", {}, ("cookie",)),
        ("user:secret", {"cookie": "a:session"}, ("cookie",)),
        # No cookie can carry a semicolon.
        ("", {"cookie": "a;session", "password": "user:secret"}, ("password",)),
    ],
)
def test_a_key_is_sent_in_the_way_that_suits_it(
    key: str, own: dict[str, str], chosen: tuple[str, ...]
) -> None:
    schemes = {
        "cookie": scheme_of("", {"type": "apiKey", "in": "cookie", "name": "sessionid"}),
        "password": scheme_of("", {"type": "http", "scheme": "basic"}),
    }
    alternatives = tuple({name: ()} for name in schemes)
    credential = Credential("", "", schemes, {"/get": alternatives})
    owned = {(MAIN, name): text for name, text in own.items()}
    assert Signer(credential, {MAIN: key}, owned).chosen("/get", MAIN) == chosen


def test_a_token_with_a_colon_is_sent_where_there_is_no_other_way() -> None:
    scheme = scheme_of("", {"type": "http", "scheme": "bearer"})
    credential = Credential("", "", {"token": scheme}, {"/get": ({"token": ()},)})
    assert Signer(credential, {MAIN: "an:odd:token"}).chosen("/get", MAIN) == ("token",)


def test_a_header_of_its_own_has_no_other_scheme(tmp_path: Path) -> None:
    def answer(request: Request) -> int:
        return 200 if request.headers.get("x-key") == KEY else 401

    record = tried(tmp_path / "api.json", HEADER, ["200", "401"], answer)
    sent = [exchange.request.header("X-Key") for exchange in record.exchanges]
    assert sent == [KEY, None, stranger(KEY), None, None]
    assert said(record) == []
