"""Tokens of OAuth 2.0 that the client obtains, keeps, refreshes and obtains again."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

import httpx2
import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.origin import Answer, Asked, Fault, Origin, running

SECRET = "s3cret&=é"
FLOWS: Json = {
    "clientCredentials": {"tokenUrl": "token", "scopes": {"read": "Read."}},
    "password": {"tokenUrl": "/oauth/token", "scopes": {}},
}


def api(**flows: Any) -> Json:
    return document(
        {"/things": {"get": operation(ref("Thing"), operationId="getThing")}},
        {"Thing": THING},
        components={"securitySchemes": {"auth": {"type": "oauth2", "flows": flows or FLOWS}}},
        security=[{"auth": ["read"]}],
    )


def token(name: str, **members: Any) -> Answer:
    return Answer(
        body=json.dumps({"access_token": name, "token_type": "bearer", **members}).encode()
    )


THING_ANSWER = Answer(body=b'{"id": "a"}')


class Caller:
    """Makes calls one after the other with one client, of either kind."""

    def __init__(self, module: ModuleType, origin: Origin, asynchronous: bool) -> None:
        self.module, self.origin, self._asynchronous = module, origin, asynchronous

    def __call__(self, *script: Answer, calls: int = 1, grant: Any, **options: Any) -> list[Asked]:
        self.origin.script[:] = script
        options = {"base_url": f"{self.origin.url}/api", "max_retries": 0, **options}
        if self._asynchronous:
            asyncio.run(self._call(calls, grant, options))
        else:
            with self.module.Client(grant, **options) as client:
                for _ in range(calls):
                    client.things.get_thing()
        return self.origin.asked

    async def _call(self, calls: int, grant: Any, options: Json) -> None:
        async with self.module.AsyncClient(grant, **options) as client:
            for _ in range(calls):
                await client.things.get_thing()

    def machine(self, **more: Any) -> Any:
        return self.module.ClientCredentials(client_id="m", client_secret=SECRET, **more)

    def person(self, **more: Any) -> Any:
        return self.module.PasswordCredentials(username="kim", password=SECRET, **more)


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(api()), origin, request.param == "async")


def form(asked: Asked) -> dict[str, str]:
    """The fields of a form, each of which is there once."""
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    return {
        name: text for name, (text,) in parse_qs(asked.body.decode(), strict_parsing=True).items()
    }


def bearer(asked: Asked) -> str:
    return asked.headers["authorization"].removeprefix("Bearer ")


def test_a_machine_obtains_one_token_for_several_calls(caller: Caller) -> None:
    first, second, third = caller(
        token("t1"),
        THING_ANSWER,
        THING_ANSWER,
        grant=caller.machine(scopes=["read", "write"]),
        calls=2,
    )
    assert (first.method, first.target) == ("POST", "/api/token")
    assert form(first) == {"grant_type": "client_credentials", "scope": "read write"}
    name, _, password = (
        base64.b64decode(first.headers["authorization"].removeprefix("Basic "))
        .decode()
        .partition(":")
    )
    # RFC 6749, 2.3.1: both are encoded as in a form.
    assert parse_qs(f"n={name}&p={password}") == {"n": ["m"], "p": [SECRET]}
    assert (bearer(second), bearer(third)) == ("t1", "t1")


def test_the_secret_of_a_client_may_stand_in_the_form(caller: Caller) -> None:
    grant = caller.machine(auth_method="client_secret_post", token_url=f"{caller.origin.url}/t")
    first, _ = caller(token("t1"), THING_ANSWER, grant=grant)
    assert first.target == "/t"
    assert "authorization" not in first.headers
    assert form(first) == {
        "grant_type": "client_credentials",
        "client_id": "m",
        "client_secret": SECRET,
    }


def test_a_person_obtains_a_token_by_password(caller: Caller) -> None:
    first, second = caller(token("t1"), THING_ANSWER, grant=caller.person(client_id="app"))
    assert first.target == "/oauth/token"
    assert form(first) == {
        "grant_type": "password",
        "username": "kim",
        "password": SECRET,
        "client_id": "app",
    }
    assert bearer(second) == "t1"


def test_a_token_that_ends_is_refreshed(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 3669.0, 3670.0, 3670.0])
    monkeypatch.setattr(
        f"{caller.module.__name__}._runtime.client.auth.tokens.monotonic", now.__next__
    )
    asked = caller(
        token("t1", expires_in=3600, refresh_token="r1"),
        THING_ANSWER,
        THING_ANSWER,
        token("t2", expires_in="3600"),
        THING_ANSWER,
        grant=caller.person(),
        calls=3,
    )
    assert [bearer(each) for each in asked if each.method == "GET"] == ["t1", "t1", "t2"]
    assert form(asked[3]) == {"grant_type": "refresh_token", "refresh_token": "r1"}


def test_a_token_that_is_refused_is_obtained_again(caller: Caller) -> None:
    asked = caller(
        token("t1", refresh_token="r1"),
        THING_ANSWER,
        Answer(401),
        Answer(400, b'{"error": "invalid_grant"}'),
        token("t2"),
        THING_ANSWER,
        grant=caller.machine(),
        calls=2,
    )
    assert [each.target for each in asked] == [
        "/api/token",
        "/api/things",
        "/api/things",
        "/api/token",
        "/api/token",
        "/api/things",
    ]
    assert form(asked[3])["grant_type"] == "refresh_token"
    assert form(asked[4])["grant_type"] == "client_credentials"
    assert bearer(asked[5]) == "t2"


def test_a_body_that_can_be_sent_once_is_not_sent_again_with_another_token(
    package: Generate, origin: Origin
) -> None:
    data = api()
    data["paths"]["/things"]["put"] = operation(
        operationId="upload",
        requestBody={"required": True, "content": {"application/octet-stream": {}}},
    )
    module = package(data)
    grant = module.ClientCredentials(client_id="m", client_secret=SECRET)
    origin.answer(token("t1"), Answer(401), token("t2"), Answer(204, b""))
    end, start = os.pipe()
    os.write(start, b"once")
    os.close(start)
    with (
        os.fdopen(end, "rb") as pipe,
        module.Client(grant, base_url=origin.url, max_retries=0) as client,
    ):
        with pytest.raises(module.AuthenticationError):
            client.things.upload(body=pipe)
        # The next call has another token.
        client.things.upload(body=b"twice")
    sent = [each for each in origin.asked if each.method == "PUT"]
    assert [(bearer(each), each.body) for each in sent] == [("t1", b"once"), ("t2", b"twice")]


def test_a_service_that_refuses_every_token_is_asked_twice(caller: Caller) -> None:
    with pytest.raises(caller.module.AuthenticationError):
        caller(token("t1"), Answer(401), token("t2"), Answer(401), grant=caller.machine())
    assert len(caller.origin.asked) == 4


def test_a_refused_grant_is_an_error_that_says_so(caller: Caller) -> None:
    with pytest.raises(caller.module.TokenRequestError) as caught:
        caller(Answer(401, b'{"error": "invalid_client"}'), grant=caller.machine())
    assert str(caught.value) == (
        "no token could be obtained: the token endpoint responded with 401 invalid_client"
    )
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.status, again.code, str(again)) == (401, "invalid_client", str(caught.value))
    assert SECRET not in repr(caught.value) + repr(caller.machine()) + repr(caller.person())


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"access_token": 5}',
        b"{}",
        b"[" * 100_000,
        b'{"error": "%s"}' % (b"a" * 100_000),
    ],
    ids=["page", "list", "number", "nothing", "100,000 levels", "code of 100,000 letters"],
)
def test_an_answer_without_a_token_is_an_error(caller: Caller, body: bytes) -> None:
    with pytest.raises(caller.module.TokenRequestError, match="responded with 200") as caught:
        caller(Answer(body=body), grant=caller.machine())
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("lifetime", ["1" + "0" * 400, '"1e400"', '"nan"', "-5"])
def test_a_token_of_any_lifetime_is_used(caller: Caller, lifetime: str) -> None:
    body = f'{{"access_token": "t1", "expires_in": {lifetime}}}'.encode()
    asked = caller(Answer(body=body), THING_ANSWER, grant=caller.machine())
    assert bearer(asked[-1]) == "t1"


def test_a_redirect_of_a_service_for_tokens_is_not_followed(caller: Caller) -> None:
    with running() as other, pytest.raises(caller.module.TokenRequestError, match="307"):
        other.answer(token("t1"))
        caller(Answer(307, b"", {"Location": f"{other.url}/token"}), grant=caller.machine())
    assert other.asked == []


def test_a_service_for_tokens_that_is_busy_is_asked_again(caller: Caller) -> None:
    asked = caller(Answer(503), token("t1"), THING_ANSWER, grant=caller.machine(), max_retries=1)
    assert len(asked) == 3
    with pytest.raises(caller.module.ApiConnectionError, match="no token could be obtained"):
        caller(Answer(503), grant=caller.machine())


def test_the_time_for_a_token_is_part_of_the_call(package: Generate) -> None:
    module = package(api())
    asked: list[Any] = []

    class Transport:
        def send(self, request: Any) -> Any:
            asked.append(request)
            body = b'{"access_token": "t"}' if request.method == "POST" else b'{"id": "a"}'
            return module.Response(401 if len(asked) == 2 else 200, [], body)

        def close(self) -> None: ...

    grant = module.ClientCredentials(client_id="m", client_secret=SECRET)
    with module.Client(grant, base_url="http://x", transport=Transport(), deadline=60) as client:
        client.things.get_thing()
    assert [each.method for each in asked] == ["POST", "GET", "POST", "GET"]
    left = [each.deadline for each in asked]
    assert left[3] < left[1] < left[0]


def test_calls_that_wait_for_a_token_of_another_wait_no_longer_than_they_may(
    package: Generate, origin: Origin
) -> None:
    module = package(api())
    origin.answer(Answer(fault=Fault.SILENCE))
    grant = module.ClientCredentials(client_id="m", client_secret=SECRET)
    options = {"base_url": origin.url, "max_retries": 0}
    with module.Client(grant, **options) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.things.get_thing)
        while not origin.asked:
            pass
        with pytest.raises(module.ApiTimeoutError, match="no token"):
            client.with_options(deadline=0.05).things.get_thing()
        origin.done.set()
        with pytest.raises(module.ApiConnectionError):
            first.result()

    async def run() -> None:
        async with module.AsyncClient(grant, **options, deadline=0.2) as client:
            calls = [client.things.get_thing() for _ in range(2)]
            for each in await asyncio.gather(*calls, return_exceptions=True):
                assert isinstance(each, module.ApiTimeoutError)

    origin.done.clear()
    asyncio.run(run())


def test_a_token_that_is_given_is_sent(caller: Caller) -> None:
    (asked,) = caller(THING_ANSWER, grant="given")
    assert bearer(asked) == "given"


def test_many_calls_at_once_obtain_one_token(package: Generate, origin: Origin) -> None:
    module = package(api())
    origin.answer(token("t1"), THING_ANSWER)
    grant = module.ClientCredentials(client_id="m", client_secret=SECRET)
    with (
        module.Client(grant, base_url=f"{origin.url}/api") as client,
        ThreadPoolExecutor(8) as pool,
    ):
        for future in [pool.submit(client.things.get_thing) for _ in range(16)]:
            future.result()
    assert [request.method for request in origin.asked].count("POST") == 1

    async def run() -> None:
        async with module.AsyncClient(grant, base_url=f"{origin.url}/api") as client:
            await asyncio.gather(*(client.things.get_thing() for _ in range(16)))

    origin.script[:] = [token("t2"), THING_ANSWER]
    asyncio.run(run())
    assert [request.method for request in origin.asked].count("POST") == 2


def test_only_grants_of_the_document_are_offered(package: Generate) -> None:
    module = package(api(clientCredentials=FLOWS["clientCredentials"]))
    assert "ClientCredentials" in module.__all__
    assert "PasswordCredentials" not in module.__all__
    plain = package(api(implicit={"authorizationUrl": "https://x.example/a", "scopes": {}}))
    assert "ClientCredentials" not in plain.__all__


def test_a_url_for_tokens_that_is_no_address_is_refused(package: Generate) -> None:
    module = package(api())
    grant = module.ClientCredentials(client_id="m", client_secret="s", token_url="ftp://x")
    with pytest.raises(module.InvalidArgumentError, match="token_url"):
        module.Client(grant, base_url="http://x")


def test_schemes_with_different_flows_bring_all_their_grants(package: Generate) -> None:
    schemes = {
        name: {"type": "oauth2", "flows": {name: flow}} for name, flow in sorted(FLOWS.items())
    }
    made = package(
        document(
            {"/things": {"get": operation(ref("Thing"), operationId="getThing")}},
            {"Thing": THING},
            components={"securitySchemes": schemes},
            security=[{name: []} for name in schemes],
        )
    )
    assert {"ClientCredentials", "PasswordCredentials"} <= set(made.__all__)
    machine = made.ClientCredentials(client_id="m", client_secret=SECRET)
    person = made.PasswordCredentials(username="kim", password=SECRET)
    made.Client(client_credentials=machine, password=person, base_url="http://127.0.0.1:1").close()
    for annotation in inspect.get_annotations(made.Client.__init__).values():
        eval(annotation, {**vars(inspect.getmodule(made.Client)), "httpx2": httpx2})
