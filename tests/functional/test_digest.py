"""HTTP Digest: the client at servers by RFC 7616, and other clients at the stub."""

from __future__ import annotations

import asyncio
import io
import logging
import urllib.request
from collections.abc import Callable
from importlib import import_module
from time import time
from types import ModuleType
from typing import Any

import httpx2
import pytest
import requests
from requests.auth import HTTPDigestAuth

from tests.functional.conftest import Generate
from tests.functional.digest_server import PASSWORD, REALM, USER, DigestServer
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.test_client_options import frames, holds
from tests.serving import Server

DIGEST = {"type": "http", "scheme": "Digest"}


def api(security: Any = None, **schemes: Any) -> Json:
    """A document whose operations require Digest."""
    parameters = [{"name": "q", "in": "query", "schema": {"type": "string"}}]
    upload = {"content": {"application/octet-stream": {"schema": {}}}, "required": True}
    asked = [{"user": []}] if security is None else security
    return document(
        {
            "/things/{id}": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "get": operation(
                    ref("Thing"), operationId="getThing", security=asked, parameters=parameters
                ),
                "put": operation(
                    ref("Thing"), operationId="putThing", security=asked, requestBody=upload
                ),
            }
        },
        {"Thing": THING},
        components={"securitySchemes": {"user": DIGEST, **schemes}},
    )


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, package: Generate) -> Callable[..., Any]:
    """Call methods of either client in turn: their names, each with its arguments."""

    def sync(url: str, *calls: tuple[str, Json], made: ModuleType, **options: Any) -> Any:
        with made.Client(base_url=url, **options) as client:
            return [getattr(client.things, name)(**arguments) for name, arguments in calls]

    async def asynchronous(url: str, *calls: tuple[str, Json], made: Any, **options: Any) -> Any:
        async with made.AsyncClient(base_url=url, **options) as client:
            return [await getattr(client.things, name)(**arguments) for name, arguments in calls]

    def run(url: str, *calls: tuple[str, Json], data: Json | None = None, **options: Any) -> Any:
        options = {"max_retries": 0, "made": package(data or api()), **options}
        if data is None:
            options.setdefault("auth", (USER, PASSWORD))
        if request.param == "sync":
            return sync(url, *calls, **options)
        return asyncio.run(asynchronous(url, *calls, **options))

    return run


GET = ("get_thing", {"id": "a"})


# --- the client


@pytest.mark.parametrize(
    "server",
    [
        DigestServer(),
        DigestServer(algorithm="MD5"),
        DigestServer(algorithm=None, qop=None, opaque=None),
        DigestServer(algorithm="SHA-512-256", qop="auth-int, auth"),
        DigestServer(algorithm="MD5-sess"),
        DigestServer(algorithm="SHA-256-sess"),
        DigestServer(userhash=True),
        DigestServer(realm="Zürich, naïve"),
        DigestServer(before='Basic realm="a, Digest b", Negotiate, '),
        DigestServer(before='Digest realm="x", nonce="y", algorithm=SHA-1024, '),
        DigestServer(before='Bearer, Digest realm="x", nonce="y", qop="auth-int", '),
    ],
    ids=lambda server: f"{server.algorithm} {server.qop} {server.before[:9]} {server.userhash}",
)
def test_the_client_answers_challenges(call: Callable[..., Any], server: DigestServer) -> None:
    before = len(server.seen)
    with Server(server) as running:
        things = call(running.url, GET, ("get_thing", {"id": "b c", "q": "x/y&z"}), GET)
    assert [thing.id for thing in things] == ["a"] * 3
    answers = [params for _, params in server.seen[before:]]
    # Only the first request has to be repeated.
    assert [bool(params) for params in answers] == [False, True, True, True]
    if server.qop:
        assert [params["nc"] for params in answers[1:]] == ["00000001", "00000002", "00000003"]


def test_a_name_beyond_ascii_is_sent_in_its_own_way(call: Callable[..., Any]) -> None:
    # RFC 7616, 3.4: `username*` with the encoding of RFC 8187.
    server = DigestServer(user="Jäsøn Doe")
    with Server(server) as running:
        call(running.url, GET, auth=("Jäsøn Doe", PASSWORD))
    assert "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, " in server.texts[-1]


@pytest.mark.parametrize("says_stale", [True, False])
def test_a_used_nonce_is_replaced(call: Callable[..., Any], says_stale: bool) -> None:
    server = DigestServer(uses=1, says_stale=says_stale)
    with Server(server) as running:
        call(running.url, GET, ("put_thing", {"id": "a", "body": b"content"}))
    assert [(body, bool(params)) for body, params in server.seen] == [
        (b"", False),
        (b"", True),
        (b"content", True),
        (b"content", True),
    ]


def test_a_wrong_password_is_tried_once(call: Callable[..., Any], package: Generate) -> None:
    server = DigestServer()
    with (
        Server(server) as running,
        pytest.raises(package(api()).ApiStatusError) as caught,
    ):
        call(running.url, GET, auth=(USER, "wrong"), max_retries=2)
    assert caught.value.status == 401
    assert [bool(params) for _, params in server.seen] == [False, True]


