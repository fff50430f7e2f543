"""Responses of evil and of broken servers: each is a value, or an error of the package."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import inspect
import itertools
import json
import operator
import time
import tracemalloc
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin, running

KEY = "key-for-one-origin-only"
OK = b'{"id": "a"}'
TEXT: Json = {"type": "string"}
PAGE = {
    "type": "object",
    "properties": {"data": {"type": "array", "items": ref("Thing")}, "next": TEXT},
}
NONE = dict.fromkeys(("cursor", "limit", "next", "more", "id"))
CURSOR = {**NONE, "cursor": "after", "items": "/data", "next": "/next"}
NODE = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": TEXT, "size": {"type": "integer"}, "any": {}},
}


PLAIN = {"200": {"description": "Done.", "content": {"text/event-stream": {}}}}


def returns(media_type: str, schema: Json, **members: Any) -> Json:
    response = {"description": "Done.", "content": {media_type: {"schema": schema}}}
    return {"tags": ["things"], "responses": {"200": response}, **members}


def items(media_type: str, name: str) -> Json:
    response = {"description": "Done.", "content": {media_type: {"itemSchema": ref("Node")}}}
    return {"tags": ["things"], "operationId": name, "responses": {"200": response}}


API = {
    **document(
        {
            "/thing": {
                "get": operation(ref("Node"), operationId="read"),
                "post": operation(
                    ref("Node"),
                    operationId="write",
                    requestBody={"required": True, **content(ref("Thing"))},
                ),
                "head": operation(operationId="look"),
                "delete": operation(operationId="drop"),
            },
            "/text": {"get": returns("text/plain", TEXT, operationId="text")},
            "/words": {"get": operation({"type": "array", "items": TEXT}, operationId="words")},
            "/map": {
                "get": operation(
                    {"type": "object", "additionalProperties": TEXT}, operationId="map"
                )
            },
            "/events": {"get": items("text/event-stream", "events")},
            "/plain": {"get": {**items("text/event-stream", "plain"), "responses": PLAIN}},
            "/lines": {"get": items("application/jsonl", "lines")},
            "/list": {
                "get": operation(
                    ref("Page"),
                    operationId="list",
                    parameters=[
                        {"name": "after", "in": "query", "schema": {"type": "integer"}},
                    ],
                    **{"x-contract-pagination": CURSOR},
                )
            },
            "/links": {
                "get": operation(
                    {"type": "array", "items": ref("Thing")},
                    operationId="links",
                    **{"x-contract-pagination": {**NONE, "link": True, "items": ""}},
                )
            },
        },
        {"Thing": THING, "Node": NODE, "Page": PAGE},
        components={"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        security=[{"token": []}],
    ),
    "openapi": "3.2.0",
}
Call = Callable[[Any], Any]
NAMES = {each["operationId"] for path in API["paths"].values() for each in path.values()}


class Caller:
    """Calls either client; streams and lists are read to their end."""

    def __init__(self, module: ModuleType, origin: Origin, asynchronous: bool) -> None:
        self.module, self.origin, self._asynchronous = module, origin, asynchronous

    def __call__(self, *calls: Call, **options: Any) -> Any:
        """Return the value of the last call."""
        options = {"base_url": self.origin.url, "max_retries": 0, "token": KEY, **options}
        if self._asynchronous:
            return asyncio.run(self._run(calls, options))
        with self.module.Client(**options) as client:
            return [_listed(call(client)) for call in calls][-1]

    async def _run(self, calls: Iterable[Call], options: Json) -> Any:
        async with self.module.AsyncClient(**options) as client:
            return [await _collected(call(client)) for call in calls][-1]

    def error(self, *calls: Call, **options: Any) -> Any:
        """Return the error of a call."""
        with pytest.raises(self.module.ApiError) as caught:
            self(*calls, **options)
        assert_is_told(self.module, caught.value)
        return caught.value


def _listed(value: Any) -> Any:
    return list(value) if hasattr(value, "__next__") or hasattr(value, "has_more") else value


async def _collected(value: Any) -> Any:
    if hasattr(value, "__aiter__"):
        return [item async for item in value]
    value = await value if inspect.isawaitable(value) else value
    return [item async for item in value] if hasattr(value, "__aiter__") else value


def assert_is_told(module: ModuleType, error: BaseException) -> None:
    """An error is one of the package, short, without the key, and names operation or status."""
    told = str(error)
    assert isinstance(error, module.ApiError)
    assert len(told) < 2500
    assert KEY not in told + repr(error) + repr(error.__cause__) + repr(error.__context__)
    assert told.encode()
    named = told[:3].isdigit() or told.partition(":")[0] in NAMES
    assert named, told


@pytest.fixture(params=["sync", "async"])
def caller(request: pytest.FixtureRequest, package: Generate, origin: Origin) -> Caller:
    return Caller(package(API), origin, request.param == "async")


def read(client: Any) -> Any:
    return client.things.read()


def text(client: Any) -> Any:
    return client.things.text()


def events(client: Any) -> Any:
    return client.things.events()


def lines(client: Any) -> Any:
    return client.things.lines()


def drop(client: Any) -> Any:
    return client.things.drop()


def raw(*pieces: bytes, **members: Any) -> Answer:
    return Answer(raw=pieces, **members)


def response(
    *headers: bytes, body: bytes = OK, status: bytes = b"200 OK", size: int | None = None
) -> bytes:
    """The bytes of a response, with a length unless other headers frame it."""
    named = [header.lower() for header in headers]
    if not any(header.startswith((b"content-length", b"transfer-encoding")) for header in named):
        headers = (*headers, b"Content-Length: %d" % (len(body) if size is None else size))
    if not any(header.startswith(b"content-type") for header in named):
        headers = (*headers, b"Content-Type: application/json")
    return b"\r\n".join([b"HTTP/1.1 " + status, *headers, b"", body])


def chunked(*chunks: bytes) -> bytes:
    return response(b"Transfer-Encoding: chunked", body=b"".join(chunks))


def coded(encoding: bytes, body: bytes) -> Answer:
    return Answer(body=body, headers={"content-encoding": encoding.decode()})


# --- framing: what HTTP itself says of a message

CHUNK = b"b\r\n" + OK + b"\r\n"
READ: dict[str, Answer] = {
    "a chunk extension": raw(chunked(b"b;a=b\r\n" + OK + b"\r\n", b"0\r\n\r\n")),
    "trailers": raw(chunked(CHUNK, b"0\r\nX-Sum: 1\r\n\r\n")),
    "chunked and a length": raw(
        response(b"Transfer-Encoding: chunked", b"Content-Length: 1", body=CHUNK + b"0\r\n\r\n")
    ),
    "the same length twice": raw(response(b"Content-Length: 11", b"Content-Length: 11")),
    "no length at all": raw(b"HTTP/1.1 200 OK\r\n\r\n" + OK),
    "HTTP/1.0": raw(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n" + OK),
    "no reason": raw(response(status=b"200")),
    "a reason of 50,000 bytes": raw(response(status=b"200 " + b"a" * 50_000)),
    "only line feeds": raw(response().replace(b"\r\n", b"\n")),
    "a folded header": raw(response(b"X-Long: a\r\n  b")),
    "a header in Latin-1": raw(response(b"X-Name: \xe9\xff")),
    "a header of 90,000 bytes": raw(response(b"X-Long: " + b"a" * 90_000)),
    "9,000 headers": raw(response(*[b"X: y"] * 9_000)),
    "100 before it": raw(b"HTTP/1.1 100 Continue\r\n\r\n" + response()),
    "102 and 103 before it": raw(
        b"HTTP/1.1 102 Processing\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" + response(),
    ),
    "1,000 early hints before it": raw(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000 + response()),
    "Set-Cookie": raw(response(b"Set-Cookie: a=b; Domain=.example.com; Max-Age=9")),
    "a cookie for 10^400 seconds": raw(response(b"Set-Cookie: a=b; Max-Age=1" + b"0" * 400)),
    "a cookie without a name": raw(response(b"Set-Cookie: =; expires=x; ;;", b"Set-Cookie2: =")),
    "more than it promised": raw(response(size=len(OK), body=OK + b"more")),
    "a lie about the connection": raw(response(b"Connection: keep-alive")),
    "a close that does not come": raw(response(b"Connection: close"), stays_open=True),
    "gzip in capitals": coded(b"GZIP", gzip.compress(OK)),
    "x-gzip": coded(b"x-gzip", gzip.compress(OK)),
    "no encoding by name": coded(b"identity", OK),
    "an empty encoding": coded(b"", OK),
    "a byte order mark": Answer(body=b"\xef\xbb\xbf" + OK),
    "blanks around": Answer(body=b" \r\n\t" * 10_000 + OK + b"\n" * 10_000),
    "a name twice": Answer(body=b'{"id": "b", "id": "a"}'),
    "an integer of 400 digits": Answer(body=b'{"id": "a", "size": 1' + b"0" * 400 + b"}"),
    "no media type": raw(response(b"Content-Type:")),
    "a media type of 90,000 bytes": raw(response(b"Content-Type: a/" + b"b" * 90_000)),
    "JSON as text": Answer(body=OK, headers={"content-type": "text/html"}),
    "JSON in a charset that is no charset": Answer(
        body=OK, headers={"content-type": "application/json; charset=zlib"}
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_can_be_read_is_read(caller: Caller, origin: Origin, name: str) -> None:
    origin.answer(READ[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert caller(read).id == "a"


BROKEN = "the connection broke, or the response is not valid HTTP"
PACKED = "the response cannot be decompressed"
UNASKED = "the response has an encoding that was not requested"
INVALID = "the response breaks the contract"


def deflated(body: bytes) -> bytes:
    return zlib.compress(body)


FAILED: dict[str, tuple[Answer, str, str]] = {
    # No HTTP.
    "nothing": (raw(), "ApiConnectionError", BROKEN),
    "garbage": (raw(b"\x00\xff" * 500), "ApiConnectionError", BROKEN),
    "a record of TLS": (raw(b"\x15\x03\x01\x00\x02\x02\x46"), "ApiConnectionError", BROKEN),
    "HTTP/0.9": (raw(OK), "ApiConnectionError", BROKEN),
    "HTTP/2": (
        raw(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        "ApiConnectionError",
        BROKEN,
    ),
    "a status of letters": (raw(response(status=b"2OO OK")), "ApiConnectionError", BROKEN),
    "a status of four digits": (raw(response(status=b"2000 OK")), "ApiConnectionError", BROKEN),
    "a status below 100": (raw(response(status=b"099 OK")), "ApiConnectionError", BROKEN),
    "a head that ends": (raw(b"HTTP/1.1 200 OK\r\nX: a"), "ApiConnectionError", BROKEN),
    "a space before a colon": (raw(response(b"X : a")), "ApiConnectionError", BROKEN),
    "a header without a name": (raw(response(b": a")), "ApiConnectionError", BROKEN),
    "NUL in a header": (raw(response(b"X: a\x00b")), "ApiConnectionError", BROKEN),
    "CR in a header": (raw(response(b"X: a\rY: b")), "ApiConnectionError", BROKEN),
    "a header of 200,000 bytes": (
        raw(response(b"X: " + b"a" * 200_000)),
        "ApiConnectionError",
        BROKEN,
    ),
    "40,000 headers": (raw(response(*[b"X: y"] * 40_000)), "ApiConnectionError", BROKEN),
    # Another length.
    "two lengths": (
        raw(response(b"Content-Length: 11", b"Content-Length: 12")),
        "ApiConnectionError",
        BROKEN,
    ),
    "two lengths in one": (
        raw(response(b"Content-Length: 11, 12")),
        "ApiConnectionError",
        BROKEN,
    ),
    "a length below zero": (raw(response(b"Content-Length: -1")), "ApiConnectionError", BROKEN),
    "a length of 5,000 digits": (
        raw(response(b"Content-Length: " + b"9" * 5_000)),
        "ApiConnectionError",
        BROKEN,
    ),
    "a body that is too short": (Answer(body=OK, promised=100), "ApiConnectionError", BROKEN),
    "a chunk size of letters": (raw(chunked(b"zz\r\n")), "ApiConnectionError", BROKEN),
    "a chunk size below zero": (raw(chunked(b"-1\r\n" + OK)), "ApiConnectionError", BROKEN),
    "a chunk that ends": (raw(chunked(b"ff\r\n" + OK)), "ApiConnectionError", BROKEN),
    "a chunk of 2^80 bytes": (
        raw(chunked(b"f" * 20 + b"\r\n" + OK)),
        "ApiConnectionError",
        BROKEN,
    ),
    "no last chunk": (raw(chunked(CHUNK)), "ApiConnectionError", BROKEN),
    "chunks that are not separated": (
        raw(chunked(b"b\r\n" + OK + b"b\r\n" + OK)),
        "ApiConnectionError",
        BROKEN,
    ),
    "an extension of 200,000 bytes": (
        raw(chunked(b"b;" + b"a" * 200_000)),
        "ApiConnectionError",
        BROKEN,
    ),
    "trailers of 200,000 bytes": (
        raw(chunked(CHUNK, b"0\r\n" + b"X: y\r\n" * 34_000)),
        "ApiConnectionError",
        BROKEN,
    ),
    "a transfer encoding of its own": (
        raw(response(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n")),
        "ApiConnectionError",
        BROKEN,
    ),
    # Other encodings.
    "gzip that is none": (coded(b"gzip", OK), "ApiConnectionError", PACKED),
    "gzip that is cut": (coded(b"gzip", gzip.compress(OK)[:-5]), "ApiConnectionError", PACKED),
    "gzip with something after it": (
        coded(b"gzip", gzip.compress(OK) + b"more"),
        "ApiConnectionError",
        PACKED,
    ),
    "gzip with a wrong sum": (
        coded(b"gzip", gzip.compress(OK)[:-8] + b"\0" * 8),
        "ApiConnectionError",
        PACKED,
    ),
    "deflate": (coded(b"deflate", deflated(OK)), "ApiConnectionError", UNASKED),
    "br": (coded(b"br", b"\x8b\x05\x80"), "ApiConnectionError", UNASKED),
    "zstd": (coded(b"zstd", b"\x28\xb5\x2f\xfd"), "ApiConnectionError", UNASKED),
    "an unknown encoding": (coded(b"a" * 50_000, OK), "ApiConnectionError", UNASKED),
    "gzip twice": (
        coded(b"gzip, gzip", gzip.compress(gzip.compress(OK))),
        "ApiConnectionError",
        UNASKED,
    ),
    "gzip in two headers": (
        raw(
            response(
                b"Content-Encoding: gzip",
                b"Content-Encoding: gzip",
                body=gzip.compress(gzip.compress(OK)),
            )
        ),
        "InvalidResponseError",
        INVALID,
    ),
    "a bomb": (
        coded(b"gzip", gzip.compress(bytes(70_000_000))),
        "ResponseTooLargeError",
        "67108864 bytes",
    ),
    # No JSON.
    "an empty body": (Answer(body=b""), "InvalidResponseError", INVALID),
    "null": (Answer(body=b"null"), "InvalidResponseError", INVALID),
    "half of it": (Answer(body=OK[:-1]), "InvalidResponseError", INVALID),
    "two values": (Answer(body=OK + OK), "InvalidResponseError", INVALID),
    "a comma at the end": (Answer(body=b'{"id": "a",}'), "InvalidResponseError", INVALID),
    "single quotes": (Answer(body=b"{'id': 'a'}"), "InvalidResponseError", INVALID),
    "bytes that are not UTF-8": (Answer(body=b'{"id": "\xff"}'), "InvalidResponseError", INVALID),
    "half of a pair": (Answer(body=b'{"id": "\\ud800"}'), "InvalidResponseError", INVALID),
    "UTF-16": (
        Answer(body=b"\xff\xfe" + OK.decode().encode("utf-16-le")),
        "InvalidResponseError",
        INVALID,
    ),
    "100,000 levels": (
        Answer(body=b'{"id": "a", "any": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        "InvalidResponseError",
        INVALID,
    ),
    "an integer of 5,000 digits": (
        Answer(body=b'{"id": "a", "size": ' + b"9" * 5_000 + b"}"),
        "InvalidResponseError",
        INVALID,
    ),
    "a wrong member of 5 MB": (
        Answer(body=b'{"id": ["' + b"a" * 5_000_000 + b'"]}'),
        "InvalidResponseError",
        INVALID,
    ),
    "a name of 5 MB": (
        Answer(body=b'{"id": "a", "' + b"a" * 5_000_000 + b'": 1e400}'),
        "InvalidResponseError",
        INVALID,
    ),
    "no number": (Answer(body=b'{"id": "a", "any": NaN}'), "InvalidResponseError", INVALID),
    "1e400": (Answer(body=b'{"id": "a", "any": 1e400}'), "InvalidResponseError", INVALID),
    "a page for people": (
        Answer(body=b"<html>", headers={"content-type": "text/html"}),
        "InvalidResponseError",
        r"\(200, text/html\)",
    ),
    "a media type of 90,000 bytes": (
        Answer(body=b"", headers={"content-type": "a/" + "b" * 90_000}),
        "InvalidResponseError",
        INVALID,
    ),
    # Other statuses.
    "101": (
        raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
        "ApiConnectionError",
        BROKEN,
    ),
    "204 with a body": (raw(response(status=b"204 None")), "InvalidResponseError", "no body"),
    "304 with a body": (raw(response(status=b"304 Same")), "ApiStatusError", "304"),
    "999": (raw(response(status=b"999 No")), "ApiStatusError", "999"),
    "an error page without an end": (
        Answer(500, b"<html>" * 100_000, {"content-type": "text/html"}),
        "ApiStatusError",
        "500",
    ),
    "an error of 100,000 levels": (
        Answer(500, b"[" * 100_000 + b"]" * 100_000),
        "ApiStatusError",
        "500",
    ),
    "an error with texts of 5 MB": (
        Answer(
            500,
            json.dumps(dict.fromkeys(["code", "detail", "request_id"], "a" * 5_000_000)).encode(),
        ),
        "ApiStatusError",
        "500",
    ),
    "an error with half of a pair": (
        Answer(500, b'{"code": "\\ud800", "detail": "\\udfff", "request_id": "\\ud800"}'),
        "ApiStatusError",
        "500",
    ),
    "an error with a code of 4,000 digits": (
        Answer(500, b'{"code": ' + b"9" * 4_000 + b"}"),
        "ApiStatusError",
        "500",
    ),
}


@pytest.mark.parametrize("name", FAILED)
def test_what_cannot_be_read_is_an_error_of_the_package(
    caller: Caller, origin: Origin, name: str
) -> None:
    answer, kind, cause = FAILED[name]
    origin.answer(answer)
    error = caller.error(read)
    kinds = {made.__name__ for made in type(error).__mro__}
    assert kind in kinds
    with pytest.raises(type(error), match=cause):
        raise error
    assert len(origin.asked) == 1


@pytest.mark.parametrize("charset", ["zlib", "rot13", "undefined", "unknown", "a" * 5_000])
def test_a_text_in_a_charset_that_is_no_charset_is_read_as_utf_8(
    caller: Caller, origin: Origin, charset: str
) -> None:
    origin.answer(
        Answer(body="é".encode(), headers={"content-type": f"text/plain; charset={charset}"})
    )
    assert caller(text) == "é"


def test_head_with_a_body_has_none(caller: Caller, origin: Origin) -> None:
    origin.answer(raw(response()))
    assert caller(lambda client: client.things.look()) is None


# --- connections that are kept


POISON = response(body=b'{"id": "poison"}')


@pytest.mark.parametrize(
    ("first", "call"),
    [
        (response() + POISON, read),
        (response() + b"HTTP/1.1 200 OK\r\n", read),
        (response() + b"\r\n", read),
        (chunked(CHUNK, b"0\r\n\r\n") + POISON, read),
        (response(status=b"204 None", body=POISON), drop),
        (response(status=b"204 None"), drop),
        (POISON + POISON, lambda client: client.things.look()),
    ],
    ids=[
        "another response",
        "the beginning of another",
        "a line",
        "another response after chunks",
        "204 with a response as its body",
        "204 with a body",
        "HEAD with a body",
    ],
)
def test_what_follows_a_response_is_not_the_next_one(
    caller: Caller, origin: Origin, first: bytes, call: Call
) -> None:
    origin.answer(raw(first, stays_open=True), Answer(body=OK))
    assert caller(call, read).id == "a"
    one, other = origin.asked
    assert one.connection != other.connection


def test_a_connection_without_such_bytes_is_kept(caller: Caller, origin: Origin) -> None:
    origin.answer(raw(response(), stays_open=True))
    assert caller(read, read).id == "a"
    assert len({asked.connection for asked in origin.asked}) == 1


def test_cookies_of_a_server_are_neither_sent_nor_kept(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=OK, headers={"Set-Cookie": "session=secret"}))
    kept: list[Any] = []

    def look(client: Any) -> Any:
        kept.extend(
            cookie
            for given in client._calls.transport._clients.values()
            for cookie in given.cookies.jar
        )
        return read(client)

    caller(read, look)
    assert not kept
    assert all("cookie" not in asked.headers for asked in origin.asked)


# --- redirects, which nothing follows

PLACES = [
    "http://{other}/thing",
    "//{other}/thing",
    "https://{other}/thing",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ftp://user:password@{other}/",
    "/" + "a" * 60_000,
    "http://[::1",
]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_credentials_do_not_follow_a_redirect(caller: Caller, origin: Origin, status: int) -> None:
    with running() as other:
        other.answer(Answer(body=OK))
        for place in PLACES:
            where = place.format(other=other.url.partition("://")[2])
            origin.script = [Answer(status, b"", {"Location": where})]
            error = caller.error(read)
            assert error.status == status
            assert "password" not in str(error).replace("/etc/passwd", "")
        assert other.asked == []


# --- how long to wait


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("1000000000", 1e9, 1e9),
        ("9" * 400, 2**31, 2**31),
        ("9" * 5_000, 2**31, 2**31),
        ("-5", None, None),
        ("1.5", None, None),
        ("\u00b2", None, None),
        ("soon", None, None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0, 0),
        ("Fri Dec 31 23:59:59 1999", 0, 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 2**31, 2**31),
        ("Fri, 31 Dec 1999", None, None),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None, None),
        ("31 Dec 1999 24:61:61 +9999999999999999", None, None),
    ],
)
def test_a_time_to_wait_is_finite_or_none(
    caller: Caller, origin: Origin, value: str, least: float | None, most: float | None
) -> None:
    origin.answer(Answer(429, b"{}", {"Retry-After": value}))
    error = caller.error(read)
    if least is None:
        assert error.retry_after is None
    else:
        assert least <= error.retry_after <= most


def test_a_date_without_a_time_zone_is_one_of_utc(
    caller: Caller, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        soon = time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(time.time() + 1000))
        origin.answer(Answer(429, b"{}", {"Retry-After": soon}))
        assert 900 < caller.error(read).retry_after <= 1000
    finally:
        monkeypatch.undo()
        time.tzset()


# --- slowly: the limits of time hold

SLOW = 0.02
DRIP: dict[str, tuple[Call, Callable[[], Iterable[bytes]]]] = {
    "the head": (read, lambda: itertools.chain([b"HTTP/1.1 200 OK\r\n"], _endless(b"X: y\r\n"))),
    "early hints": (read, lambda: _endless(b"HTTP/1.1 103 Early Hints\r\n\r\n")),
    "the body": (
        read,
        lambda: itertools.chain([response(size=10**6, body=b"{")], _endless(b" ")),
    ),
    "chunks": (read, lambda: itertools.chain([chunked()], _endless(b"1\r\n \r\n"))),
    "an extension": (read, lambda: itertools.chain([chunked(b"1;")], _endless(b"a"))),
    "trailers": (
        read,
        lambda: itertools.chain([chunked(CHUNK, b"0\r\n")], _endless(b"X: y\r\n")),
    ),
}


def _endless(piece: bytes) -> Iterator[bytes]:
    # It ends by itself, so that a client without a limit fails its test and not the run.
    return itertools.repeat(piece, 500)


@pytest.mark.parametrize("name", DRIP)
def test_a_deadline_holds_whatever_comes_drop_by_drop(
    caller: Caller, origin: Origin, name: str
) -> None:
    call, pieces = DRIP[name]
    origin.answer(Answer(raw=pieces(), pause=SLOW))
    error = caller.error(call, deadline=0.3, timeout=30)
    assert isinstance(error, caller.module.ApiTimeoutError)


@pytest.mark.parametrize("name", ["the head", "the body", "chunks"])
def test_a_timeout_holds_for_each_part(caller: Caller, origin: Origin, name: str) -> None:
    _, pieces = DRIP[name]
    origin.answer(Answer(raw=itertools.islice(pieces(), 2), pause=SLOW), Answer(body=OK))
    start = list(itertools.islice(pieces(), 2))
    origin.script = [Answer(raw=itertools.chain(start, _silence(origin)), pause=SLOW)]
    error = caller.error(read, timeout=0.2)
    assert isinstance(error, caller.module.ApiTimeoutError)
    assert "within 0.2 s while reading" in str(error)


def _silence(origin: Origin) -> Iterator[bytes]:
    origin.done.wait()
    yield b""


# --- much: memory has a limit


def peak(call: Callable[[], object]) -> int:
    """The most bytes that Python had at a time during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


