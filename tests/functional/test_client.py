"""The generated client on the wire, synchronous and asynchronous alike."""

from __future__ import annotations

import asyncio
import gzip
import inspect
import json
import logging
from base64 import b64encode
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Fault, Origin

KEY = "key-that-nobody-may-see"

IDEMPOTENCY = {
    "key": "/reference",
    "replay": {"status": 201, "header": "Replayed", "value": "true"},
    "in_progress": {"status": 409, "code": "in_progress"},
    "changed": {"status": 422, "code": "changed"},
    "scope": ["account"],
}
ERROR = {
    "schema": "#/components/schemas/Error",
    "type": "/error/type",
    "code": "/error/code",
    "message": "/error/message",
    "param": "/error/param",
    "request_id": "/error/request_id",
    "details": "/error/details",
    "request_id_header": "Request-Id",
    "codes": {
        "broken": {"status": 400, "type": "invalid"},
        "in_progress": {"status": 409, "type": "conflict"},
        "changed": {"status": 422, "type": "conflict"},
    },
}
FAILURE = {
    "description": "Failed.",
    "headers": {"Request-Id": {"schema": {"type": "string"}}},
    **content(ref("Error")),
}
TEXT = {"type": "string"}
CREATE = {
    "type": "object",
    "required": ["reference"],
    "additionalProperties": False,
    "properties": {
        "reference": {"type": "string", "maxLength": 10},
        "size": {"type": "integer"},
    },
}
LIST = {
    "type": "object",
    "required": ["data", "has_more", "next_cursor"],
    "properties": {
        "data": {"type": "array", "items": ref("Thing")},
        "has_more": {"type": "boolean"},
        "next_cursor": {"type": ["string", "null"]},
    },
}
PAGINATION = {
    "cursor": "cursor",
    "limit": None,
    "items": "/data",
    "next": "/next_cursor",
    "more": "/has_more",
    "id": "/id",
    "resume": True,
}
API = document(
    paths={
        "/things": {
            "get": operation(
                ref("ThingList"),
                operationId="listThings",
                parameters=[
                    {"name": "cursor", "in": "query", "schema": {"type": "string"}},
                    {
                        "name": "tag",
                        "in": "query",
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1},
                    },
                ],
                **{"x-contract-pagination": PAGINATION},
            ),
            "post": operation(
                ref("Thing"),
                operationId="createThing",
                requestBody={"required": True, **content(ref("ThingCreate"))},
            ),
        },
        "/safe-things": {
            "post": {
                "tags": ["things"],
                "operationId": "createSafeThing",
                "requestBody": {"required": True, **content(ref("ThingCreate"))},
                "responses": {
                    "201": {
                        "description": "Made.",
                        "headers": {"Replayed": {"schema": TEXT}},
                        **content(ref("Thing")),
                    },
                    "409": FAILURE,
                    "422": FAILURE,
                },
                "x-contract-idempotency": IDEMPOTENCY,
            },
        },
        "/things/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "get": operation(ref("Thing"), operationId="getThing"),
            "delete": operation(operationId="deleteThing"),
        },
        "/labels": {
            "post": operation(
                ref("Thing"),
                operationId="printLabel",
                requestBody={"required": True, **content(ref("Label"))},
            ),
        },
        "/state": {"get": operation(ref("State"), operationId="getState")},
        "/change": {"get": operation(ref("Change"), operationId="getChange")},
        "/secret": {"get": operation(ref("Secret"), operationId="getSecret")},
    },
    schemas={
        "Thing": THING,
        "ThingCreate": CREATE,
        "Label": {
            "type": "object",
            "required": ["text"],
            "properties": {"text": TEXT, "copies": {"type": "integer", "default": 1}},
        },
        "ThingList": LIST,
        "State": {
            "type": "object",
            "required": ["state"],
            "properties": {"state": {"type": "string", "x-extensible-enum": ["on", "off"]}},
        },
        "Made": {
            "type": "object",
            "required": ["type", "thing"],
            "properties": {"type": {"const": "made"}, "thing": ref("Thing")},
        },
        "Gone": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"const": "gone"}},
        },
        "Change": {
            "oneOf": [ref("Made"), ref("Gone")],
            "discriminator": {"propertyName": "type"},
            "x-extensible-enum": ["made", "gone"],
        },
        "Error": {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        **dict.fromkeys(("type", "code", "message", "param", "request_id"), TEXT),
                        "details": {"type": "array", "items": {"type": "object"}},
                    },
                }
            },
        },
        "Secret": {
            "type": "object",
            "required": ["value"],
            "properties": {"value": {"type": "string", "x-contract-once": True}},
        },
    },
    components={"securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}}},
    security=[{"apiKey": []}],
    **{"x-contract-error": ERROR},
)
Call = Callable[[Any], Any]


