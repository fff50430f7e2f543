"""Limits of a client: deadlines, sizes of responses, and secrets that it never shows."""

from __future__ import annotations

import gzip
import inspect
import logging
import time
import traceback
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Fault, Origin
from tests.functional.test_client import KEY, Caller, caller, problem, thing

__all__ = ["caller"]

SECRET = "hunter2-nobody-may-see-this"


def told(error: BaseException) -> str:
    """Return the whole text of an exception, its causes and their tracebacks."""
    text, pending = "", [error]
    for error in pending:
        text += repr(error) + str(error) + repr(error.args) + repr(getattr(error, "response", ""))
        text += "".join(traceback.format_exception(error))
        pending += [other for other in (error.__cause__, error.__context__) if other is not None]
    return text


# --- how long


@pytest.mark.parametrize("fault", [Fault.DRIPPING_HEAD, Fault.DRIPPING_BODY])
def test_the_deadline_holds_for_an_answer_that_comes_drop_by_drop(
    caller: Caller, origin: Origin, fault: Fault
) -> None:
    origin.answer(Answer(body=b'{"id": "a"}', fault=fault))
    with pytest.raises(caller.module.ApiTimeoutError):
        caller(lambda client: client.things.get("a"), deadline=0.3, timeout=10)


def test_the_deadline_holds_for_silence(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.SILENCE))
    with pytest.raises(caller.module.ApiTimeoutError):
        caller(lambda client: client.things.get("a"), deadline=0.3, timeout=30, max_retries=2)
    assert len(origin.asked) == 1


def test_a_client_goes_on_after_a_call_that_was_too_late(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.DRIPPING_BODY), thing())
    module = caller.module

    def call(client: Any) -> Any:
        if not isinstance(client, module.AsyncClient):
            with pytest.raises(module.ApiTimeoutError):
                client.things.get("a")
            return client.things.get("a")

        async def both() -> Any:
            with pytest.raises(module.ApiTimeoutError):
                await client.things.get("a")
            return await client.things.get("a")

        return both()

    assert caller(call, deadline=0.5).id == "a"


# --- how much


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "gzip"}], ids=["plain", "gzip"])
def test_an_answer_may_be_as_large_as_the_limit_and_no_larger(
    caller: Caller, origin: Origin, headers: Json
) -> None:
    body = b'{"id": "a"}'
    sent = gzip.compress(body, mtime=0) if headers else body
    origin.answer(Answer(body=sent, headers=headers))
    limit = max(len(body), len(sent))
    assert caller(lambda client: client.things.get("a"), max_response_bytes=limit).id == "a"
    with pytest.raises(caller.module.ResponseTooLargeError, match=f"{len(body) - 1} bytes"):
        caller(
            lambda client: client.things.get("a"),
            max_response_bytes=len(body) - 1,
            max_retries=2,
        )
    assert len(origin.asked) == 2, "what is too large stays too large"