LIMIT = 200_000


def streamed(media_type: str, pieces: Iterable[bytes]) -> Answer:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode()
    return Answer(raw=itertools.chain([head], pieces))


@pytest.mark.parametrize(
    ("call", "media_type", "piece"),
    [
        (events, "text/event-stream", b"data: " + b"a" * 10_000),
        (events, "text/event-stream", b"data:\n" * 2_000),
        (events, "text/event-stream", b"data: a\r" * 2_000),
        (lines, "application/jsonl", b" " * 10_000),
        (lines, "application/jsonl", b'["' + b"a" * 10_000),
    ],
    ids=["a line of data", "empty lines of data", "lines of data", "blanks", "an item"],
)
def test_an_item_without_end_has_a_limit(
    caller: Caller, origin: Origin, call: Call, media_type: str, piece: bytes
) -> None:
    origin.answer(streamed(media_type, itertools.repeat(piece, 20_000)))
    error: list[Any] = []
    most = peak(lambda: error.append(caller.error(call, max_response_bytes=LIMIT)))
    assert isinstance(error[0], caller.module.ResponseTooLargeError)
    assert "an item exceeds 200000 bytes" in str(error[0])
    assert most < 6_000_000


@pytest.mark.parametrize(
    ("media_type", "start", "end"),
    [
        ("application/jsonl", b'{"id": "', b'"}\n'),
        ("text/event-stream", b'data: {"id": "', b'"}\n\n'),
    ],
)
def test_a_long_item_is_not_copied_for_each_of_its_parts(
    package: Generate, media_type: str, start: bytes, end: bytes
) -> None:
    runtime = f"{package(API).__name__}._runtime.shared"
    medium = importlib.import_module(f"{runtime}.media.table").stream_medium_of(media_type)
    converter = codecs(package(API)).client("Node")
    content = importlib.import_module(f"{runtime}.operation").Content(media_type, "Node")
    reader = medium.reader(content, converter)
    began = time.process_time()
    read = [*reader.feed(start)]
    for _ in range(300_000):
        read += reader.feed(b"aaaa")
    assert [len(item.id) for item in [*read, *reader.feed(end)]] == [1_200_000]
    # Copies of 180 GB would take much longer.
    assert time.process_time() - began < 8