class Caller:
    """Calls either client in the same words."""

    def __init__(self, module: ModuleType, origin: Origin, asynchronous: bool) -> None:
        self.module = module
        self.asynchronous = asynchronous
        self._url = origin.url + "/api"

    def __call__(self, call: Call, **options: Any) -> Any:
        options = {"base_url": self._url, "max_retries": 0, **options}
        if "api_key" in inspect.signature(self.module.Client).parameters:
            options = {"api_key": KEY, **options}
        if not self.asynchronous:
            with self.module.Client(**options) as client:
                return call(client)

        async def run() -> Any:
            async with self.module.AsyncClient(**options) as client:
                result = call(client)
                return await result if inspect.isawaitable(result) else result

        return asyncio.run(run())

    def items(self, call: Call, **options: Any) -> list[Any]:
        """All items of a list."""
        if not self.asynchronous:
            return self(lambda client: list(call(client)), **options)

        async def collect(client: Any) -> list[Any]:
            return [item async for item in call(client)]

        return self(collect, **options)


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    module = package(API, short_method_names=True)
    return Caller(module, origin, request.param == "async")


def thing(**members: Any) -> Answer:
    return Answer(body=json.dumps({"id": "a", **members}).encode())


def page(*ids: str, cursor: str | None = None, more: bool = False) -> Answer:
    data = [{"id": id_} for id_ in ids]
    return Answer(body=json.dumps({"data": data, "has_more": more, "next_cursor": cursor}).encode())


def problem(status: int, code: str = "broken", **headers: str) -> Answer:
    body = {
        "error": {
            "type": "invalid",
            "code": code,
            "message": "No.",
            "param": "query.tag",
            "request_id": "req_1",
            "details": [{"param": "query.tag", "code": code, "message": "No."}],
        }
    }
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(body).encode(), names)


