"""A miniature API served over HTTP: every answer, and above all every error, is the contract's."""

from __future__ import annotations

import datetime
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import MISSING, ConfigDict, Field
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from specwright.runtime.server.application import Hooks, Options, Policy, bind
from specwright.runtime.server.context import Context
from specwright.runtime.server.hooks import Allowance, Cursors, RateLimitClass
from specwright.runtime.server.implementations import Group, ImplementationError
from specwright.runtime.server.problems import Problem, Unimplemented
from specwright.runtime.server.responses import Reply
from specwright.runtime.shared.auth.token import Token
from specwright.runtime.shared.codec import Codecs
from specwright.runtime.shared.operation import (
    Content,
    ErrorCode,
    ErrorShape,
    Operation,
    Parameter,
    as_json,
)
from specwright.runtime.shared.types import AwareDatetime, Model
from tests.serving import Server

String = Annotated[str, Field(strict=True)]
Integer = Annotated[int, Field(strict=True)]


class Buyer(Model):
    model_config = ConfigDict(extra="forbid")
    label: Annotated[str, Field(strict=True, min_length=1, max_length=5)]


class ThingCreate(Model):
    model_config = ConfigDict(extra="forbid")
    reference: Annotated[str, Field(strict=True, max_length=20)]
    quantity: Annotated[int, Field(strict=True, ge=1, le=20)] = 1
    days: Integer | MISSING = MISSING
    buyer: Annotated[Buyer | MISSING, Field(alias="end-user")] = MISSING
    colour: Literal["red", "blue"] | MISSING = MISSING
    tags: Annotated[list[String] | MISSING, Field(max_length=2)] = MISSING
    labels: dict[Annotated[str, Field(max_length=3)], String] | MISSING = MISSING


class Thing(Model):
    id: String
    reference: String
    quantity: Integer


class Filter(Model):
    model_config = ConfigDict(extra="forbid")
    size: Integer | MISSING = MISSING
    name: String | MISSING = MISSING


# The types that the operations name.
Limit = Annotated[int, Field(strict=True, ge=1, le=200)]
Strings = list[String]
Integers = Annotated[list[Integer], Field(max_length=3)]
Moment = AwareDatetime
Flag = Annotated[bool, Field(strict=True)]
Ratio = Annotated[float, Field(strict=True)]
Echo = dict[str, Any]
Error = dict[Literal["error"], Any]

SHAPE = ErrorShape(
    code=("error", "code"),
    message=("error", "message"),
    type=("error", "type"),
    param=("error", "param"),
    request_id=("error", "request_id"),
    details=("error", "details"),
    request_id_header="Request-Id",
    codes={
        "bad_json": ErrorCode(400, "invalid_request"),
        "too_big": ErrorCode(400, "invalid_request"),
        "not_json": ErrorCode(400, "invalid_request"),
        "missing_field": ErrorCode(400, "invalid_request"),
        "unknown_field": ErrorCode(400, "invalid_request"),
        "invalid_value": ErrorCode(400, "invalid_request"),
        "out_of_range": ErrorCode(400, "invalid_request"),
        "invalid_length": ErrorCode(400, "invalid_request"),
        "need_country_or_region": ErrorCode(400, "invalid_request"),
        "no_key": ErrorCode(401, "authentication"),
        "bad_key": ErrorCode(401, "authentication"),
        "too_poor": ErrorCode(402, "payment"),
        "nothing_here": ErrorCode(404, "not_found"),
        "thing_not_found": ErrorCode(404, "not_found"),
        "wrong_method": ErrorCode(405, "invalid_request"),
        "busy": ErrorCode(409, "idempotency"),
        "changed": ErrorCode(422, "idempotency"),
        "slow_down": ErrorCode(429, "rate_limit"),
        "broken": ErrorCode(500, "api"),
    },
    conditions={
        "invalid_json": "bad_json",
        "body_too_large": "too_big",
        "unsupported_media_type": "not_json",
        "missing_field": "missing_field",
        "unknown_field": "unknown_field",
        "invalid_value": "invalid_value",
        "out_of_range": "out_of_range",
        "invalid_length": "invalid_length",
        "missing_credentials": "no_key",
        "invalid_credentials": "bad_key",
        "route_not_found": "nothing_here",
        "method_not_allowed": "wrong_method",
        "internal_error": "broken",
        "rate_limited": "slow_down",
        "idempotency_in_progress": "busy",
        "idempotency_changed": "changed",
    },
)
ERRORS = dict.fromkeys(("400", "401", "402", "404", "409", "422", "429", "500"), as_json("Error"))