def test_a_body_byte_by_byte_takes_no_more_memory(caller: Caller, origin: Origin) -> None:
    pieces = [chunked(), b"2\r\n  \r\n" * 60_000, CHUNK + b"0\r\n\r\n"]
    origin.answer(Answer(body=OK), Answer(raw=pieces))
    # The first call imports modules.
    caller(read)
    assert peak(lambda: caller(read)) < 1_800_000


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("words", b"[" + b",".join([b"1"] * 100_000) + b"]"),
        ("map", b"{" + b",".join(b'"%d":1' % number for number in range(50_000)) + b"}"),
    ],
)
@pytest.mark.parametrize("status", [200, 500])
def test_many_wrong_values_take_no_more_memory_than_right_ones(
    caller: Caller, origin: Origin, name: str, body: bytes, status: int
) -> None:
    origin.answer(Answer(status, body))
    error: list[Any] = []
    call = operator.methodcaller(name)
    assert peak(lambda: error.append(caller.error(lambda c: call(c.things)))) < 25_000_000
    # Pydantic's own memory is not in the peak: it stops at the first item.
    told = {"words": "body.0: Input should be", "map": "body: 50000 parts of it are invalid"}
    assert status == 500 or told[name] in str(error[0])


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip"])
@pytest.mark.parametrize(
    ("call", "media_type"), [(events, "text/event-stream"), (lines, "application/jsonl")]
)
def test_a_stream_does_not_unpack_to_a_large_one(
    caller: Caller, origin: Origin, call: Call, media_type: str, encoding: str
) -> None:
    packed = gzip.compress(b" " * 50_000_000)
    packed = gzip.compress(packed) if encoding != "gzip" else packed
    headers = {"content-encoding": encoding, "content-type": media_type}
    origin.answer(Answer(body=packed, headers=headers))
    assert peak(lambda: caller.error(call, max_response_bytes=LIMIT)) < 6_000_000
    assert origin.asked[0].headers["accept-encoding"] == "identity"