@pytest.mark.parametrize("members", [1, 3], ids=["one member", "several members"])
def test_a_small_answer_does_not_unpack_to_a_large_one(
    caller: Caller, origin: Origin, members: int
) -> None:
    bomb = gzip.compress(bytes(200_000_000 // members)) * members
    origin.answer(Answer(body=bomb, headers={"content-encoding": "gzip"}))
    tracemalloc.start()
    try:
        with pytest.raises(caller.module.ResponseTooLargeError, match="bytes"):
            caller(lambda client: client.things.get("a"), max_response_bytes=1_000_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20_000_000


def test_without_an_option_the_limit_is_64_mebibytes(caller: Caller, origin: Origin) -> None:
    fits, too_large = (
        gzip.compress(b'{"id": "a"}'.ljust(64 * 1024 * 1024 + more)) for more in (0, 1)
    )
    for body in (fits, too_large):
        origin.script = [Answer(body=body, headers={"content-encoding": "gzip"})]
        if body is fits:
            assert caller(lambda client: client.things.get("a")).id == "a"
        else:
            with pytest.raises(caller.module.ResponseTooLargeError, match="67108864 bytes"):
                caller(lambda client: client.things.get("a"))


def test_several_members_of_gzip_are_one_answer(caller: Caller, origin: Origin) -> None:
    body = gzip.compress(b'{"id"') + gzip.compress(b': "a"}')
    origin.answer(Answer(body=body, headers={"content-encoding": "gzip"}))
    assert caller(lambda client: client.things.get("a")).id == "a"


def test_as_many_members_as_there_are_bytes_are_broken(caller: Caller, origin: Origin) -> None:
    body = gzip.compress(b"") * 1_000_000
    origin.answer(Answer(body=body, headers={"content-encoding": "gzip"}))
    with pytest.raises(caller.module.ApiConnectionError, match="decompressed"):
        caller(lambda client: client.things.get("a"))


# --- what is never told


@pytest.mark.parametrize(
    "key", [f"{SECRET} ", f" {SECRET}", f"{SECRET}\t", f"{SECRET}\r\nX: y", f"{SECRET}é", "  "]
)
@pytest.mark.parametrize("from_environment", [False, True], ids=["argument", "environment"])
def test_a_key_that_no_header_carries_is_refused_and_not_shown(
    caller: Caller,
    origin: Origin,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    from_environment: bool,
) -> None:
    options: Json = {"api_key": key}
    if from_environment:
        monkeypatch.setenv(f"{caller.module.__name__.upper()}_API_KEY", key)
        options = {"api_key": None}
    with pytest.raises(caller.module.InvalidArgumentError, match="key") as caught:
        caller(lambda client: client.things.get("a"), **options)
    assert SECRET not in told(caught.value)
    assert origin.asked == []


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("X-Token", f"{SECRET}\r\nX-Other: 1", "X-Token"),
        ("X-Token", f"{SECRET}\x00", "X-Token"),
        ("X-Token", f"{SECRET} ", "X-Token"),
        ("X-Token", f"{SECRET}€", "X-Token"),
        (f"X-Token: {SECRET}\r\nX", "1", "name"),
        ("", SECRET, "name"),
    ],
)
def test_headers_are_checked_when_they_are_given(
    caller: Caller, name: str, value: str, shown: str
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match=shown) as caught:
        caller(lambda client: None, headers={name: value})
    assert SECRET not in told(caught.value)


def test_headers_of_the_client_are_sent(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    headers = {"X-Empty": "", "X-Latin": "é", "X-Tab": "a\tb"}
    caller(lambda client: client.things.get("a"), headers=headers)
    sent = origin.asked[0].headers
    assert (sent["x-empty"], sent["x-latin"], sent["x-tab"]) == ("", "é", "a\tb")


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{SECRET}@127.0.0.1:9/",
        f"ftp://user:{SECRET}@127.0.0.1/",
        f"http://127.0.0.1:9/?token={SECRET}",
        f"http://127.0.0.1:9/#{SECRET}",
        f"http://127.0.0.1:{SECRET}/",
        f"http:///{SECRET}",
        f"{SECRET}\n",
    ],
)
def test_an_address_that_cannot_be_called_is_refused_and_not_shown(
    caller: Caller, url: str
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match="base URL") as caught:
        caller(lambda client: client.things.get("a"), base_url=url)
    assert SECRET not in told(caught.value)


@pytest.mark.parametrize(
    "proxy",
    [
        f"http://user:{SECRET}@127.0.0.1:9",
        f"user:{SECRET}@127.0.0.1:9",
        f"gopher://user:{SECRET}@127.0.0.1:9",
        f"http://user:{SECRET}@127.0.0.1:nine",
        f"http://user:{SECRET}€@127.0.0.1:9",
        f"http://[{SECRET}",
        f"http://user:{SECRET}@",
    ],
)
def test_the_password_of_a_proxy_is_not_shown(caller: Caller, proxy: str) -> None:
    with pytest.raises((caller.module.ApiError, ValueError)) as caught:
        caller(lambda client: client.things.get("a"), proxy=proxy)
    assert SECRET not in told(caught.value)


def test_an_argument_that_breaks_the_contract_is_named_and_not_shown(
    caller: Caller, origin: Origin
) -> None:
    for call in (
        lambda client: client.things.create(reference=SECRET),
        lambda client: client.things.create(reference="r", size=SECRET),
        lambda client: client.things.list(tag=SECRET),
    ):
        with pytest.raises(caller.module.InvalidArgumentError) as caught:
            caller(call)
        assert SECRET not in told(caught.value)
    assert origin.asked == []


def test_a_model_that_was_changed_is_checked_and_not_shown(
    package: Generate, origin: Origin, recwarn: pytest.WarningsRecorder
) -> None:
    paths = {
        "/boxes": {
            "post": operation(
                operationId="createBox",
                requestBody={"required": True, **content(ref("Box"))},
            )
        }
    }
    box = {"type": "object", "properties": {"thing": ref("Thing")}}
    made = package(document(paths, {"Box": box, "Thing": THING}), short_method_names=True)
    changed = made.models.Thing(id="a", size=1)
    changed.size = SECRET
    with (
        made.Client(base_url=origin.url) as client,
        pytest.raises(made.InvalidArgumentError, match="body") as caught,
    ):
        client.things.create_box(thing=changed)
    assert SECRET not in told(caught.value) + "".join(
        str(warning_message.message) for warning_message in recwarn
    )
    assert origin.asked == []