CREATE_THING: Operation[Thing] = Operation(
    id="createThing",
    handler="create_thing",
    method="POST",
    path="/things",
    body=as_json("ThingCreate"),
    responses={"201": as_json("Thing"), "200": as_json("Thing"), **ERRORS},
    rate_limit="write",
)
LIST_THINGS: Operation[Any] = Operation(
    id="listThings",
    handler="list_things",
    method="GET",
    path="/things",
    parameters=(
        Parameter("country", "country", "query", "String"),
        Parameter("region", "region", "query", "String"),
        Parameter("limit", "limit", "query", "Limit", kind="integer", default=50),
        Parameter("ids", "ids", "query", "Integers", kind="array", inner={"*": "integer"}),
        Parameter("names", "names", "query", "Strings", kind="array", explode=False),
        Parameter(
            "piped", "piped", "query", "Strings", kind="array", style="pipeDelimited", explode=False
        ),
        Parameter(
            "filter",
            "filter",
            "query",
            "Filter",
            kind="object",
            inner={"size": "integer"},
            style="deepObject",
        ),
        Parameter("since", "since", "query", "Moment"),
        Parameter("flag", "flag", "query", "Flag", kind="boolean"),
        Parameter("ratio", "ratio", "query", "Ratio", kind="number"),
        Parameter(
            "trace", "X-Trace", "header", "Strings", kind="array", style="simple", explode=False
        ),
        Parameter("session", "session", "cookie", "String"),
    ),
    responses={"200": as_json("Echo"), **ERRORS},
    one_of=((("country", "region"), "need_country_or_region"),),
    rate_limit="read",
)
GET_THING: Operation[Thing] = Operation(
    id="getThing",
    handler="get_thing",
    method="GET",
    path="/things/{thing-id}",
    parameters=(
        Parameter("thing_id", "thing-id", "path", "String", required=True, style="simple"),
    ),
    responses={"200": as_json("Thing"), **ERRORS},
    rate_limit="read",
)
DELETE_THING: Operation[None] = Operation(
    id="deleteThing",
    handler="delete_thing",
    method="DELETE",
    path="/things/{thing-id}",
    parameters=(
        Parameter("thing_id", "thing-id", "path", "String", required=True, style="simple"),
    ),
    responses={"204": (), **ERRORS},
    rate_limit="write",
)
SPECIAL_THING: Operation[Any] = Operation(
    id="specialThing",
    handler="special_thing",
    method="GET",
    path="/things/special",
    responses={"200": as_json("Echo")},
    rate_limit="read",
)
UPLOAD: Operation[None] = Operation(
    id="upload",
    handler="upload",
    method="PUT",
    path="/files/{name}.txt",
    parameters=(Parameter("name", "name", "path", None, required=True, style="simple"),),
    body=(Content("text/plain"),),
    body_required=False,
    responses={"200": (Content("text/plain"),)},
    rate_limit="write",
)
OPERATIONS = tuple(
    replace(operation, security=({"key": ()},))
    for operation in (CREATE_THING, LIST_THINGS, GET_THING, DELETE_THING, SPECIAL_THING, UPLOAD)
)
POLICY = Policy(
    errors=SHAPE,
    schemes={"key": Token(argument="api_key")},
    max_body=1000,
    rate_limits=(RateLimitClass("read", 1000, 60), RateLimitClass("write", 1000, 60)),
    rate_headers=("RateLimit-Policy", "RateLimit", "Retry-After"),
)