def test_a_reconnection_time_of_5000_digits_is_none(caller: Caller, origin: Origin) -> None:
    event = b"retry: " + b"9" * 5_000 + b"\ndata: a\n\nretry: 5\ndata: b\n\n"
    origin.answer(streamed("text/event-stream", [event]))
    read = caller(lambda client: client.things.plain())
    assert [(item.data, item.retry) for item in read] == [("a", None), ("b", 5)]


# --- pages


def page(cursor: object) -> Answer:
    return Answer(body=json.dumps({"data": [{"id": "a"}], "next": cursor}).encode())


@pytest.mark.parametrize(
    "cursor", ["9" * 5_000, "9" * 70_000, "a" * 5_000_000], ids=["digits", "more digits", "text"]
)
def test_a_cursor_that_cannot_be_sent_is_an_error(
    caller: Caller, origin: Origin, cursor: str
) -> None:
    origin.answer(page(cursor))
    error = caller.error(lambda client: client.things.list())
    assert str(error).startswith("list: the next page cannot be requested: after: Input should")
    assert len(origin.asked) == 1


def test_a_link_that_is_too_long_for_a_url_is_an_error(caller: Caller, origin: Origin) -> None:
    link = {"Link": f"<?page={'a' * 70_000}>; rel=next"}
    origin.answer(Answer(body=b'[{"id": "a"}]', headers=link))
    error = caller.error(links)
    assert isinstance(error, caller.module.PaginationError)
    assert len(origin.asked) == 1


