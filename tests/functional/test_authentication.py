"""The stub requires the declared credentials: each kind, alternatives and combinations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from specwright.document.operations.security import KINDS
from tests.functional.conftest import Generate
from tests.functional.documents import Json
from tests.functional.test_access import CHALLENGES, SCHEMES, SENT, api
from tests.serving import Server


def app(made: ModuleType, known: Callable[[Any], object], **options: Any) -> Any:
    """Return the stub with a handler that returns the principal of the request."""

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, context: Any) -> Any:
            return made.models.Thing(id=str(context.principal))

        async def login(self, *, context: Any) -> Any:
            return made.models.Thing(id="token")

    async def authenticate(given: Any, request: Any) -> object:
        return known(given)

    return made.server.create_app(things=Things(), authenticate=authenticate, **options)


def test_every_kind_is_tried() -> None:
    tried = {
        next(kind for kind in KINDS if kind.of("", declared) is not None)
        for declared in SCHEMES.values()
    }
    assert tried == set(KINDS), "SCHEMES, SENT and CHALLENGES of test_access.py lack a kind"


@pytest.mark.parametrize("name", SENT)
def test_the_stub_reads_what_the_client_sends(package: Generate, name: str) -> None:
    given, _, _ = SENT[name]
    made = package(api(name))
    asked: list[Any] = []
    with Server(app(made, lambda each: asked.append(each) or "Kim")) as server:
        with made.Client(given, base_url=server.url) as client:
            assert client.things.get_thing().id == "Kim"

        async def call() -> str:
            async with made.AsyncClient(given, base_url=server.url) as client:
                return str((await client.things.get_thing()).id)

        assert asyncio.run(call()) == "Kim"
    assert asked == [given, given]


@pytest.mark.parametrize("name", SENT)
def test_what_is_missing_or_wrong_is_answered_401_with_a_challenge(
    package: Generate, name: str
) -> None:
    given, _, _ = SENT[name]
    made = package(api(name))
    invalid = next(kind.invalid for kind in KINDS if kind.of("", SCHEMES[name]) is not None)
    with Server(app(made, lambda each: "Kim" if each == given else None)) as server:
        missing = server.send("GET", "/things", key=None)
        assert (missing.status, missing.json["code"]) == (401, "missing_credentials")
        assert missing.headers["WWW-Authenticate"] == CHALLENGES[name]
        with (
            made.Client(invalid, base_url=server.url) as client,
            pytest.raises(made.AuthenticationError) as caught,
        ):
            client.things.get_thing()
        assert caught.value.response.header("www-authenticate") == CHALLENGES[name]
        # An operation that needs none asks for none.
        assert server.send("POST", "/things", key=None).status == 200


TWO: Json = {"security": [{"Bearer": [], "HeaderKey": []}, {"CookieKey": []}]}


@pytest.mark.parametrize(
    ("headers", "seen"),
    [
        ({"Authorization": "Bearer b", "X-Key": "h"}, {"bearer": "b", "header_key": "h"}),
        ({"Cookie": "session=c"}, {"cookie_key": "c"}),
        ({"Authorization": "Bearer b", "Cookie": "session=c"}, {"cookie_key": "c"}),
    ],
)
def test_the_credentials_of_one_alternative_are_handed_over(
    package: Generate, headers: Json, seen: Json
) -> None:
    made = package(api("Bearer", "HeaderKey", "CookieKey", **TWO))
    with Server(app(made, lambda each: each)) as server:
        answer = server.send("GET", "/things", key=None, **headers)
        assert answer.json == {"id": str(seen)}


def test_the_next_alternative_is_tried_where_one_is_refused(package: Generate) -> None:
    made = package(api("Bearer", "HeaderKey", "CookieKey", **TWO))
    sent = {"Authorization": "Bearer wrong", "X-Key": "h", "Cookie": "session=c"}
    with Server(app(made, lambda each: "Kim" if "cookie_key" in each else None)) as server:
        assert server.send("GET", "/things", key=None, **sent).json == {"id": "Kim"}
        partly = server.send("GET", "/things", key=None, X_Key="h")
        assert (partly.status, partly.json["code"]) == (401, "invalid_credentials")
        missing = server.send("GET", "/things", key=None)
        assert missing.json["code"] == "missing_credentials"
        assert missing.headers["WWW-Authenticate"] == "Bearer, ApiKey"


def test_credentials_that_may_be_left_out_are_refused_only_if_they_are_wrong(
    package: Generate,
) -> None:
    made = package(api("Bearer", security=[{"Bearer": []}, {}]))
    with Server(app(made, lambda each: "Kim" if each == "right" else None)) as server:
        assert server.send("GET", "/things", key=None).json == {"id": "None"}
        assert server.send("GET", "/things", key="right").json == {"id": "Kim"}
        assert server.send("GET", "/things", key="wrong").status == 401


@pytest.mark.parametrize("name", ["QueryKey", "HeaderKey"])
def test_a_key_that_comes_twice_is_none(package: Generate, name: str) -> None:
    made = package(api(name))
    with Server(app(made, lambda each: "Kim")) as server:
        path = "/things?api%20key=a&api%20key=b"
        sent = {"X-Key": "a", "x-key": "b"} if name == "HeaderKey" else {}
        assert server.send("GET", path, key=None, **sent).status == 401


def test_a_key_in_the_query_is_not_an_unknown_parameter(package: Generate) -> None:
    made = package(api("QueryKey"))
    with Server(app(made, lambda each: "Kim", refuse_unknown_query=True)) as server:
        assert server.send("GET", "/things?api%20key=a", key=None).status == 200
        assert server.send("GET", "/things?api%20key=a&other=1", key=None).status == 400


def test_a_certificate_is_for_the_application_to_look_at(package: Generate) -> None:
    made = package(api("Certificate"))
    with Server(app(made, lambda each: f"{each!r}")) as server:
        assert server.send("GET", "/things", key=None).json == {"id": "''"}
    with Server(app(made, lambda each: None)) as server:
        assert server.send("GET", "/things", key=None).status == 401


def test_an_api_without_schemes_has_no_authentication(package: Generate) -> None:
    """`security: [{}]` says that callers are anonymous (OAS 3.1.1, 4.8.30)."""
    made = package(api(security=[{}]))

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, context: Any) -> Any:
            return made.models.Thing(id="1")

    with (
        Server(made.server.create_app(things=Things(), unimplemented="501")) as server,
        made.Client(base_url=server.url) as client,
    ):
        assert client.things.get_thing().id == "1"