@pytest.mark.parametrize("body", [b'{"value": ["%s"]}', b'{"value": "%s"', b'{"%s": 1}', b'"%s"'])
def test_an_answer_that_breaks_the_contract_is_not_shown(
    caller: Caller, origin: Origin, body: bytes
) -> None:
    secret = SECRET.encode()
    origin.answer(Answer(body=body.replace(b"%s", secret), headers={"Set-Cookie": f"s={SECRET}"}))
    with pytest.raises(caller.module.InvalidResponseError) as caught:
        caller(lambda client: client.things.get_secret())
    assert SECRET not in told(caught.value)
    assert secret in caught.value.response.content


def test_an_answer_that_is_not_http_is_not_shown(
    caller: Caller, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    origin.answer(Answer(body=f"Set-Cookie {SECRET}".encode(), fault=Fault.GARBAGE))
    with pytest.raises(caller.module.ApiConnectionError) as caught:
        caller(lambda client: client.things.get("a"))
    assert SECRET not in told(caught.value) + caplog.text


@pytest.mark.parametrize(
    "answer", [Answer(fault=Fault.RESET), problem(500), Answer(fault=Fault.SILENCE)]
)
def test_no_failure_of_a_call_shows_the_key(
    caller: Caller, origin: Origin, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    origin.answer(answer)
    with pytest.raises(caller.module.ApiError) as caught:
        caller(lambda client: client.things.get("a"), timeout=0.2)
    assert KEY not in told(caught.value) + caplog.text


# --- what is not sent


IN_HEADERS = document(
    paths={
        "/it": {
            "get": operation(
                operationId="getIt",
                parameters=[
                    {"name": "X-Note", "in": "header", "schema": {"type": "string"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                    {
                        "name": "flags",
                        "in": "cookie",
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "joined",
                        "in": "cookie",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "point",
                        "in": "cookie",
                        "schema": {
                            "type": "object",
                            "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
                        },
                    },
                ],
            )
        }
    }
)


@pytest.fixture(params=["sync", "async"])
def sender(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    origin.answer(Answer(204, b""))
    made = package(IN_HEADERS, short_method_names=True)
    return Caller(made, origin, request.param == "async")


@pytest.mark.parametrize("end", ["\r\nX-Admin: 1", "\n", "\x00", "\x7f", " ", "\x85", "€"])
def test_a_header_is_one_header(sender: Caller, origin: Origin, end: str) -> None:
    with pytest.raises(sender.module.InvalidArgumentError, match="X-Note") as caught:
        sender(lambda client: client.things.get_it(x_note=SECRET + end))
    assert SECRET not in told(caught.value)
    assert origin.asked == []


def test_all_cookies_are_in_one_header_and_none_adds_another(
    sender: Caller, origin: Origin
) -> None:
    sender(
        lambda client: client.things.get_it(
            session='x; admin=1,"\\é',
            flags=["a b", "c;d"],
            joined=["e", "f"],
            point={"x": "1", "y": "2=3"},
        )
    )
    assert origin.asked[0].headers["cookie"] == (
        "session=x%3B%20admin%3D1%2C%22%5C%C3%A9; flags=a%20b; flags=c%3Bd; joined=e,f; "
        "x=1; y=2%3D3"
    )


# --- None


OPTIONAL = document(
    paths={
        "/it/{part}": {
            "get": operation(
                operationId="getIt",
                parameters=[
                    {"name": "part", "in": "path", "required": True, "schema": {}},
                    {
                        "name": "must",
                        "in": "query",
                        "required": True,
                        "schema": {"type": ["string", "null"]},
                    },
                    {"name": "word", "in": "query", "schema": {"type": "string"}},
                    {"name": "maybe", "in": "query", "schema": {"type": ["string", "null"]}},
                    {"name": "any", "in": "query", "schema": {}},
                    *(
                        {
                            "name": f"list{explode}",
                            "in": "query",
                            "explode": explode,
                            "schema": {"type": "array", "items": {"type": ["string", "null"]}},
                        }
                        for explode in (True, False)
                    ),
                    {
                        "name": "deep",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"type": "object", "additionalProperties": {}},
                    },
                    {"name": "X-Word", "in": "header", "schema": {"type": ["string", "null"]}},
                    {"name": "crumb", "in": "cookie", "schema": {"type": ["string", "null"]}},
                ],
            )
        }
    }
)


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ({}, ""),
        ({"word": None}, ""),
        ({"maybe": None}, ""),
        ({"any": None}, ""),
        ({"list_true": ["a", None, "b"]}, "&listTrue=a&listTrue=b"),
        ({"list_false": ["a", None, "b"]}, "&listFalse=a,b"),
        ({"list_true": [None]}, ""),
        ({"list_false": []}, ""),
        ({"deep": {"a": None, "b": "1"}}, "&deep%5Bb%5D=1"),
        ({"deep": {"a": None}}, ""),
        ({"x_word": None, "crumb": None}, ""),
    ],
)
def test_what_is_none_is_not_sent(
    package: Generate, origin: Origin, arguments: Json, query: str
) -> None:
    made = package(OPTIONAL, short_method_names=True)
    origin.answer(Answer(204, b""))
    with made.Client(base_url=origin.url) as client:
        client.things.get_it("p", must="m", **arguments)
    (asked,) = origin.asked
    assert asked.target == f"/it/p?must=m{query}"
    assert not {"x-word", "cookie"} & asked.headers.keys()


@pytest.mark.parametrize("arguments", [{"part": None, "must": "m"}, {"part": "p", "must": None}])
def test_what_is_required_cannot_be_none(
    package: Generate, origin: Origin, arguments: Json
) -> None:
    made = package(OPTIONAL, short_method_names=True)
    with (
        made.Client(base_url=origin.url) as client,
        pytest.raises(made.InvalidArgumentError, match=r"part|must"),
    ):
        client.things.get_it(**arguments)
    assert origin.asked == []


# --- what an answer means

JSON_ANSWER = {
    "description": "Made.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}


@pytest.mark.parametrize("status", [200, 202, 204, 299])
def test_a_success_that_the_contract_does_not_declare_is_not_taken_for_one(
    caller: Caller, origin: Origin, status: int
) -> None:
    origin.answer(Answer(status, b""))
    with pytest.raises(caller.module.InvalidResponseError, match=str(status)) as caught:
        caller(lambda client: client.things.create_safe(reference="r"), max_retries=2)
    assert caught.value.response.status == status
    assert len(origin.asked) == 1


@pytest.mark.parametrize(
    ("responses", "status", "is_declared"),
    [
        ({"201": {"description": "Made."}, "default": {"description": "?"}}, 200, True),
        ({"201": JSON_ANSWER, "default": {"description": "?"}}, 200, False),
        ({"2XX": {"description": "Done."}}, 299, True),
        ({"default": {"description": "Done."}}, 200, True),
        ({"404": {"description": "?"}, "default": {"description": "Done."}}, 204, True),
    ],
)
def test_default_stands_for_a_success_where_no_other_is_declared(
    package: Generate, origin: Origin, responses: Json, status: int, is_declared: bool
) -> None:
    paths = {"/it": {"get": {"tags": ["things"], "operationId": "getIt", "responses": responses}}}
    made = package(document(paths=paths))
    origin.answer(Answer(status, b""))
    with made.Client(base_url=origin.url) as client:
        if is_declared:
            assert client.things.get_it() is None
        else:
            with pytest.raises(made.InvalidResponseError):
                client.things.get_it()


# --- attempts


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_an_answer_that_may_change_is_asked_for_again(
    caller: Caller, origin: Origin, status: int
) -> None:
    origin.answer(problem(status, Retry_After="0"), thing())
    assert caller(lambda client: client.things.get("a"), max_retries=1).id == "a"


def test_pauses_double_and_half_of_each_is_chance(
    caller: Caller, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def remember(seconds: float) -> None:
        pauses.append(seconds)

    calls = f"{caller.module.__name__}._runtime.client.calls.execution"
    clock = SimpleNamespace(sleep=pauses.append, monotonic=time.monotonic)
    monkeypatch.setattr(f"{calls}.time", clock)
    monkeypatch.setattr(f"{calls}.sleep", remember)
    origin.answer(problem(503))
    retries = 7
    for _ in range(5):
        with pytest.raises(caller.module.ServerError):
            caller(lambda client: client.things.get("a"), max_retries=retries)
    for attempt in range(retries):
        longest = min(8.0, 0.5 * 2**attempt)
        same = pauses[attempt::retries]
        assert len(set(same)) == len(same) == 5
        assert all(longest / 2 <= pause <= longest for pause in same)


# --- header names


def test_names_of_headers_have_no_case(package: Generate, origin: Origin) -> None:
    number = {"in": "header", "schema": {"type": "integer"}}
    made = package(
        document(
            paths={
                "/it": {
                    "parameters": [{"name": "X-Foo", "in": "header", "schema": {"type": "string"}}],
                    "get": operation(
                        operationId="getIt",
                        parameters=[
                            {"name": "x-foo", **number},
                            {"name": "accept", **number},
                            {"name": "CONTENT-TYPE", **number},
                        ],
                    ),
                }
            }
        )
    )
    origin.answer(Answer(204, b""))
    with made.Client(base_url=origin.url) as client:
        names = list(inspect.signature(client.things.get_it).parameters)
        assert names == ["x_foo", "request_options"]
        client.things.get_it(x_foo=7)
    assert origin.asked[0].headers["x-foo"] == "7"
    assert origin.asked[0].headers["accept"] == "application/json, */*;q=0.5"