def test_a_long_cursor_that_comes_again_is_shortened(caller: Caller, origin: Origin) -> None:
    origin.answer(page("9" * 600))
    error = caller.error(lambda client: client.things.list())
    assert str(error).startswith("list: the list returned the cursor '999")
    assert "twice" in str(error)
    assert len(str(error)) < 300


def links(client: Any) -> Any:
    return client.things.links()


def test_pages_at_other_hosts_are_asked_for_here(caller: Caller, origin: Origin) -> None:
    with running() as other:
        other.answer(Answer(body=b"[]"))
        last = Answer(body=b"[]")
        for place in (f"{other.url}/links?page=2", "//evil.example/?page=2", "file:///a?page=2"):
            origin.script = [
                Answer(body=b'[{"id": "a"}]', headers={"Link": f'<{place}>; rel="next"'}),
                last,
            ]
            assert len(caller(links)) == 1
            assert origin.asked[-1].target == "/links?page=2"
        assert other.asked == []


@pytest.mark.parametrize(
    "link",
    ["<" * 90_000, "<>" * 45_000, '<a>"' * 22_000, "<a>;rel=" + " " * 90_000],
    ids=["targets without end", "targets", "quotes without end", "blanks"],
)
def test_a_header_with_links_takes_no_time(caller: Caller, origin: Origin, link: str) -> None:
    origin.answer(Answer(body=b"[]", headers={"Link": link}))
    began = time.process_time()
    assert caller(links) == []
    # It was half a minute.
    assert time.process_time() - began < 8


def test_the_next_page_without_a_query_is_an_error(caller: Caller, origin: Origin) -> None:
    origin.answer(Answer(body=b"[]", headers={"Link": '<http://evil.example/>; rel="next"'}))
    assert "links: the URL of the next page has no query" in str(caller.error(links))