@dataclass
class Things:
    """An implementation that lets a test choose its next response."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    answer: Any = None

    async def create_thing(self, *, body: ThingCreate, context: Context) -> Thing | Reply[Thing]:
        raw = await context.request.body()
        self.calls.append({"body": body, "raw": raw, "principal": context.principal})
        return self._next(Thing(id="thg_1", reference=body.reference, quantity=body.quantity))

    async def list_things(self, *, context: Context, **arguments: Any) -> dict[str, Any]:
        self.calls.append(arguments)
        return self._next({name: _plain(value) for name, value in arguments.items()})

    async def get_thing(self, *, thing_id: str, context: Context) -> Thing:
        return self._next(Thing(id=thing_id, reference="r", quantity=1))

    async def delete_thing(self, *, thing_id: str, context: Context) -> None:
        return self._next(None)

    async def special_thing(self, *, context: Context) -> dict[str, Any]:
        return {"special": True, "root": context.request.scope["root_path"]}

    async def upload(self, *, name: str, body: str | None, context: Context) -> str:
        return f"{name}: {body}"

    def _next(self, usual: Any) -> Any:
        answer, self.answer = self.answer, None
        if isinstance(answer, Exception):
            raise answer
        return usual if answer is None else answer() if callable(answer) else answer


async def _unimplemented(self: object, **arguments: object) -> None:
    raise Unimplemented


UnimplementedThings = type(
    "UnimplementedThings", (), {each.handler: _unimplemented for each in OPERATIONS}
)


def _plain(value: Any) -> Any:
    if isinstance(value, Filter):
        return value.model_dump()
    return value.isoformat() if isinstance(value, datetime.datetime) else value


class Limiter:
    """A limiter that allows a number of requests in total, for all callers."""

    def __init__(self, left: int, limit: int | None = None) -> None:
        self.left = left
        self.limit = limit

    async def take(self, limit: RateLimitClass, context: Context) -> Allowance:
        self.left -= 1
        return Allowance(self.left >= 0, max(self.left, 0), 12, self.limit)


async def authenticate(credential: str, request: Any) -> str | None:
    return {"key_a": "Alice", "key_b": "Bob"}.get(credential)


def application(
    things: object,
    *,
    operations: Sequence[Operation[Any]] = OPERATIONS,
    policy: Policy = POLICY,
    hooks: Hooks | None = None,
    **options: Any,
) -> Starlette:
    return bind(
        [Group("Things", "things", things, UnimplementedThings, operations)],
        codecs=Codecs(__name__),
        policy=policy,
        hooks=hooks or Hooks(authenticate=authenticate),
        options=Options(**options),
    )


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Server, Things]]:
    things = Things()
    with Server(application(things)) as server:
        yield server, things


@pytest.fixture
def things(shared: tuple[Server, Things]) -> Things:
    shared[1].calls.clear()
    shared[1].answer = None
    return shared[1]


@pytest.fixture
def server(shared: tuple[Server, Things], things: Things) -> Server:
    return shared[0]


# Successes


def test_a_body_becomes_a_model_and_a_model_a_body(server: Server, things: Things) -> None:
    answer = server.post("/things", {"reference": "r", "end-user": {"label": "Ann"}})
    assert answer.status == 201
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json == {"id": "thg_1", "reference": "r", "quantity": 1}
    (call,) = things.calls
    assert call["principal"] == "Alice"
    assert call["raw"] == b'{"reference": "r", "end-user": {"label": "Ann"}}'
    assert call["body"] == ThingCreate(reference="r", buyer=Buyer(label="Ann"))


@pytest.mark.parametrize("text", ["2", "2.0", "2.00", "2e0", "20E-1", "0.2e1"])
def test_an_integer_may_be_written_as_json_schema_allows(server: Server, text: str) -> None:
    answer = server.post("/things", f'{{"reference": "r", "quantity": {text}}}')
    assert (answer.status, answer.json["quantity"]) == (201, 2)


@pytest.mark.parametrize("media_type", ["Application/JSON", "application/json; charset=UTF-8"])
def test_json_may_be_announced_in_any_case_and_with_its_charset(
    server: Server, media_type: str
) -> None:
    assert server.post("/things", {"reference": "r"}, Content_Type=media_type).status == 201


def test_a_reply_has_a_status_and_headers_of_its_own(server: Server, things: Things) -> None:
    thing = Thing(id="thg_2", reference="r", quantity=3)
    things.answer = Reply[Thing](thing, status=200, headers={"X-Extra": "1"})
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.headers["X-Extra"]) == (200, "1")
    assert answer.json["id"] == "thg_2"


def test_bytes_of_a_reply_are_sent_as_they_are(server: Server, things: Things) -> None:
    stored = b'{ "quantity": 1,  "reference": "r", "id": "thg_1" }'
    things.answer = Reply(stored, headers={"Replayed": "true"})
    assert server.post("/things", {"reference": "r"}).body == stored


def test_an_operation_without_content_answers_without(server: Server) -> None:
    answer = server.send("DELETE", "/things/thg_1")
    assert (answer.status, answer.body) == (204, b"")
    assert "Content-Length" not in answer.headers


def test_text_travels_in_the_charset_that_it_names(server: Server) -> None:
    latin = "text/plain; charset=latin-1"
    answer = server.send("PUT", "/files/a.txt", b"\xff", Content_Type=latin)
    assert (answer.status, answer.body) == (200, "a: \u00ff".encode())
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert server.send("PUT", "/files/a.txt").body == b"a: None"


def test_an_error_that_is_not_declared_goes_out_as_it_is(server: Server, things: Things) -> None:
    things.answer = Problem("too_poor", "?", status=418)
    received = server.post("/things", {"reference": "r"})
    assert (received.status, received.error["code"]) == (418, "too_poor")


def test_a_path_without_variables_goes_first(server: Server) -> None:
    assert server.send("GET", "/things/special").json["special"] is True


@pytest.mark.parametrize(
    ("sent", "received"), [("a%2Fb", "a/b"), ("a%20b", "a b"), ("%C3%A9", "é"), ("%252F", "%2F")]
)
def test_variables_of_the_path_are_decoded_one_by_one(
    server: Server, sent: str, received: str
) -> None:
    assert server.send("GET", f"/things/{sent}").json["id"] == received


def test_head_is_get_without_its_body(server: Server) -> None:
    answer = server.send("HEAD", "/things/thg_1")
    length = len(server.send("GET", "/things/thg_1").body)
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(length)


def test_options_says_what_is_allowed_and_needs_no_credentials(server: Server) -> None:
    answer = server.send("OPTIONS", "/things/thg_1", key=None)
    assert (answer.status, answer.headers["Allow"]) == (204, "DELETE, GET, HEAD, OPTIONS")
    assert answer.headers["Request-Id"]


# Parameters


@pytest.mark.parametrize(
    ("query", "argument", "value"),
    [
        ("limit=7", "limit", 7),
        ("limit=7.0", "limit", 7),
        ("", "limit", 50),
        ("", "ids", None),
        ("ids=1&ids=2", "ids", [1, 2]),
        ("names=a,b", "names", ["a", "b"]),
        ("names=", "names", []),
        ("piped=a%7Cb", "piped", ["a", "b"]),
        ("filter[size]=3&filter[name]=x", "filter", {"size": 3, "name": "x"}),
        ("since=2026-01-02T03:04:05Z", "since", "2026-01-02T03:04:05+00:00"),
        ("flag=true", "flag", True),
        ("ratio=0.5", "ratio", 0.5),
        ("ratio=5", "ratio", 5.0),
        ("region=a%20b%2Bc+d", "region", "a b+c d"),
        ("surprise=1", "region", None),
    ],
)
def test_a_parameter_arrives_as_what_its_text_stands_for(
    server: Server, query: str, argument: str, value: object
) -> None:
    answer = server.send("GET", f"/things?country=JP&{query}")
    assert (answer.status, answer.json.get(argument)) == (200, value)


@pytest.mark.parametrize(
    ("cookies", "session"),
    [
        ("session=s", "s"),
        ("other=1; session=a%20b%3B%C3%A9; more=2", "a b;é"),
        ('session="quoted"', "quoted"),
        ('session="', '"'),
        ("session=", ""),
        ("session", None),
        ("; ;=x; sess=1", None),
    ],
)
def test_a_cookie_is_read_as_the_client_writes_it(
    server: Server, cookies: str, session: str | None
) -> None:
    answer = server.send("GET", "/things?country=JP", Cookie=cookies)
    assert answer.json["session"] == session


def test_a_cookie_that_comes_twice_is_refused(server: Server) -> None:
    answer = server.send("GET", "/things?country=JP", Cookie="session=a; session=b")
    assert (answer.status, answer.error["param"]) == (400, "cookie.session")


def test_parameters_travel_in_headers_and_cookies(server: Server) -> None:
    answer = server.send("GET", "/things?country=JP", X_Trace="a, b", Cookie="session=s1; x=y")
    assert (answer.json["trace"], answer.json["session"]) == (["a", "b"], "s1")


@pytest.mark.parametrize(
    ("query", "code", "param"),
    [
        ("limit=0", "out_of_range", "query.limit"),
        ("limit=201", "out_of_range", "query.limit"),
        ("limit=x", "invalid_value", "query.limit"),
        ("limit=", "invalid_value", "query.limit"),
        ("limit=%201", "invalid_value", "query.limit"),
        ("limit=1_0", "invalid_value", "query.limit"),
        ("limit=%D9%A1", "invalid_value", "query.limit"),
        ("limit=10.5", "invalid_value", "query.limit"),
        ("limit=1&limit=2", "invalid_value", "query.limit"),
        ("names=a&names=b", "invalid_value", "query.names"),
        ("ids=1&ids=x", "invalid_value", "query.ids.1"),
        ("ids=1&ids=2&ids=3&ids=4", "invalid_length", "query.ids"),
        ("filter[size]=x", "invalid_value", "query.filter.size"),
        ("filter[colour]=x", "unknown_field", "query.filter.colour"),
        ("filter[size]=1&filter[size]=2", "invalid_value", "query.filter"),
        ("since=yesterday", "invalid_value", "query.since"),
        ("flag=1", "invalid_value", "query.flag"),
        ("ratio=1e999", "invalid_value", "query.ratio"),
    ],
)
def test_a_wrong_parameter_is_named(server: Server, query: str, code: str, param: str) -> None:
    answer = server.send("GET", f"/things?country=JP&{query}")
    assert answer.status == 400
    assert (answer.error["code"], answer.error["param"]) == (code, param)


def test_one_of_several_parameters_must_be_there(server: Server) -> None:
    answer = server.send("GET", "/things")
    assert (answer.status, answer.error["code"]) == (400, "need_country_or_region")
    assert server.send("GET", "/things?region=EU").status == 200


def test_unknown_query_parameters_are_refused_by_option() -> None:
    with Server(application(Things(), refuse_unknown_query=True)) as server:
        answer = server.send("GET", "/things?country=JP&surprise=1&filter[size]=1")
        assert (answer.error["code"], answer.error["param"]) == ("unknown_field", "query.surprise")
        assert server.send("GET", "/things/special?x=1").status == 400
        for elsewhere in ("session", "X-Trace"):
            answer = server.send("GET", f"/things?country=JP&{elsewhere}=1")
            assert answer.error["param"] == f"query.{elsewhere}"
        assert server.send("GET", "/things?country=JP&filter[size]=1").status == 200


# Bodies


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "nope",
        '{"reference": "r"} x',
        '{"reference": NaN}',
        '{"reference": -Infinity}',
        '{"reference": "r", "reference": "s"}',
        '{"reference": "r", "end-user": {"label": "a", "label": "b"}}',
        "[" * 900,
        '{"reference": 1e999}',
        '{"reference": ' + "9" * 900 + ".0e5}",
        '"\\ud800"',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        '{"reference": "r"}'.encode("utf-16"),
    ],
    ids=lambda body: str(body)[:30],
)
def test_what_is_not_json_is_refused_as_such(server: Server, body: str | bytes) -> None:
    answer = server.post("/things", body)
    assert (answer.status, answer.error["code"]) == (400, "bad_json")


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ("{}", "missing_field", "reference"),
        ('{"reference": 5}', "invalid_value", "reference"),
        ('{"reference": null}', "invalid_value", "reference"),
        ('{"reference": "r", "quantity": "10"}', "invalid_value", "quantity"),
        ('{"reference": "r", "quantity": true}', "invalid_value", "quantity"),
        ('{"reference": "r", "quantity": 10.5}', "invalid_value", "quantity"),
        ('{"reference": "r", "quantity": 10.00000000000000000001}', "invalid_value", "quantity"),
        ('{"reference": "r", "quantity": 0}', "out_of_range", "quantity"),
        ('{"reference": "r", "quantity": 21.0}', "out_of_range", "quantity"),
        ('{"reference": "r", "days": null}', "invalid_value", "days"),
        ('{"reference": "r", "days": [1]}', "invalid_value", "days"),
        ('{"reference": "r", "end-user": null}', "invalid_value", "end-user"),
        ('{"reference": "r", "end-user": {}}', "missing_field", "end-user.label"),
        ('{"reference": "r", "end-user": {"label": ""}}', "invalid_length", "end-user.label"),
        ('{"reference": "r", "buyer": {"label": "x"}}', "unknown_field", "buyer"),
        ('{"reference": "r", "colour": "green"}', "invalid_value", "colour"),
        ('{"reference": "r", "tags": ["a", 1]}', "invalid_value", "tags.1"),
        ('{"reference": "r", "tags": ["a", "b", "c"]}', "invalid_length", "tags"),
        ('{"reference": "r", "labels": {"long": "x"}}', "invalid_length", "labels.long"),
        ('{"reference": "r", "labels": {"a": 1}}', "invalid_value", "labels.a"),
        ('{"reference": "' + "r" * 21 + '"}', "invalid_length", "reference"),
    ],
)
def test_a_wrong_field_is_named(server: Server, body: str, code: str, param: str) -> None:
    answer = server.post("/things", body)
    assert answer.status == 400
    assert (answer.error["type"], answer.error["code"]) == ("invalid_request", code)
    assert answer.error["param"] == param
    assert answer.error["details"][0]["param"] == param


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null", "true"])
def test_a_body_of_another_type_has_no_field_to_name(server: Server, body: str) -> None:
    answer = server.post("/things", body)
    assert (answer.status, answer.error["code"]) == (400, "invalid_value")
    assert "param" not in answer.error
    assert answer.error["details"][0]["param"] is None


def test_all_faults_are_told_up_to_twenty(server: Server) -> None:
    answer = server.post("/things", {f"field{n}": n for n in range(30)})
    assert len(answer.error["details"]) == 20
    assert {detail["code"] for detail in answer.error["details"]} == {
        "missing_field",
        "unknown_field",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/json; charset=utf-16"},
        {"Content_Type": "application/jsonx"},
        {"Content_Type": ""},
        {"Content_Type": "application/json", "Content_Encoding": "gzip"},
        {"Content_Type": "application/json", "content_type": "application/json"},
    ],
)
def test_a_body_of_another_media_type_is_refused(server: Server, headers: dict[str, str]) -> None:
    answer = server.post("/things", '{"reference": "r"}', **headers)
    assert (answer.status, answer.error["code"]) == (400, "not_json")


def test_a_body_that_is_announced_as_not_encoded_is_read(server: Server) -> None:
    headers = {"Content_Type": "application/json", "Content_Encoding": "Identity"}
    assert server.post("/things", '{"reference": "r"}', **headers).status == 201


def test_a_body_may_be_as_large_as_the_limit_and_no_larger(server: Server) -> None:
    body = '{"reference": "r"}'
    assert server.post("/things", body.ljust(1000)).status == 201
    answer = server.post("/things", body.ljust(1001))
    assert (answer.status, answer.error["code"]) == (400, "too_big")


def test_without_a_limit_of_the_contract_a_body_may_have_one_mebibyte() -> None:
    policy = replace(POLICY, max_body=None)
    with Server(application(Things(), policy=policy)) as server:
        fits = b" " * (1_048_576 - 18) + b'{"reference": "r"}'
        assert server.post("/things", fits).status == 201
        answer = server.post("/things", b" " + fits)
        assert (answer.status, answer.error["code"]) == (400, "too_big")


def test_the_limit_of_a_body_is_an_option_where_the_contract_has_none() -> None:
    policy, body = replace(POLICY, max_body=None), b'{"reference": "r"}'
    with Server(application(Things(), policy=policy, max_body=len(body))) as server:
        assert server.post("/things", body).status == 201
        assert server.post("/things", body + b" ").error["code"] == "too_big"
    with Server(application(Things(), max_body=len(body))) as server:
        assert server.post("/things", body + b" ").status == 201, "the contract's limit goes first"


MANY_CHUNKS = """
import asyncio
from dataclasses import replace
from tests.runtime.test_server_binding import POLICY, Things, application