def test_a_call_sends_what_the_contract_says(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    made = caller(lambda client: client.things.create(reference="r1", size=3))
    (asked,) = origin.asked
    assert (asked.method, asked.target) == ("POST", "/api/things")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["user-agent"].startswith(caller.module.__name__.replace("_", "-"))
    assert asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {"reference": "r1", "size": 3}
    assert isinstance(made, caller.module.models.Thing)
    assert made.id == "a"


def test_arguments_are_written_into_the_url(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    caller(lambda client: client.things.get("a/b ?#%é"))
    assert origin.asked[0].target == "/api/things/a%2Fb%20%3F%23%25%C3%A9"
    origin.script = [page()]
    caller.items(lambda client: client.things.list(tag=["x y", "z&"], limit=5))
    assert origin.asked[1].target == "/api/things?tag=x%20y&tag=z%26&limit=5"


def test_what_is_left_out_is_not_sent(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    caller(lambda client: client.things.create(reference="r1"))
    assert json.loads(origin.asked[0].body) == {"reference": "r1"}


def test_a_property_with_a_default_may_be_left_out(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    caller(lambda client: client.things.print_label(text="new"))
    assert json.loads(origin.asked[0].body) == {"text": "new"}


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda client: client.things.create(reference="12345678901"), "reference"),
        (lambda client: client.things.create(reference="r", size="3"), "size"),
        (lambda client: client.things.create(reference="r", size=True), "size"),
        (lambda client: client.things.get(".."), "id"),
        (lambda client: client.things.get(""), "id"),
        (lambda client: client.things.get(5), "id"),
    ],
)
def test_an_argument_that_breaks_the_contract_is_not_sent(
    caller: Caller, origin: Origin, call: Call, names: str
) -> None:
    with pytest.raises(caller.module.InvalidArgumentError, match=names):
        caller(call)
    assert origin.asked == []


def test_a_success_without_a_body_is_none(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(204, b""))
    assert caller(lambda client: client.things.delete("a")) is None
    # So that a server need not wait for a body (RFC 9110, 8.6).
    assert origin.asked[0].headers["content-length"] == "0"


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "BadRequestError"),
        (401, "AuthenticationError"),
        (402, "PaymentRequiredError"),
        (403, "PermissionDeniedError"),
        (404, "NotFoundError"),
        (409, "ConflictError"),
        (422, "UnprocessableContentError"),
        (429, "RateLimitError"),
        (500, "ServerError"),
        (503, "ServerError"),
        (418, "ApiStatusError"),
    ],
)
def test_each_status_has_its_exception(
    caller: Caller, origin: Origin, status: int, name: str
) -> None:
    origin.answer(problem(status, Retry_After="7"))
    with pytest.raises(caller.module.ApiError) as caught:
        caller(lambda client: client.things.get("a"))
    error = caught.value
    assert type(error).__name__ == name
    assert (error.status, error.code, error.type) == (status, "broken", "invalid")
    assert (error.message, error.param, error.request_id) == ("No.", "query.tag", "req_1")
    assert error.retry_after == 7
    assert error.details[0]["code"] == "broken"
    assert error.response.status == status


