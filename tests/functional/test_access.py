"""Credentials of a client: each kind on the wire, alternatives, and missing ones."""

from __future__ import annotations

import asyncio
import base64
import inspect
import logging
from typing import Any

import httpx2
import pytest

from specwright.config import Renames
from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, document, operation, ref
from tests.functional.origin import Answer, Asked, Origin
from tests.functional.test_client_options import frames, holds

SECRET = "s3cret-Key"
BEARER = {"type": "http", "scheme": "bearer"}
SCHEMES: Json = {
    "Bearer": BEARER,
    "Basic": {"type": "http", "scheme": "Basic"},
    "HeaderKey": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "QueryKey": {"type": "apiKey", "in": "query", "name": "api key"},
    "CookieKey": {"type": "apiKey", "in": "cookie", "name": "session"},
    "Other": {"type": "http", "scheme": "DSN"},
    "Code": {
        "type": "oauth2",
        "flows": {
            "authorizationCode": {
                "authorizationUrl": "https://x.example/a",
                "tokenUrl": "https://x.example/t",
                "scopes": {"read": "Read."},
            }
        },
    },
    "OpenId": {"type": "openIdConnect", "openIdConnectUrl": "https://x.example/.well-known"},
    "Certificate": {"type": "mutualTLS"},
    "Digest": {"type": "http", "scheme": "digest"},
    "Negotiate": {"type": "http", "scheme": "negotiate"},
}
# What the constructor takes for a scheme, and where it then stands in the request.
SENT: dict[str, tuple[Any, str, str]] = {
    "Bearer": (SECRET, "authorization", f"Bearer {SECRET}"),
    "Basic": (
        ("user", SECRET),
        "authorization",
        f"Basic {base64.b64encode(f'user:{SECRET}'.encode()).decode()}",
    ),
    "HeaderKey": (SECRET, "x-key", SECRET),
    "QueryKey": (SECRET, "?", f"api%20key={SECRET}"),
    "CookieKey": (SECRET, "cookie", f"session={SECRET}"),
    "Other": (SECRET, "authorization", f"DSN {SECRET}"),
    "Code": (SECRET, "authorization", f"Bearer {SECRET}"),
    "OpenId": (SECRET, "authorization", f"Bearer {SECRET}"),
}

# The argument for a scheme that is the only one.
ALONE = {
    "Bearer": "token",
    "Basic": "auth",
    "HeaderKey": "api_key",
    "QueryKey": "api_key",
    "CookieKey": "api_key",
    "Other": "token",
    "Code": "token",
    "OpenId": "token",
}

# How a server asks for it.
CHALLENGES = {
    "Bearer": "Bearer",
    "Basic": 'Basic realm="api", charset="UTF-8"',
    "HeaderKey": "ApiKey",
    "QueryKey": "ApiKey",
    "CookieKey": "ApiKey",
    "Other": "DSN",
    "Code": "Bearer",
    "OpenId": "Bearer",
}


def api(*names: str, security: Any = None, **members: Any) -> Json:
    """A document with these schemes, and an operation that asks for them."""
    asked = [{name: []} for name in names] if security is None else security
    return document(
        {
            "/things": {
                "get": operation(ref("Thing"), operationId="getThing", security=asked),
                "post": operation(ref("Thing"), operationId="login", security=[]),
            }
        },
        {"Thing": THING},
        components={"securitySchemes": {name: SCHEMES[name] for name in names}},
        **members,
    )


class Caller:
    """Calls either client in the same words."""

    def __init__(self, generate: Generate, origin: Origin, asynchronous: bool) -> None:
        self._generate, self.origin, self.asynchronous = generate, origin, asynchronous
        self.module: Any = None

    def __call__(self, data: Json, method: str = "get_thing", **options: Any) -> Asked:
        self.origin.answer(Answer(body=b'{"id": "a"}'))
        self.module = self._generate(data)
        options = {"base_url": f"{self.origin.url}/api", "max_retries": 0, **options}
        if self.asynchronous:
            asyncio.run(self._call_async(method, options))
        else:
            with self.module.Client(**options) as client:
                getattr(client.things, method)()
        return self.origin.asked[-1]

    async def _call_async(self, method: str, options: Json) -> None:
        async with self.module.AsyncClient(**options) as client:
            await getattr(client.things, method)()


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package, origin, request.param == "async")


def found(asked: Asked, place: str) -> str | None:
    """The query of a request, or a header of it."""
    return asked.target.partition("?")[2] if place == "?" else asked.headers.get(place)


