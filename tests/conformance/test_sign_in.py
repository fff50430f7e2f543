"""Tokens that a run obtains: for a client, for a user, by an operation, and before they expire."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specwright.arguments.target import Access, target_of
from specwright.config import ContractTesting, SignIn, read_config
from specwright.conformance.checks.requests import explore
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import MAIN, OTHER_TENANT, UNKNOWN_KEY
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.outcome.coverage import never_succeeded
from specwright.document.sources.load import load
from specwright.errors import InputError
from tests.conformance.shop import serving

KEYS = {"KEY": "anna:secret-of-anna", "OTHER": "bert:secret-of-bert"}
LOGIN = SignIn(
    operation="logIn",
    body={"name": "{user}", "pass": "{password}"},
    token="$response.body#/session/token",
)
FLOW = {"tokenUrl": "token", "scopes": {}}
OK = {"200": {"description": "It."}}


class House:
    """Gives tokens, of which each is good for so many requests."""

    def __init__(self, good_for: int = 1000, *, refuses_scopes: bool = False) -> None:
        self.good_for, self.left, self.asked = good_for, Counter[str](), Counter[str]()
        self.scopes, self.refuses_scopes = list[str](), refuses_scopes

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/token", self.token, methods=["POST"]),
                Route("/v1/login", self.log_in, methods=["POST"]),
                Route("/v1/things", self.things),
            ]
        )

    def given(self, name: str, password: str) -> str | None:
        if password != f"secret-of-{name}":
            return None
        self.asked[name] += 1
        token = f"token-{self.asked[name]}-of-{name}"
        self.left[token] = self.good_for
        return token

    async def token(self, request: Request) -> Response:
        sent = await request.form()
        self.scopes.append(str(sent.get("scope", "")))
        if self.refuses_scopes and "scope" in sent:
            return JSONResponse({"error": "invalid_scope"}, 400)
        name, _, secret = (
            b64decode(request.headers.get("authorization", "")[6:]).decode().partition(":")
        )
        if sent["grant_type"] == "password":
            name, secret = str(sent["username"]), str(sent["password"])
        token = self.given(name, secret)
        return JSONResponse({"access_token": token}, 200 if token else 400)

    async def log_in(self, request: Request) -> Response:
        sent = await request.json()
        token = self.given(sent["name"], sent["pass"])
        answer = JSONResponse({"session": {"token": token}}, 200 if token else 401)
        answer.set_cookie("session", token or "")
        return answer

    async def things(self, request: Request) -> Response:
        sent = request.headers.get("authorization", "")[7:] or request.cookies.get("session", "")
        self.left[sent] -= 1
        return JSONResponse({}, 200 if self.left[sent] >= 0 else 401)


def contract(path: Path, scheme: dict[str, Any], *scopes: str) -> Contract:
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    document = {
        "openapi": "3.1.1",
        "info": {"title": "House", "version": "1"},
        "paths": {
            "/login": {"post": {"operationId": "logIn", "requestBody": body, "responses": OK}},
            "/things": {"get": {"security": [{"house": [*scopes]}], "responses": OK}},
        },
        "components": {"securitySchemes": {"house": scheme}},
    }
    path.write_text(json.dumps(document), "utf-8")
    return Contract(load(path))


def statuses(target: TargetServer, found: Contract, *roles: str) -> list[int]:
    driver = Driver(found, target, "scenarios")
    (operation,) = (each for each in found.operations.values() if each.method == "GET")
    call = next(driver.candidates(operation))
    answers = [driver.probe(call, role).response for role in roles]
    return [answer.status for answer in answers if answer is not None]


ACCESS = Access({MAIN: ("KEY",), OTHER_TENANT: ("OTHER",)}, (), live=False)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("scheme", "setting"),
    [
        ({"type": "oauth2", "flows": {"clientCredentials": FLOW}}, None),
        ({"type": "oauth2", "flows": {"password": FLOW}}, None),
        ({"type": "http", "scheme": "bearer"}, LOGIN),
        (
            {"type": "apiKey", "in": "cookie", "name": "session"},
            SignIn(operation="POST /login", body=LOGIN.body),
        ),
    ],
    ids=["client", "user", "operation", "cookie"],
)
def test_each_role_signs_in_once(
    tmp_path: Path, scheme: dict[str, Any], setting: SignIn | None
) -> None:
    house, found = House(), contract(tmp_path / "api.json", scheme)
    settings = ContractTesting(sign_in={"house": setting} if setting else {})
    with serving(house.app()) as url, target_of(ACCESS, url, found, settings) as target:
        assert statuses(target, found, MAIN, MAIN, OTHER_TENANT, UNKNOWN_KEY, "") == [
            200,
            200,
            200,
            401,
            401,
        ]
        told = target.signer.secrets
    assert house.asked == {"anna": 1, "bert": 1}
    assert {"secret-of-anna", "secret-of-bert", "token-1-of-anna"} <= told


@pytest.mark.parametrize(("there", "reached"), [("", True), ("https://there.example", False)])
def test_an_operation_that_gave_a_token_has_succeeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, reached: bool
) -> None:
    house, path = House(), tmp_path / "api.json"
    flow = {"tokenUrl": f"{there}/v1/token", "scopes": {}}
    found = contract(path, {"type": "oauth2", "flows": {"password": flow}})
    data = found.document.data
    # Its body is made of a sample, which is no one's password.
    form = {"type": "object", "properties": {"grant_type": {"const": "password"}}}
    body = {"content": {"application/x-www-form-urlencoded": {"schema": form}}}
    data["paths"]["/token"] = {"post": {"requestBody": body, "responses": OK}}
    del data["paths"]["/login"]
    path.write_text(json.dumps(data), "utf-8")
    found = Contract(load(path))
    monkeypatch.setattr(explore, "PATIENCE_SECONDS", 0.5)
    with serving(house.app()) as url, target_of(ACCESS, url, found, ContractTesting()) as target:
        if not reached:
            target.signer.sign_in = {"house": lambda key: house.given(*key.split(":")) or ""}
        driver, started = Driver(found, target, "scenarios"), time.monotonic()
        explore.explore(driver)
        is_waited_for = time.monotonic() - started > explore.PATIENCE_SECONDS
        names = [operation.name for operation in never_succeeded(found, target.record)]
    assert (names, is_waited_for) == ([] if reached else ["POST /token"], not reached)


@pytest.mark.parametrize(
    ("setting", "refuses", "asked"),
    [
        (SignIn(), False, ["read write"]),
        (SignIn(), True, ["read write", ""]),
        (SignIn(scopes=("mine",)), False, ["mine"]),
    ],
)
def test_the_scopes_that_operations_require_are_requested(
    tmp_path: Path, setting: SignIn, refuses: bool, asked: list[str]
) -> None:
    house = House(refuses_scopes=refuses)
    scheme = {"type": "oauth2", "flows": {"password": FLOW}}
    found = contract(tmp_path / "api.json", scheme, "read", "write")
    settings = ContractTesting(sign_in={"house": setting})
    with serving(house.app()) as url, target_of(ACCESS, url, found, settings) as target:
        assert statuses(target, found, MAIN) == [200]
    assert house.scopes == asked


def test_a_token_that_has_expired_is_obtained_again(tmp_path: Path) -> None:
    house = House(good_for=2)
    found = contract(tmp_path / "api.json", {"type": "http", "scheme": "bearer"})
    settings = ContractTesting(sign_in={"house": LOGIN})
    with serving(house.app()) as url, target_of(ACCESS, url, found, settings) as target:
        assert statuses(target, found, *[MAIN] * 5) == [200] * 5
    assert house.asked == {"anna": 3}


def test_a_token_that_never_was_good_is_not_obtained_again(tmp_path: Path) -> None:
    house = House(good_for=0)
    found = contract(tmp_path / "api.json", {"type": "http", "scheme": "bearer"})
    settings = ContractTesting(sign_in={"house": LOGIN})
    with serving(house.app()) as url, target_of(ACCESS, url, found, settings) as target:
        assert statuses(target, found, *[MAIN] * 3) == [401] * 3
    assert house.asked == {"anna": 1}


def test_a_token_itself_is_sent_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    house.left["token-of-mine"] = 1
    monkeypatch.setenv("KEY", "token-of-mine")
    found = contract(
        tmp_path / "api.json", {"type": "oauth2", "flows": {"clientCredentials": FLOW}}
    )
    with serving(house.app()) as url, target_of(ACCESS, url, found, ContractTesting()) as target:
        assert statuses(target, found, MAIN) == [200]
    assert not house.asked


@pytest.mark.parametrize(
    ("scheme", "settings", "said"),
    [
        ({"type": "http", "scheme": "bearer"}, {"hose": LOGIN}, "did you mean 'house'?"),
        (
            {"type": "http", "scheme": "bearer"},
            {"house": SignIn(operation="logInn")},
            "did you mean 'logIn'?",
        ),
        (
            {
                "type": "oauth2",
                "flows": {"clientCredentials": {**FLOW, "tokenUrl": "http://x.invalid/"}},
            },
            {},
            "--allow-host x.invalid",
        ),
    ],
)
def test_a_setting_or_a_url_that_cannot_be_used(
    tmp_path: Path, scheme: dict[str, Any], settings: dict[str, SignIn], said: str
) -> None:
    found = contract(tmp_path / "api.json", scheme)
    with (
        serving(House().app()) as url,
        pytest.raises(InputError) as refused,
        target_of(ACCESS, url, found, ContractTesting(sign_in=settings)) as target,
    ):
        statuses(target, found, MAIN)
    assert said in (refused.value.hint or "")


def test_a_refused_sign_in_says_so_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "anna:wrong-password")
    found = contract(tmp_path / "api.json", {"type": "http", "scheme": "bearer"})
    settings = ContractTesting(sign_in={"house": LOGIN})
    with (
        serving(House().app()) as url,
        pytest.raises(
            InputError, match="POST /login returned no credential: status 401"
        ) as refused,
        target_of(ACCESS, url, found, settings) as target,
    ):
        statuses(target, found, MAIN)
    assert "wrong-password" not in f"{refused.value} {refused.value.hint}"


def test_settings_of_a_project(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.specwright.test.sign-in.house]\noperation = "logIn"\n'
        'body = {name = "{user}", pass = "{password}"}\ntoken = "$response.body#/session/token"\n'
    )
    assert read_config(file).test.sign_in == {"house": LOGIN}


@pytest.mark.parametrize("written", ["body = 1", "scopes = [1]", "user = 'x'", "body = {a = 1}"])
def test_settings_that_mean_nothing(tmp_path: Path, written: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.specwright.test.sign-in.house]\n{written}\n")
    with pytest.raises(InputError, match="the setting 'test' must have"):
        read_config(file)