def test_an_error_body_of_another_form_is_an_error_all_the_same(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(Answer(502, b"<html>", {"Request-Id": "req_9"}))
    with pytest.raises(caller.module.ServerError, match="502") as caught:
        caller(lambda client: client.things.get("a"))
    assert caught.value.code is None
    assert caught.value.request_id == "req_9"


def test_a_read_is_tried_again(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(503, Retry_After="0"), Answer(fault=Fault.RESET), problem(429), thing())
    caller(lambda client: client.things.get("a"), max_retries=3)
    assert len(origin.asked) == 4


def test_an_idempotent_write_is_tried_again_with_the_same_body(
    caller: Caller, origin: Origin
) -> None:
    made = Answer(201, b'{"id": "a"}')
    origin.answer(Answer(fault=Fault.RESET), problem(409, "in_progress", Retry_After="0"), made)
    caller(lambda client: client.things.create_safe(reference="r1"), max_retries=2)
    assert len(origin.asked) == 3
    assert len({asked.body for asked in origin.asked}) == 1


def test_any_other_write_is_sent_once(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(503, Retry_After="0"))
    with pytest.raises(caller.module.ServerError):
        caller(lambda client: client.things.create(reference="r1"), max_retries=5)
    assert len(origin.asked) == 1


@pytest.mark.parametrize("status", [400, 404, 409, 422])
def test_an_answer_that_will_not_change_is_final(
    caller: Caller, origin: Origin, status: int
) -> None:
    origin.answer(problem(status))
    with pytest.raises(caller.module.ApiStatusError):
        caller(lambda client: client.things.get("a"), max_retries=2)
    assert len(origin.asked) == 1


def test_a_long_retry_after_is_left_to_the_caller(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(429, Retry_After="61"))
    with pytest.raises(caller.module.RateLimitError) as caught:
        caller(lambda client: client.things.get("a"), max_retries=2)
    assert caught.value.retry_after == 61
    assert len(origin.asked) == 1


def test_a_pause_that_ends_after_the_deadline_is_not_made(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(503, Retry_After="30"))
    with pytest.raises(caller.module.ServerError):
        caller(lambda client: client.things.get("a"), max_retries=2, deadline=5)
    assert len(origin.asked) == 1


def test_silence_is_a_timeout(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(fault=Fault.SILENCE))
    with pytest.raises(caller.module.ApiTimeoutError):
        caller(lambda client: client.things.get("a"), timeout=0.1)


@pytest.mark.parametrize("answer", [Answer(fault=Fault.RESET), Answer(body=b'{"id"', promised=100)])
def test_a_broken_connection_is_a_connection_error(
    caller: Caller, origin: Origin, answer: Answer
) -> None:
    origin.answer(answer)
    with pytest.raises(caller.module.ApiConnectionError):
        caller(lambda client: client.things.get("a"))


def test_nobody_listening_is_a_connection_error(caller: Caller) -> None:
    with pytest.raises(caller.module.ApiConnectionError):
        caller(lambda client: client.things.get("a"), base_url="http://127.0.0.1:9")


def test_a_compressed_answer_is_read(caller: Caller, origin: Origin) -> None:
    body = gzip.compress(b'{"id": "a"}')
    origin.answer(Answer(body=body, headers={"content-encoding": "gzip"}))
    assert caller(lambda client: client.things.get("a")).id == "a"
    assert origin.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("body", [b"plain", gzip.compress(b"{}" * 99)[:-9]], ids=["plain", "cut"])
def test_an_answer_whose_compression_is_broken_is_a_connection_error(
    caller: Caller, origin: Origin, body: bytes
) -> None:
    origin.answer(Answer(body=body, headers={"content-encoding": "gzip"}))
    with pytest.raises(caller.module.ApiConnectionError, match="decompressed"):
        caller(lambda client: client.things.get("a"), max_retries=0)


def test_a_proxy_gets_the_request_and_its_own_credentials(caller: Caller, origin: Origin) -> None:
    origin.answer(thing())
    proxy = origin.url.replace("://", "://user:p%40ss@")
    made = caller(
        lambda client: client.things.get("a"), base_url="http://api.example/v1", proxy=proxy
    )
    assert made.id == "a"
    (asked,) = origin.asked
    assert (asked.target, asked.headers["host"]) == (
        "http://api.example/v1/things/a",
        "api.example",
    )
    assert asked.headers["proxy-authorization"] == f"Basic {b64encode(b'user:p@ss').decode()}"


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_the_environment_may_name_a_proxy(
    caller: Caller, origin: Origin, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, origin.url.removeprefix("http://"))
    monkeypatch.setenv("no_proxy", "elsewhere.example")
    origin.answer(thing())
    caller(lambda client: client.things.get("a"), base_url="http://api.example")
    assert origin.asked[0].target == "http://api.example/things/a"


def test_the_environment_may_leave_a_host_out_of_its_proxy(
    caller: Caller, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    origin.answer(thing())
    assert caller(lambda client: client.things.get("a"), max_retries=0).id == "a"


@pytest.mark.parametrize("body", [b'{"id"', b"", b"[]", b'{"id": 5}', b'{"size": 1}', b"\xff"])
def test_an_answer_that_breaks_the_contract_says_so(
    caller: Caller, origin: Origin, body: bytes
) -> None:
    origin.answer(Answer(body=body))
    with pytest.raises(caller.module.InvalidResponseError) as caught:
        caller(lambda client: client.things.get("a"))
    assert caught.value.response.content == body


def test_an_integer_may_be_written_with_a_fraction(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"id": "a", "size": 10.0}'))
    assert caller(lambda client: client.things.get("a")).size == 10


def test_a_list_goes_on_to_its_last_page(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", "b", cursor="c1", more=True), page("c", cursor="c2"))
    items = caller.items(lambda client: client.things.list(tag=["x"]))
    assert [item.id for item in items] == ["a", "b", "c"]
    assert [asked.target for asked in origin.asked] == [
        "/api/things?tag=x",
        "/api/things?cursor=c1&tag=x",
    ]


def test_a_cursor_that_comes_again_ends_the_list(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1", more=True))
    with pytest.raises(caller.module.PaginationError, match="c1"):
        caller.items(lambda client: client.things.list())
    assert len(origin.asked) == 2


def test_one_page_is_there_for_itself(caller: Caller, origin: Origin) -> None:
    origin.answer(page("a", cursor="c1", more=True))
    first = caller(lambda client: client.things.list())
    assert [item.id for item in first.items] == ["a"]
    assert (first.next_cursor, first.has_more) == ("c1", True)
    assert len(origin.asked) == 1


def test_the_raw_answer_comes_with_its_meaning(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(201, b'{"id": "a"}', {"Replayed": "true"}))
    raw = caller(lambda client: client.with_raw_response(client.things.create_safe, reference="r1"))
    assert (raw.status, raw.content, raw.value.id) == (201, b'{"id": "a"}', "a")
    assert raw.headers["replayed"] == raw.headers["Replayed"] == "true"


def test_a_new_property_is_kept(caller: Caller, origin: Origin) -> None:
    origin.answer(thing(colour="red"))
    got = caller(lambda client: client.things.get("a"))
    assert got.colour == "red"
    assert got.model_extra == {"colour": "red"}


def test_a_new_value_of_an_open_enum_arrives(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"state": "dimmed"}'))
    assert caller(lambda client: client.things.get_state()).state == "dimmed"


def test_a_new_kind_of_event_arrives_with_all_it_carries(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"type": "moved", "to": "b"}'))
    change = caller(lambda client: client.things.get_change())
    assert isinstance(change, caller.module.models.UnknownChange)
    assert (change.type, change.to) == ("moved", "b")


def test_a_known_event_that_is_broken_is_not_taken_for_a_new_one(
    caller: Caller, origin: Origin
) -> None:
    origin.answer(Answer(body=b'{"type": "made"}'))
    with pytest.raises(caller.module.InvalidResponseError, match="thing"):
        caller(lambda client: client.things.get_change())


def test_a_new_error_code_is_an_error_like_others(caller: Caller, origin: Origin) -> None:
    origin.answer(problem(400, code="never_heard_of"))
    with pytest.raises(caller.module.BadRequestError) as caught:
        caller(lambda client: client.things.get("a"))
    assert caught.value.code == "never_heard_of"


def test_the_key_is_nowhere_to_be_seen(
    caller: Caller, origin: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    origin.answer(problem(503, Retry_After="0"))
    seen = []

    def call(client: Any) -> Any:
        seen.append(repr(client) + repr(vars(client)) + repr(vars(client._calls)))
        return client.things.get("a")

    with pytest.raises(caller.module.ServerError) as caught:
        caller(call, max_retries=1)
    assert KEY not in seen[0] + repr(caught.value) + caplog.text
    assert KEY not in repr(caught.value.response)


def test_a_value_shown_once_is_hidden_in_repr(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"value": "whsec_1"}'))
    secret = caller(lambda client: client.things.get_secret())
    assert secret.value == "whsec_1"
    assert "whsec_1" not in repr(secret) + str(secret)


def test_key_and_address_come_from_the_environment(
    caller: Caller, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = caller.module.__name__.upper()
    monkeypatch.setenv(f"{name}_API_KEY", "from-outside")
    monkeypatch.setenv(f"{name}_BASE_URL", origin.url + "/elsewhere/")
    origin.answer(thing())
    caller(lambda client: client.things.get("a"), api_key=None, base_url=None)
    assert origin.asked[0].target == "/elsewhere/things/a"
    assert origin.asked[0].headers["authorization"] == "Bearer from-outside"


@pytest.mark.parametrize(
    "options",
    [{"base_url": "ftp://x"}, {"base_url": "http://é.x"}, {"api_key": "a\n"}],
)
def test_a_client_that_cannot_work_is_not_made(caller: Caller, options: Json) -> None:
    with pytest.raises(caller.module.InvalidArgumentError):
        caller(lambda client: None, **options)