# --- every kind


@pytest.mark.parametrize("name", SENT)
def test_a_credential_is_sent_where_the_document_says(call: Caller, name: str) -> None:
    given, place, text = SENT[name]
    assert found(call(api(name), **{ALONE[name]: given}), place) == text


@pytest.mark.parametrize("name", SENT)
def test_a_credential_is_asked_for_at_each_attempt(call: Caller, name: str) -> None:
    given, place, text = SENT[name]
    asked: list[int] = []

    def current() -> Any:
        asked.append(1)
        return given

    async def current_later() -> Any:
        return current()

    call.origin.answer(Answer(503, headers={"retry-after": "0"}))
    function = current_later if call.asynchronous else current
    assert found(call(api(name), **{ALONE[name]: function}, max_retries=1), place) == text
    assert (len(asked), len(call.origin.asked)) == (2, 2)


@pytest.mark.parametrize("name", SENT)
def test_a_credential_comes_from_the_environment(
    call: Caller, name: str, package: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, place, text = SENT[name]
    data = api(name)
    variable = f"{package(data).__name__.upper()}_{ALONE[name].upper()}"
    monkeypatch.setenv(variable, ":".join(given) if isinstance(given, tuple) else given)
    assert found(call(data), place) == text


@pytest.mark.parametrize("name", SENT)
def test_no_log_repr_or_error_shows_a_credential(
    call: Caller, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    given, place, text = SENT[name]
    secrets = {SECRET, text.rpartition(" ")[2].rpartition("=")[2] or SECRET}
    kind = httpx2.AsyncClient if call.asynchronous else httpx2.Client
    for has_own in (False, True):
        own: Json = {"http_client": kind()} if has_own else {}
        assert found(call(api(name), **{ALONE[name]: given}, **own), place) == text
        call.origin.script[:] = [Answer(400)]
        with pytest.raises(call.module.ApiError) as caught:
            call(api(name), **{ALONE[name]: given}, **({"http_client": kind()} if has_own else {}))
        shown = [caplog.text, str(caught.value), repr(caught.value), repr(caught.value.response)]
        assert not [each for each in shown for secret in secrets if secret in each]
        assert not [
            (frame.f_code.co_qualname, variable)
            for frame in frames(caught.value)
            for variable, value in frame.f_locals.items()
            if any(holds(value, secret) for secret in secrets)
        ]
        call.origin.script.clear()


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("broken", ["a\nb", 5, ("a", "b\n"), ("only",)])
def test_a_credential_that_nothing_can_carry_is_refused(
    call: Caller, name: str, broken: Any
) -> None:
    for given in (broken, lambda: broken):
        with pytest.raises(call_error(call, name)) as caught:
            call(api(name), **{ALONE[name]: given})
        assert str(caught.value).startswith(f"{ALONE[name]} ")
        assert not call.origin.asked


def call_error(call: Caller, name: str) -> Any:
    return call._generate(api(name)).InvalidArgumentError


# --- what is asked for, and what is not


def with_headers(*names: str) -> Json:
    """Return a document with headers as parameters; one operation requires a credential."""
    data = api("Bearer")
    for each in data["paths"]["/things"].values():
        each["parameters"] = [{"name": n, "in": "header", "schema": {}} for n in names]
    return data


def test_a_header_for_a_credential_is_a_parameter_where_nothing_else_is_said(
    package: Generate,
) -> None:
    made = package(with_headers("Authorization", "Accept", "Content-Type", "X-Other"))
    client = made.Client(token=SECRET, base_url="http://127.0.0.1:1")
    taken = {
        name: [*inspect.signature(getattr(client.things, name)).parameters]
        for name in ("get_thing", "login")
    }
    assert taken == {
        "get_thing": ["x_other", "request_options"],
        "login": ["authorization", "x_other", "request_options"],
    }


def test_headers_that_http_writes_and_those_without_a_name_are_no_arguments(
    package: Generate,
) -> None:
    made = package(with_headers("Content-Length", "host", "opc retry", "X-Other"))
    client = made.Client(token=SECRET, base_url="http://127.0.0.1:1")
    assert [*inspect.signature(client.things.login).parameters] == ["x_other", "request_options"]


def test_an_operation_that_needs_no_credential_is_called_without_one(call: Caller) -> None:
    assert "authorization" not in call(api("Bearer"), "login").headers
    assert "authorization" not in call(api("Bearer"), "login", token=SECRET).headers


def test_a_missing_credential_is_named_before_anything_is_sent(call: Caller) -> None:
    name = call._generate(api("Bearer")).__name__.upper()
    with pytest.raises(call_error(call, "Bearer")) as caught:
        call(api("Bearer"))
    assert str(caught.value) == f"getThing: missing credentials; pass token or set {name}_TOKEN"
    assert not call.origin.asked


def test_all_that_would_do_is_named(call: Caller) -> None:
    data = api(
        "Bearer",
        "HeaderKey",
        "QueryKey",
        security=[{"Bearer": []}, {"Bearer": ["write"]}, {"QueryKey": [], "HeaderKey": []}],
    )
    module = call._generate(data)
    with pytest.raises(module.InvalidArgumentError) as caught:
        call(data, header_key=SECRET)
    prefix = module.__name__.upper()
    assert str(caught.value) == (
        "getThing: missing credentials; pass bearer or set "
        f"{prefix}_BEARER; or pass query_key or set {prefix}_QUERY_KEY"
    )


def test_the_first_alternative_that_is_complete_is_sent(call: Caller) -> None:
    names = ("Bearer", "HeaderKey", "CookieKey")
    data = api(*names, security=[{"Bearer": [], "HeaderKey": []}, {"CookieKey": []}, {}])
    both = call(data, bearer="b", header_key="h", cookie_key="c").headers
    assert (both["authorization"], both["x-key"]) == ("Bearer b", "h")
    assert "cookie" not in both
    second = call(data, header_key="h", cookie_key="c").headers
    assert (second["cookie"], "x-key" in second) == ("session=c", False)
    assert not {"authorization", "x-key", "cookie"} & call(data, header_key="h").headers.keys()


@pytest.mark.parametrize("security", [[{}, {"Bearer": []}], [{"Bearer": []}, {}]])
def test_a_credential_that_may_be_left_out_is_sent_if_there_is_one(
    call: Caller, security: Any
) -> None:
    data = api("Bearer", security=security)
    assert "authorization" not in call(data).headers
    assert call(data, token=SECRET).headers["authorization"] == f"Bearer {SECRET}"


def test_a_document_that_says_nowhere_what_needs_credentials_sends_them_always(
    call: Caller,
) -> None:
    data = api("Bearer", "HeaderKey")
    for method in ("get", "post"):
        del data["paths"]["/things"][method]["security"]
    assert call(data, "login", header_key="h").headers["x-key"] == "h"
    assert call(data, "login", bearer="b").headers["authorization"] == "Bearer b"
    assert "authorization" not in call(data, "login").headers


def test_a_document_without_schemes_takes_no_key(package: Generate) -> None:
    made = package(document({"/things": {"get": operation(ref("Thing"))}}, {"Thing": THING}))
    for client in (made.Client, made.AsyncClient):
        assert not {"token", "api_key"} & inspect.signature(client).parameters.keys()
        with pytest.raises(TypeError):
            client("key", base_url="http://x")


def test_one_scheme_is_the_first_argument_and_several_have_names(package: Generate) -> None:
    one = list(inspect.signature(package(api("HeaderKey")).Client).parameters.values())
    assert (one[0].name, one[0].kind) == ("api_key", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    two = inspect.signature(package(api("HeaderKey", "Basic")).Client).parameters
    assert {"header_key", "basic"} <= two.keys()
    assert two["basic"].kind is inspect.Parameter.KEYWORD_ONLY
    assert two["basic"].annotation == "tuple[str, str] | Callable[[], tuple[str, str]] | None"


def test_a_project_names_the_arguments_of_schemes(
    package: Generate, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.answer(Answer(body=b'{"id": "a"}'))
    names = Renames(credentials={"Bearer": "token", "Unused": "other"})
    data = api("Bearer", "HeaderKey")
    data["components"]["securitySchemes"]["Unused"] = SCHEMES["Basic"]
    made = package(data, names=names)
    taken = inspect.signature(made.Client).parameters
    assert {"token", "header_key"} <= taken.keys()
    assert not {"bearer", "other"} & taken.keys()
    with made.Client(base_url=origin.url, token=SECRET) as client:
        client.things.get_thing()
    monkeypatch.setenv(f"{made.__name__.upper()}_TOKEN", SECRET)
    with made.Client(base_url=origin.url) as client:
        client.things.get_thing()
    assert [asked.headers["authorization"] for asked in origin.asked] == [f"Bearer {SECRET}"] * 2


@pytest.mark.parametrize(
    ("name", "scheme", "argument"),
    [
        ("OAuth2PasswordBearer", "Code", "token"),
        # As in this repository's contract, and in others whose keys are sent as bearer tokens.
        ("apiKey", "Bearer", "api_key"),
        ("ApiKeyAuth", "Bearer", "api_key"),
        ("API_Key", "OpenId", "api_key"),
        ("token", "HeaderKey", "api_key"),
        ("apiKey", "Basic", "auth"),
    ],
)
def test_the_only_scheme_has_the_word_for_its_kind_or_for_a_key(
    package: Generate, name: str, scheme: str, argument: str
) -> None:
    data = api("Bearer", security=[{name: []}])
    data["components"]["securitySchemes"] = {name: SCHEMES[scheme]}
    assert next(iter(inspect.signature(package(data).Client).parameters)) == argument


def test_the_only_scheme_and_a_variable_of_a_server_stay_apart(package: Generate) -> None:
    servers = [{"url": "https://x.example/{token}", "variables": {"token": {"default": "a"}}}]
    taken = inspect.signature(package(api("Bearer", servers=servers)).Client).parameters
    assert next(iter(taken)) == "token_credential"
    assert "token" in taken


def test_names_of_schemes_become_names_of_arguments(package: Generate) -> None:
    names = ["ApiKey", "OAuth2", "X-Auth.Token", "timeout", "class", "a-b", "a_b", "super"]
    data = api("HeaderKey", security=[{name: []} for name in names])
    data["components"]["securitySchemes"] = dict.fromkeys(names, SCHEMES["HeaderKey"])
    taken = [*inspect.signature(package(data).Client).parameters]
    assert taken[:5] == ["api_key", "oauth2", "x_auth_token", "timeout_credential", "class_"]
    assert [name[:3] for name in taken[5:7]] == ["a_b", "a_b"]
    assert len(set(taken)) == len(taken)
    package(data).Client(super_credential="k", base_url="http://x")


def test_a_header_of_the_callers_own_stands_for_the_credential(call: Caller) -> None:
    headers = {"Authorization": "Bearer mine"}
    sent = call(api("Bearer"), headers=headers)
    assert sent.headers["authorization"] == "Bearer mine"
    sent = call(api("Bearer"), token=SECRET, headers=headers)
    assert [text for name, text in sent.fields if name.lower() == "authorization"] == [
        "Bearer mine"
    ]


def test_a_cookie_of_a_parameter_and_one_of_a_credential_share_a_line(call: Caller) -> None:
    data = api("CookieKey")
    data["paths"]["/things"]["get"]["parameters"] = [
        {"name": "kind", "in": "cookie", "schema": {"type": "string", "default": "x"}}
    ]
    sent = call(data, api_key="c", headers={"Cookie": "own=1"})
    assert [text for name, text in sent.fields if name.lower() == "cookie"] == ["own=1; session=c"]


# --- what the caller's HTTP client does


@pytest.mark.parametrize("name", ["Certificate", "Negotiate"])
def test_what_only_an_http_client_can_do_is_left_to_the_callers(call: Caller, name: str) -> None:
    data = api(name)
    made = call._generate(data)
    assert not {"token", "api_key"} & inspect.signature(made.Client).parameters.keys()
    with pytest.raises(call_error(call, name), match="pass an http_client that"):
        call(data)
    call(data, http_client=httpx2.AsyncClient() if call.asynchronous else httpx2.Client())
    assert len(call.origin.asked) == 1


def test_authentication_of_the_callers_http_client_is_enough(call: Caller) -> None:
    kind = httpx2.AsyncClient if call.asynchronous else httpx2.Client
    sent = call(api("Basic"), http_client=kind(auth=("user", SECRET)))
    assert sent.headers["authorization"] == SENT["Basic"][2]
    sent = call(api("HeaderKey"), http_client=kind(headers={"x-key": "own"}))
    assert sent.headers["x-key"] == "own"


# --- requests that no operation stands for


def test_a_free_request_has_the_credentials_of_the_client(
    package: Generate, origin: Origin
) -> None:
    origin.answer(Answer())
    made = package(api("Bearer", "HeaderKey"))
    with made.Client(base_url=origin.url, header_key="h") as client:
        client.request("GET", "/other")
    assert origin.asked[0].headers["x-key"] == "h"
    with made.Client(base_url=origin.url) as client:
        client.request("GET", "/other")
    assert "x-key" not in origin.asked[1].headers