MANY, BLANK = 60_000, b" " * 1000
HEADERS = [(b"content-type", b"application/json"), (b"authorization", b"Bearer key_a")]
SCOPE = {"type": "http", "method": "POST", "path": "/things", "query_string": b"",
         "headers": HEADERS, "root_path": ""}
pieces = iter([BLANK] * MANY + [b'{"reference": "r"}'])
sent = []

async def receive():
    piece = next(pieces)
    return {"type": "http.request", "body": piece, "more_body": piece == BLANK}

async def send(message):
    sent.append(message)

app = application(Things(), policy=replace(POLICY, max_body=None), max_body=2000 * MANY)
asyncio.run(app(SCOPE, receive, send))
assert sent[0]["status"] == 201, sent
"""


def test_a_body_of_many_chunks_is_read_in_a_moment() -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", MANY_CHUNKS], cwd=root, check=True, timeout=60)


def test_a_chunked_body_is_counted_while_it_comes(server: Server) -> None:
    chunks = (b" " * 100 for _ in range(11))
    answer = server.send("POST", "/things", chunks, Content_Type="application/json")
    assert (answer.status, answer.error["code"]) == (400, "too_big")


# Errors before the operation


@pytest.mark.parametrize("path", ["/", "/nope", "/things/", "/things/a/b", "//things", "/Things"])
def test_a_path_that_is_not_there_has_the_contracts_error(server: Server, path: str) -> None:
    answer = server.send("GET", path)
    assert (answer.status, answer.error["code"]) == (404, "nothing_here")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "FANCY"])
def test_a_wrong_method_is_405_with_allow(server: Server, method: str) -> None:
    answer = server.send(method, "/things")
    assert (answer.status, answer.error["code"]) == (405, "wrong_method")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"


def test_only_a_path_that_can_be_read_allows_head(server: Server) -> None:
    for method, status in (("OPTIONS", 204), ("HEAD", 405)):
        answer = server.send(method, "/files/a.txt")
        assert (answer.status, answer.headers["Allow"]) == (status, "OPTIONS, PUT")


@pytest.mark.parametrize("path", ["/things?country=JP", "/nope", "/things/thg_1"])
def test_credentials_are_asked_for_before_anything_else(server: Server, path: str) -> None:
    answer = server.send("GET", path, key=None)
    assert (answer.status, answer.error["code"]) == (401, "no_key")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "header", ["Bearer key_x", "Bearer", "Basic key_a", "key_a", "Bearerkey_a"]
)
def test_wrong_credentials_have_one_answer(server: Server, header: str) -> None:
    answer = server.send("GET", "/things/thg_1", Authorization=header)
    assert (answer.status, answer.error["code"]) == (401, "bad_key")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("second", ["Bearer key_a", "Bearer key_x"])
def test_credentials_that_come_twice_are_none(server: Server, second: str) -> None:
    answer = server.send("GET", "/things/thg_1", Authorization="Bearer key_a", authorization=second)
    assert (answer.status, answer.error["code"]) == (401, "bad_key")


def test_the_scheme_of_credentials_has_no_case(server: Server) -> None:
    assert server.send("GET", "/things/thg_1", Authorization="bearer key_a").status == 200


# Errors of handlers


def test_a_problem_has_status_and_type_of_its_code(server: Server, things: Things) -> None:
    details = [{"code": "too_poor", "required": "9.00"}]
    things.answer = Problem("too_poor", "Not enough.", details=details, headers={"X-A": "1"})
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.headers["X-A"]) == (402, "1")
    assert answer.error == {
        "type": "payment",
        "code": "too_poor",
        "message": "Not enough.",
        "request_id": answer.headers["Request-Id"],
        "details": details,
    }


def test_a_condition_becomes_the_contracts_code(server: Server, things: Things) -> None:
    things.answer = Problem("idempotency_changed", "Changed.", param="reference")
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.error["code"], answer.error["param"]) == (
        422,
        "changed",
        "reference",
    )


@pytest.mark.parametrize(("status", "type_"), [(404, "not_found"), (429, "rate_limit")])
def test_a_code_that_is_not_listed_has_the_type_of_its_status(
    server: Server, things: Things, status: int, type_: str
) -> None:
    things.answer = Problem("vanished", "?", status=status)
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.error["type"]) == (status, type_)


def test_what_is_not_implemented_is_501(server: Server, things: Things) -> None:
    things.answer = Unimplemented()
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.error["type"], answer.error["code"]) == (
        501,
        "api",
        "not_implemented",
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (Problem("made_up", "?"), "made_up"),
        (Reply(None, status=202), "202 is not declared"),
        (Reply(None), "breaks its schema"),
        (Buyer(label="x"), "breaks its schema"),
        (Thing.model_construct(id="x", reference="r", quantity="many"), "breaks its schema"),
        (Thing.model_construct(id="x", reference="r"), "breaks its schema"),
        (Reply(b"{}"), "breaks its schema"),
        (Reply(Thing(id="x", reference="r", quantity=1), headers={"X": "\u20ac"}), "UnicodeEncode"),
    ],
)
def test_a_handlers_mistake_is_500_and_a_line_in_the_log(
    server: Server, things: Things, caplog: pytest.LogCaptureFixture, answer: Any, reason: str
) -> None:
    things.answer = answer
    with caplog.at_level(logging.ERROR):
        received = server.post("/things", {"reference": "r"})
    assert (received.status, received.error["code"]) == (500, "broken")
    assert reason not in received.error["message"]
    assert reason in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        Reply(b'{"id": "whsec_1"}'),
        Thing.model_construct(id="a", reference="whsec_1", quantity="whsec_1"),
        {"whsec_1": "whsec_1"},
    ],
    ids=["bytes", "model", "no model"],
)
def test_an_answer_that_is_not_sent_is_not_logged_either(
    server: Server, things: Things, caplog: pytest.LogCaptureFixture, wrong: Any
) -> None:
    things.answer = wrong
    with caplog.at_level(logging.ERROR):
        assert server.send("GET", "/things/thg_1").status == 500
    assert "breaks its schema" in caplog.text
    assert "whsec_1" not in caplog.text


def test_a_body_where_none_is_declared_is_500(server: Server, things: Things) -> None:
    things.answer = Thing(id="x", reference="r", quantity=1)
    assert server.send("DELETE", "/things/thg_1").status == 500


def test_the_check_of_responses_can_be_left_out() -> None:
    things = Things()
    with Server(application(things, check_responses=False)) as server:
        things.answer = Reply(b"{}")
        assert server.post("/things", {"reference": "r"}).body == b"{}"


# Request ids


def test_a_request_keeps_the_id_that_it_came_with(server: Server) -> None:
    assert server.send("GET", "/things/a", Request_Id="my-id").headers["Request-Id"] == "my-id"


def test_a_request_without_a_usable_id_gets_one(server: Server) -> None:
    made = {server.send("GET", "/things/a").headers["Request-Id"] for _ in range(2)}
    assert len(made) == 2
    assert server.send("GET", "/things/a", Request_Id="x" * 129).headers["Request-Id"] != "x" * 129


def test_the_application_makes_its_own_ids() -> None:
    with Server(application(Things(), request_id=lambda sent: f"req_{sent}")) as server:
        assert server.send("GET", "/nope", Request_Id="7").error["request_id"] == "req_7"


# Hooks


def test_a_rate_limit_is_announced_and_enforced() -> None:
    with Server(application(Things(), hooks=Hooks(rate_limiter=Limiter(1)))) as server:
        first = server.send("GET", "/things/a")
        assert first.headers["RateLimit-Policy"] == '"read";q=1000;w=60'
        assert first.headers["RateLimit"] == '"read";r=0;t=12'
        second = server.send("GET", "/nope")
        assert (second.status, second.error["code"]) == (429, "slow_down")
        assert second.headers["Retry-After"] == "12"
        assert second.headers["RateLimit-Policy"] == '"read";q=1000;w=60'


def test_a_failure_of_the_server_is_counted_and_says_so() -> None:
    class Failing(Things):
        async def get_thing(self, *, context: Context, **_: object) -> Any:
            context.headers["x"] = "\N{SNOWMAN}"
            raise LookupError

    with Server(application(Failing(), hooks=Hooks(rate_limiter=Limiter(1)))) as server:
        failed = server.send("GET", "/things/a")
        assert failed.status == 500
        assert failed.headers["RateLimit-Policy"] == '"read";q=1000;w=60'
        assert failed.headers["RateLimit"] == '"read";r=0;t=12'


def test_a_limit_other_than_the_contracts_is_announced() -> None:
    with Server(application(Things(), hooks=Hooks(rate_limiter=Limiter(1, 7)))) as server:
        for answer in (server.send("GET", "/things/a"), server.send("GET", "/things/a")):
            assert answer.headers["RateLimit-Policy"] == '"read";q=7;w=60'
        assert "At most 7 requests" in answer.error["message"]


def test_a_handler_sends_an_earlier_answer_again_with_headers_of_its_own() -> None:
    first = b'{"id": "a", "reference": "r",  "quantity": 1}'

    class Replaying(Things):
        async def create_thing(self, *, body: ThingCreate, context: Context) -> Reply[Thing]:
            return Reply(first, headers={"Replayed": "true"})

    with Server(application(Replaying())) as server:
        again = server.post("/things", {"reference": "r"})
    assert (again.status, again.body, again.headers["Replayed"]) == (201, first, "true")


@pytest.mark.parametrize(
    ("condition", "status", "code"),
    [("idempotency_in_progress", 409, "busy"), ("idempotency_changed", 422, "changed")],
)
def test_a_repetition_that_cannot_be_answered_has_the_contracts_code(
    server: Server, things: Things, condition: str, status: int, code: str
) -> None:
    things.answer = Problem(condition, "?")
    answer = server.post("/things", {"reference": "r"})
    assert (answer.status, answer.error["code"]) == (status, code)


def test_a_cursor_comes_back_to_its_own_list_only() -> None:
    cursors = Cursors(b"secret", prefix="c1_")
    cursor = cursors.encode(["2026", 5], "listThings", "JP")
    assert cursor.startswith("c1_")
    assert cursors.decode(cursor, "listThings", "JP") == ["2026", 5]
    others = ["", "c1_", "garbage", cursor[3:], f"{cursor}x", f"c1_{cursor}", "c1_é", cursor[:-1]]
    for other in others:
        with pytest.raises(Problem) as raised:
            cursors.decode(other, "listThings", "JP")
        assert raised.value.code == "invalid_cursor"
    for codec, scope in ((cursors, ("listThings", "FR")), (Cursors(b"x"), ("listThings", "JP"))):
        with pytest.raises(Problem):
            codec.decode(cursor, *scope)


# Contracts that declare less


def test_without_an_error_contract_errors_are_problem_details() -> None:
    policy = Policy(errors=ErrorShape())
    with Server(application(Things(), policy=policy, hooks=Hooks(rate_limiter=None))) as server:
        answer = server.send("POST", "/things", "{}", Content_Type="application/json")
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json["status"] == answer.status == 400
        assert (answer.json["type"], answer.json["title"]) == ("about:blank", "Bad Request")
        assert (answer.json["code"], answer.json["param"]) == ("missing_field", "reference")
        assert answer.json["errors"][0]["param"] == "reference"
        assert len(answer.json["request_id"]) == 32
        assert "Request-Id" not in answer.headers
        statuses = [
            server.send("GET", "/nope").status,
            server.send("PATCH", "/things").status,
            server.send("POST", "/things", "{}", Content_Type="text/plain").status,
        ]
        assert statuses == [404, 405, 415]


def test_without_authentication_every_request_is_let_in() -> None:
    with Server(application(Things(), hooks=Hooks(authenticate=None))) as server:
        assert server.send("GET", "/things/a", key=None).status == 200


def test_an_operation_may_be_open_to_all() -> None:
    operation = replace(GET_THING, security=())
    with Server(application(Things(), operations=[operation], unimplemented="501")) as server:
        assert server.send("GET", "/things/a", key=None).status == 200


def test_a_success_that_is_not_declared_by_its_status_is_200() -> None:
    operation = replace(GET_THING, responses={"default": as_json("Thing")})
    with Server(application(Things(), operations=[operation], unimplemented="501")) as server:
        assert server.send("GET", "/things/a").status == 200


# Mounting


def test_it_serves_below_a_prefix_and_beside_other_routes() -> None:
    async def extra(request: Any) -> PlainTextResponse:
        return PlainTextResponse("extra")

    app = application(Things(), prefix="/api/v1")
    app.routes.append(Route("/extra", extra))
    with Server(app) as server:
        assert server.send("GET", "/api/v1/things/a").json["id"] == "a"
        assert server.send("GET", "/extra").body == b"extra"
        assert server.send("GET", "/things/a").error["code"] == "nothing_here"


def test_it_can_be_mounted_in_another_application() -> None:
    app = Starlette(routes=[Mount("/api/v1", application(Things()))])
    with Server(app) as server:
        assert server.send("GET", "/api/v1/things/a%2Fb").json["id"] == "a/b"
        assert server.send("GET", "/api/v1/things/special").json["root"] == "/api/v1"
        assert server.send("GET", "/api/v1/nope").error["code"] == "nothing_here"


# Implementations


def test_a_group_without_an_implementation_has_its_fallback() -> None:
    with Server(application(None, unimplemented="501")) as server:
        assert server.send("GET", "/things/a").status == 501


def test_an_implementation_that_does_not_fit_is_told_everything_at_once() -> None:
    class Wrong:
        async def create_thing(self, *, context: Context) -> None: ...

        def list_things(self, *, context: Context, **arguments: Any) -> None: ...

        async def get_thing(self, *, thing_id: str, context: Context, colour: str) -> None: ...

        async def delete_thing(self, **everything: Any) -> None: ...

        async def special_thing(self, /, *, context: Context, extra: int = 0) -> None: ...

    with pytest.raises(ImplementationError) as raised:
        application(Wrong())
    assert str(raised.value).splitlines()[1:-1] == [
        "Things.create_thing does not take 'body'",
        "Things.list_things is not an async function",
        "Things.get_thing requires 'colour', which the operation does not have",
        "Things.upload is not implemented (PUT /files/{name}.txt)",
    ]
