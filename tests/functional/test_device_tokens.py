"""Tokens of users who authorize a device (RFC 8628)."""

from __future__ import annotations

import asyncio
import json
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

import pytest

from tests.functional.conftest import Generate
from tests.functional.origin import Answer, Asked, Fault, Origin
from tests.functional.test_tokens import THING_ANSWER, api, bearer, form, token

FLOW = {
    "deviceAuthorizationUrl": "/device",
    "tokenUrl": "/oauth/token",
    "scopes": {"read": "Read."},
}
CODES = {
    "device_code": "secret-device-code",
    "user_code": "WDJB-MJHT",
    "verification_uri": "https://example.com/device",
    "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
    "expires_in": 1800,
    "interval": 7,
}


def codes(**changes: Any) -> Answer:
    sent = {name: value for name, value in {**CODES, **changes}.items() if value is not None}
    return Answer(body=json.dumps(sent).encode())


def error(name: str) -> Answer:
    return Answer(400, json.dumps({"error": name}).encode())


class Caller:
    """Calls either client; pauses take no time, and are noted."""

    def __init__(self, module: ModuleType, origin: Origin, asynchronous: bool) -> None:
        self.module, self.origin, self._asynchronous = module, origin, asynchronous
        self.shown: list[Any] = []
        self.pauses: list[float] = []

    def __call__(self, *script: Answer, calls: int = 1, **options: Any) -> list[Asked]:
        self.origin.script[:] = script
        grant = self.module.DeviceAuthorization(
            client_id="tv", show=self.shown.append, **options.pop("grant", {})
        )
        options = {"base_url": f"{self.origin.url}/api", "max_retries": 0, **options}
        if self._asynchronous:
            asyncio.run(self._call(calls, grant, options))
        else:
            with self.module.Client(grant, **options) as client:
                client._calls.sleep = self.pauses.append
                for _ in range(calls):
                    client.things.get_thing()
        return self.origin.asked

    async def _call(self, calls: int, grant: Any, options: Any) -> None:
        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        async with self.module.AsyncClient(grant, **options) as client:
            client._calls.sleep = sleep
            for _ in range(calls):
                await client.things.get_thing()


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    data = {**api(deviceAuthorization=FLOW), "openapi": "3.2.0"}
    return Caller(package(data), origin, request.param == "async")


def test_a_user_authorizes_the_device(caller: Caller) -> None:
    asked = caller(
        codes(),
        error("authorization_pending"),
        error("slow_down"),
        token("t1", expires_in=3600),
        THING_ANSWER,
        THING_ANSWER,
        calls=2,
        grant={"scopes": ["read"]},
    )
    assert [each.target for each in asked] == [
        "/device",
        *["/oauth/token"] * 3,
        *["/api/things"] * 2,
    ]
    assert form(asked[0]) == {"client_id": "tv", "scope": "read"}
    grant = "urn:ietf:params:oauth:grant-type:device_code"
    polled = {"client_id": "tv", "grant_type": grant, "device_code": CODES["device_code"]}
    assert [form(each) for each in asked[1:4]] == [polled] * 3
    assert [bearer(each) for each in asked[4:]] == ["t1", "t1"]
    assert caller.pauses == [7, 7, 12]
    (code,) = caller.shown
    assert isinstance(code, caller.module.UserCode)
    assert (code.user_code, code.verification_uri, code.expires_in) == (
        *("WDJB-MJHT", "https://example.com/device", 1800),
    )
    assert code.verification_uri_complete == CODES["verification_uri_complete"]
    assert "secret-device-code" not in repr(code)


def test_what_a_service_may_leave_out_has_a_default(caller: Caller) -> None:
    caller(codes(interval=None, verification_uri_complete=None), token("t1"), THING_ANSWER)
    assert caller.pauses == [5]
    assert caller.shown[0].verification_uri_complete is None


@pytest.mark.parametrize("lifetime", [10**400, -1, "soon"])
def test_a_code_without_a_lifetime_is_an_error(caller: Caller, lifetime: object) -> None:
    with pytest.raises(caller.module.TokenRequestError):
        caller(codes(expires_in=lifetime))
    assert caller.shown == []


@pytest.mark.parametrize("interval", [10**9, 10**400])
def test_no_pause_is_longer_than_the_lifetime_of_the_code(caller: Caller, interval: int) -> None:
    caller(codes(interval=interval), token("t1"), THING_ANSWER)
    assert caller.pauses[0] <= 1800


def test_no_pause_is_longer_than_the_deadline(caller: Caller) -> None:
    caller(codes(interval=10**6), token("t1"), THING_ANSWER, deadline=60)
    assert caller.pauses[0] <= 60


def test_a_token_is_refreshed_without_the_user(caller: Caller) -> None:
    asked = caller(
        codes(),
        token("t1", refresh_token="r1"),
        Answer(401),
        token("t2"),
        THING_ANSWER,
    )
    assert form(asked[3]) == {
        "client_id": "tv",
        "grant_type": "refresh_token",
        "refresh_token": "r1",
    }
    assert (bearer(asked[4]), len(caller.shown)) == ("t2", 1)


@pytest.mark.parametrize("refusal", ["access_denied", "expired_token", "invalid_grant"])
def test_a_refusal_ends_the_call(caller: Caller, refusal: str) -> None:
    with pytest.raises(caller.module.errors.TokenRequestError, match=refusal):
        caller(codes(), error("authorization_pending"), error(refusal))
    assert len(caller.origin.asked) == 3


def test_no_code_ends_the_call(caller: Caller) -> None:
    for answer in (error("invalid_client"), codes(device_code=None), codes(expires_in=None)):
        with pytest.raises(caller.module.errors.TokenRequestError):
            caller(answer)
    assert caller.shown == []
    with pytest.raises(caller.module.ApiConnectionError, match="503"):
        caller(Answer(503))


def test_a_poll_without_a_response_is_repeated_later(caller: Caller) -> None:
    caller(codes(), Answer(fault=Fault.RESET), token("t1"), THING_ANSWER)
    assert caller.pauses == [7, 14]


def test_polling_ends_with_the_lifetime_of_the_code(caller: Caller) -> None:
    with pytest.raises(caller.module.errors.TokenRequestError, match="authorization_pending"):
        caller(codes(expires_in=0), error("authorization_pending"))
    assert len(caller.origin.asked) == 2


def test_polling_ends_with_the_deadline_of_the_call(caller: Caller) -> None:
    with pytest.raises(caller.module.ApiTimeoutError, match="the user did not decide in time"):
        caller(codes(), error("authorization_pending"), deadline=0.2)
    assert len(caller.origin.asked) > 1


def test_urls_may_be_the_callers(caller: Caller, origin: Origin) -> None:
    url = f"{origin.url}/own"
    asked = caller(
        codes(), token("t1"), THING_ANSWER, grant={"device_authorization_url": f"{url}/device"}
    )
    assert asked[0].target == "/own/device"
    with pytest.raises(caller.module.InvalidArgumentError, match="device_authorization_url"):
        caller(codes(), grant={"device_authorization_url": "ftp://x"})


def test_a_client_with_a_secret_authenticates(caller: Caller) -> None:
    asked = caller(
        codes(),
        token("t1"),
        THING_ANSWER,
        grant={"client_secret": "s", "auth_method": "client_secret_post"},
    )
    for each in asked[:2]:
        assert parse_qs(each.body.decode())["client_secret"] == ["s"]