def test_a_body_that_cannot_be_sent_twice_needs_an_earlier_challenge(
    call: Callable[..., Any], package: Generate
) -> None:
    class Pipe(io.BytesIO):
        def tell(self) -> int:
            raise io.UnsupportedOperation

    server = DigestServer()
    with Server(server) as running:
        with pytest.raises(package(api()).ApiStatusError, match="401"):
            call(running.url, ("put_thing", {"id": "a", "body": Pipe(b"content")}))
        assert len(server.seen) == 1
        call(running.url, GET, ("put_thing", {"id": "a", "body": Pipe(b"content")}))
    assert server.seen[-1][0] == b"content"
    assert len(server.seen) == 4


def test_a_body_that_can_be_read_again_is_sent_again(
    call: Callable[..., Any], tmp_path: Any
) -> None:
    (tmp_path / "file").write_bytes(b"content")
    server = DigestServer()
    with Server(server) as running, (tmp_path / "file").open("rb") as file:
        call(running.url, ("put_thing", {"id": "a", "body": file}))
    assert [body for body, _ in server.seen] == [b"content", b"content"]


def test_a_credential_comes_from_a_function_or_the_environment(
    call: Callable[..., Any], package: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = DigestServer()
    with Server(server) as running:
        call(running.url, GET, auth=lambda: (USER, PASSWORD))
        name = package(api()).__name__.upper()
        monkeypatch.setenv(f"{name}_AUTH", f"{USER}:{PASSWORD}")
        call(running.url, GET, auth=None)
    assert len(server.seen) == 4


def test_a_key_in_the_query_is_a_part_of_the_answered_request(call: Callable[..., Any]) -> None:
    key = {"type": "apiKey", "in": "query", "name": "api key"}
    data = api([{"user": [], "key": []}], key=key)
    server = DigestServer()
    with Server(server) as running:
        call(running.url, GET, data=data, user=(USER, PASSWORD), key="k")
    assert server.seen[-1][1]["uri"] == "/things/a?api%20key=k"


def test_what_the_client_does_not_support_is_said(
    call: Callable[..., Any], package: Generate, caplog: pytest.LogCaptureFixture
) -> None:
    server = DigestServer(qop="auth-int")
    with Server(server) as running, pytest.raises(package(api()).ApiStatusError, match="401"):
        call(running.url, GET)
    (record,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert record.message == (
        "the service requires Digest by [\"'SHA-256' with qop ('auth-int',)\"]: not supported"
    )
    assert len(server.seen) == 1


def test_no_log_repr_or_error_shows_a_password(
    call: Callable[..., Any], package: Generate, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = DigestServer()
    secret = "s3cret, and wrong"
    with Server(server) as running, pytest.raises(package(api()).ApiStatusError) as caught:
        call(running.url, GET, auth=(USER, secret))
    response = server.seen[-1][1]["response"]
    shown = [caplog.text, str(caught.value), repr(caught.value), repr(caught.value.response)]
    assert not [text for text in shown if secret in text or response in text]
    assert not [
        (frame.f_code.co_qualname, name)
        for frame in frames(caught.value)
        for name, value in frame.f_locals.items()
        if holds(value, secret)
    ]


@pytest.mark.parametrize("broken", ["text", 5, ("a", "b\n"), ("only",), ("a:b", "c")])
def test_a_credential_that_nothing_can_carry_is_refused(package: Generate, broken: Any) -> None:
    made = package(api())
    with pytest.raises(made.InvalidArgumentError, match=r"^auth "):
        made.Client(broken, base_url="http://127.0.0.1:1")


# --- the stub


def app(made: ModuleType, verify: Callable[[Any], bool], **options: Any) -> Any:
    """Return the stub; its resource is the user."""

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, id: str, q: str | None, context: Any) -> Any:
            return made.models.Thing(id=str(context.principal))

        async def put_thing(self, *, id: str, body: Any, context: Any) -> Any:
            return made.models.Thing(id=str(context.principal))

    async def authenticate(given: Any, request: Any) -> object:
        return given.username if given.username == USER and verify(given) else None

    return made.server.create_app(things=Things(), authenticate=authenticate, **options)


def knows_password(given: Any) -> bool:
    return bool(given.is_valid(PASSWORD))


@pytest.mark.parametrize("algorithm", ["SHA-256", "MD5", "SHA-512-256"])
def test_the_stub_knows_the_client(
    call: Callable[..., Any], package: Generate, algorithm: str
) -> None:
    made = package(api())
    digest = made.server.DigestOptions(realm=REALM, algorithm=algorithm)
    stored = made.server.ha1(USER, PASSWORD, REALM, algorithm)
    with Server(app(made, lambda given: given.is_valid_for(stored), digest=digest)) as server:
        put = ("put_thing", {"id": "a", "body": b"x"})
        calls = [GET, ("get_thing", {"id": "é/", "q": "a b"}), put]
        assert [thing.id for thing in call(server.url, *calls)] == [USER] * 3
        with pytest.raises(made.ApiStatusError, match="401"):
            call(server.url, GET, auth=(USER, "wrong"))


def test_the_stub_knows_other_clients(package: Generate) -> None:
    made = package(api())
    md5 = made.server.DigestOptions(algorithm="MD5")
    for options in ({}, {"digest": md5}):
        with Server(app(made, knows_password, **options)) as server:
            url = f"{server.url}/things/a?q=b%20c"
            with requests.Session() as session:
                session.auth = HTTPDigestAuth(USER, PASSWORD)
                assert [session.get(url).json()["id"] for _ in range(3)] == [USER] * 3
            with httpx2.Client(auth=httpx2.DigestAuth(USER, PASSWORD)) as client:
                assert [client.get(url).json()["id"] for _ in range(3)] == [USER] * 3
            assert requests.get(url, auth=HTTPDigestAuth(USER, "wrong")).status_code == 401
            assert requests.get(url, auth=HTTPDigestAuth("else", PASSWORD)).status_code == 401
    with Server(app(made, knows_password, digest=md5)) as server:
        handler = urllib.request.HTTPDigestAuthHandler()
        handler.add_password("api", server.url, USER, PASSWORD)
        opener = urllib.request.build_opener(handler, urllib.request.ProxyHandler({}))
        with opener.open(f"{server.url}/things/a") as response:
            assert response.status == 200


def test_the_stub_asks_for_an_answer_to_its_own_challenge(
    package: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = package(api())
    with Server(app(made, knows_password)) as server:
        missing = server.send("GET", "/things/a", key=None)
        challenge = missing.headers["WWW-Authenticate"]
        assert (missing.status, missing.json["code"]) == (401, "missing_credentials")
        assert challenge.startswith('Digest realm="api", qop="auth", algorithm=SHA-256, nonce="')
        assert "stale" not in challenge

        def sent(path: str = "/things/a", **changes: str) -> Any:
            auth = HTTPDigestAuth(USER, PASSWORD)
            auth.init_per_thread_state()
            params = requests.utils.parse_dict_header(challenge.removeprefix("Digest "))
            auth._thread_local.chal = {**params, **changes}
            header = auth.build_digest_header("GET", f"{server.url}{path}")
            return header, server.send("GET", "/things/a", key=None, Authorization=header)

        header, accepted = sent()
        assert accepted.status == 200
        # Of another request, by another realm or algorithm.
        for refused in (sent("/things/b"), sent(realm="else"), sent(algorithm="MD5")):
            assert refused[1].status == 401
            assert refused[1].json["code"] == "invalid_credentials"
            assert "stale" not in refused[1].headers["WWW-Authenticate"]
        # With another method, twice, or cut off.
        assert server.send("HEAD", "/things/a", key=None, Authorization=header).status == 401
        for text in (f"{header}, {header}", f"{header}, nc=00000001", header[:40], "Digest", ""):
            assert server.send("GET", "/things/a", key=None, Authorization=text).status == 401
        # A nonce that is nobody's, or too old: the client may try again.
        assert "stale=true" in sent(nonce="bm9uZQ==")[1].headers["WWW-Authenticate"]
        guard = import_module(f"{made.__name__}._runtime.server.digest")
        now = time()
        monkeypatch.setattr(guard, "time", lambda: now + 295)
        assert sent()[1].status == 200
        monkeypatch.setattr(guard, "time", lambda: now + 302)
        late = sent()[1]
        assert (late.status, "stale=true" in late.headers["WWW-Authenticate"]) == (401, True)


def test_processes_with_one_secret_accept_each_others_nonces(
    call: Callable[..., Any], package: Generate
) -> None:
    made = package(api())
    digest = made.server.DigestOptions(secret=b"a secret of these processes")
    apps = [app(made, knows_password, digest=digest) for _ in range(2)]
    turns: list[int] = []

    async def balanced(scope: Any, receive: Any, send: Any) -> None:
        turns.append(1)
        await apps[len(turns) % 2](scope, receive, send)

    with Server(balanced) as server:
        call(server.url, GET, GET, GET)
    assert len(turns) == 4


def test_digest_is_one_of_several_credentials_of_the_stub(package: Generate) -> None:
    made = package(api([{"user": []}, {"token": []}], token={"type": "http", "scheme": "bearer"}))
    given: list[Any] = []

    async def authenticate(credentials: Any, request: Any) -> object:
        given.append(credentials)
        return "Kim"

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, id: str, q: str | None, context: Any) -> Any:
            return made.models.Thing(id=str(context.principal))

    app = made.server.create_app(things=Things(), authenticate=authenticate, unimplemented="501")
    with Server(app) as server:
        asked = server.send("GET", "/things/a", key=None).headers["WWW-Authenticate"]
        assert (asked.startswith("Digest "), asked.endswith(", Bearer")) == (True, True)
        with made.Client(user=(USER, PASSWORD), base_url=server.url) as client:
            client.things.get_thing(id="a")
        with made.Client(token="t", base_url=server.url) as client:
            client.things.get_thing(id="a")
    assert isinstance(given[0]["user"], made.server.DigestCredentials)
    assert given[1] == {"token": "t"}
