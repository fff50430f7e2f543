"""Requests of evil and of broken clients to a stub, served by uvicorn: none makes it fail."""

from __future__ import annotations

import gzip
import json
import logging
import re
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref
from tests.serving import Server

TEXT: Json = {"type": "string"}
NODE: Json = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "size": {"type": "integer"},
        "number": {"type": "number"},
        "words": {"type": "array", "items": TEXT},
        "any": {},
    },
}
FORM: Json = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "size": {"type": "integer"},
        "file": {"type": "string", "format": "binary"},
    },
}


def body(media_type: str, schema: Json) -> Json:
    return {"required": True, "content": {media_type: {"schema": schema}}}


def parameter(name: str, place: str, schema: Json, **members: Any) -> Json:
    return {"name": name, "in": place, "required": place == "path", "schema": schema, **members}


DEEP = {"type": "object", "additionalProperties": {}}
API = document(
    {
        "/things/{id}": {
            "get": operation(
                ref("Node"),
                operationId="read",
                parameters=[
                    parameter("id", "path", TEXT),
                    parameter("size", "query", {"type": "integer"}),
                    parameter("number", "query", {"type": "number"}),
                    parameter("deep", "query", DEEP, style="deepObject"),
                    parameter("X-Size", "header", {"type": "integer"}),
                    parameter("crumb", "cookie", TEXT),
                ],
            )
        },
        "/json": {
            "post": operation(
                ref("Node"),
                operationId="keep",
                requestBody={"required": True, **content(ref("Node"))},
            )
        },
        "/text": {
            "post": operation(ref("Node"), operationId="tell", requestBody=body("text/plain", TEXT))
        },
        "/form": {
            "post": operation(
                ref("Node"),
                operationId="fill",
                requestBody=body("application/x-www-form-urlencoded", FORM),
            )
        },
        "/parts": {
            "post": operation(
                ref("Node"),
                operationId="upload",
                requestBody=body("multipart/form-data", FORM),
            )
        },
    },
    {"Node": NODE},
)


@pytest.fixture
def taken() -> list[Any]:
    """The arguments of calls of a handler."""
    return []


@pytest.fixture
def server(
    package: Generate, taken: list[Any], caplog: pytest.LogCaptureFixture
) -> Iterator[Server]:
    """A stub that has responded to an ordinary request after all others, and logged nothing."""
    made: ModuleType = package(API)

    async def handle(self: object, **arguments: Any) -> Any:
        taken.append(arguments)
        return made.models.Node(id="a")

    names = ("read", "keep", "tell", "fill", "upload")
    group = type("Things", (made.server.UnimplementedThings,), dict.fromkeys(names, handle))
    with Server(made.server.create_app(things=group())) as running:
        yield running
        assert running.send("GET", "/things/a").status == 200
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def send(server: Server, *pieces: bytes, ends: bool = True) -> tuple[int, bytes]:
    """Return the status of the response to some bytes, 0 for none, and its body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        received = b""

        def write() -> None:
            with suppress(OSError):
                for piece in pieces:
                    connection.sendall(piece)
                if ends:
                    connection.shutdown(socket.SHUT_WR)

        # A server may respond and close the connection while it is sent more, which resets it:
        # what was not read then is lost.
        writing = threading.Thread(target=write)
        writing.start()
        with suppress(OSError):
            while read := connection.recv(65_536):
                received += read
        writing.join()
    received = re.sub(rb"\AHTTP/1\.1 100 [^\r\n]*\r\n\r\n", b"", received)
    head, _, rest = received.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, rest


def get(target: str, *headers: bytes) -> bytes:
    fields = b"".join(header + b"\r\n" for header in headers)
    line = b"GET " + target.encode() + b" HTTP/1.1\r\n"
    return line + b"Host: a\r\nConnection: close\r\n" + fields + b"\r\n"


def post(path: str, data: bytes, media_type: bytes = b"application/json", *headers: bytes) -> bytes:
    fields = b"".join(header + b"\r\n" for header in headers)
    length = b"" if b"ength" in fields or b"ncoding: c" in fields else b"Content-Length: "
    if length:
        length += b"%d\r\n" % len(data)
    return (
        b"POST "
        + path.encode()
        + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: "
        + media_type
        + b"\r\n"
        + length
        + fields
        + b"\r\n"
        + data
    )


def part(*headers: bytes, data: bytes = b"1", boundary: bytes = b"b") -> bytes:
    return b"\r\n".join([b"--" + boundary, *headers, b"", data, b""])


def parts(*sent: bytes, boundary: bytes = b"b", end: bytes = b"--b--\r\n") -> bytes:
    return post("/parts", b"".join(sent) + end, b"multipart/form-data; boundary=" + boundary)


NAMED = b'Content-Disposition: form-data; name="name"'
FORM_TYPE = b"application/x-www-form-urlencoded"
CHUNKED = b"Transfer-Encoding: chunked"

# The status of the response, and the code of its problem; without one, it is that of the server.
REQUESTS: dict[str, tuple[bytes, int, str | None]] = {
    # Paths.
    "bytes that are not UTF-8 in a path": (get("/things/%ff"), 400, "invalid_value"),
    "half of a pair in a path": (get("/things/%ED%A0%80"), 400, "invalid_value"),
    "an overlong slash in a path": (get("/things/%C0%AF"), 400, "invalid_value"),
    "NUL in a path": (get("/things/%00"), 200, None),
    "dots in a path": (get("/things/.."), 200, None),
    "encoded dots in a path": (get("/things/%2e%2e"), 200, None),
    "a lone percent": (get("/things/%"), 200, None),
    "a percent without digits": (get("/things/%zz"), 200, None),
    "an encoded slash": (get("/things/%2F%2F"), 200, None),
    "an empty segment": (get("/things/"), 404, "route_not_found"),
    "two slashes": (get("//things/a"), 404, "route_not_found"),
    "a path of 50,000 characters": (get("/things/" + "a" * 50_000), 200, None),
    "a path of 50,000 segments": (get("/things" + "/" * 50_000), 404, "route_not_found"),
    "an asterisk": (get("*"), 404, "route_not_found"),
    "a space in a path": (get("/things/a b"), 400, None),
    # Queries.
    "10,000 parameters": (get("/things/a?" + "a=b&" * 10_000), 200, None),
    "a parameter 10,000 times": (get("/things/a?" + "size=1&" * 8_000), 400, "invalid_value"),
    "an integer of 5,000 digits": (get("/things/a?size=" + "9" * 5_000), 400, "invalid_value"),
    "a number of 10^400": (get("/things/a?number=1e400"), 400, "invalid_value"),
    "no number": (get("/things/a?number=NaN"), 400, "invalid_value"),
    "digits of another script": (get("/things/a?size=%D9%A3"), 400, "invalid_value"),
    "nothing but delimiters": (get("/things/a?=&&=&?&="), 200, None),
    "NUL in a query": (get("/things/a?size=%00"), 400, "invalid_value"),
    "1,000 levels of brackets": (get("/things/a?deep" + "[a]" * 1_000 + "=1"), 200, None),
    "an index of 5,000 digits": (get("/things/a?deep[" + "9" * 5_000 + "]=1"), 200, None),
    "brackets that are not closed": (get("/things/a?deep[=1&deep]=2&deep[[]]=3"), 200, None),
    # Heads.
    "garbage": (b"\x00\xff" * 100 + b"\r\n\r\n", 400, None),
    "a record of TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, None),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404, None),
    "no host": (b"GET /things/a HTTP/1.1\r\n\r\n", 400, None),
    "NUL in a header": (get("/things/a", b"X: a\x00b"), 400, None),
    "a space before a colon": (get("/things/a", b"X : b"), 400, None),
    "a folded header": (get("/things/a", b"X: a\r\n b"), 200, None),
    "8,000 headers": (get("/things/a", *[b"X: y"] * 8_000), 200, None),
    "a header twice": (get("/things/a", b"X-Size: 1", b"X-Size: 2"), 400, "invalid_value"),
    "a header in Latin-1": (get("/things/a", b"X-Size: \xff"), 400, "invalid_value"),
    "cookies that are none": (get("/things/a", b"Cookie: ;;=;crumb;=crumb;\xff=a"), 200, None),
    "Accept of 30,000 ranges": (get("/things/a", b"Accept: " + b"a," * 30_000), 200, None),
    # Bodies of JSON.
    "no body": (post("/json", b""), 400, "invalid_json"),
    "half of a value": (post("/json", b'{"id": '), 400, "invalid_json"),
    "two values": (post("/json", b"{}{}"), 400, "invalid_json"),
    "a name twice": (post("/json", b'{"id": "a", "id": "b"}'), 400, "invalid_json"),
    "a byte order mark": (post("/json", b"\xef\xbb\xbf{}"), 400, "invalid_json"),
    "UTF-16": (post("/json", "{}".encode("utf-16")), 400, "invalid_json"),
    "bytes that are not UTF-8": (post("/json", b'{"id": "\xff"}'), 400, "invalid_json"),
    "half of a pair": (post("/json", b'{"id": "\\ud800"}'), 400, "invalid_json"),
    "NaN": (post("/json", b'{"any": NaN}'), 400, "invalid_json"),
    "1e400": (post("/json", b'{"any": 1e400}'), 400, "invalid_json"),
    "an exponent of -10^20": (
        post("/json", b'{"number": 1e-100000000000000000000}'),
        400,
        "invalid_json",
    ),
    "zero with an exponent of 10^20": (
        post("/json", b'{"number": 0e100000000000000000000}'),
        400,
        "invalid_json",
    ),
    "an integer of 5,000 digits in JSON": (
        post("/json", b'{"size": ' + b"9" * 5_000 + b"}"),
        400,
        "invalid_json",
    ),
    "an integer with a fraction": (post("/json", b'{"size": 1.0}'), 200, None),
    "a fraction of 500,000 digits": (
        post("/json", b'{"size": 1.' + b"0" * 500_000 + b"}"),
        200,
        None,
    ),
    "100,000 levels": (
        post("/json", b'{"any": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        400,
        "invalid_json",
    ),
    "a list": (post("/json", b"[]"), 400, "invalid_value"),
    "null": (post("/json", b"null"), 400, "invalid_value"),
    "wrong types": (post("/json", b'{"id": 1, "size": "1", "words": {}}'), 400, "invalid_value"),
    "a body of 2 MB": (post("/json", b" " * 2_000_000), 413, "body_too_large"),
    # Media types.
    "another media type": (post("/json", b"{}", b"text/html"), 415, "unsupported_media_type"),
    "no media type": (post("/json", b"{}", b""), 415, "unsupported_media_type"),
    "a media type of 50,000 bytes": (
        post("/json", b"{}", b"a/" + b"b" * 50_000),
        415,
        "unsupported_media_type",
    ),
    "two media types": (
        post("/json", b"{}", b"application/json", b"Content-Type: text/html"),
        415,
        "unsupported_media_type",
    ),
    "JSON in Latin-1": (
        post("/json", b"{}", b"application/json; charset=latin-1"),
        415,
        "unsupported_media_type",
    ),
    "JSON in gzip": (
        post("/json", gzip.compress(b"{}"), b"application/json", b"Content-Encoding: gzip"),
        415,
        "unsupported_media_type",
    ),
    "a text in a charset that is no charset": (
        post("/text", b"a", b"text/plain; charset=zlib"),
        200,
        None,
    ),
    "a text in idna": (post("/text", b"\xff", b"text/plain; charset=idna"), 400, "invalid_json"),
    # Framing.
    "chunks": (post("/json", b"2\r\n{}\r\n0\r\n\r\n", b"application/json", CHUNKED), 200, None),
    "chunks with trailers": (
        post("/json", b"2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n", b"application/json", CHUNKED),
        200,
        None,
    ),
    "chunks that end early": (
        post("/json", b"20\r\n{}", b"application/json", CHUNKED),
        0,
        None,
    ),
    "no last chunk": (post("/json", b"2\r\n{}\r\n", b"application/json", CHUNKED), 0, None),
    "a chunk size of letters": (
        post("/json", b"zz\r\n{}", b"application/json", CHUNKED),
        400,
        None,
    ),
    "chunks of 2 MB": (
        post("/json", (b"10\r\n" + b" " * 16 + b"\r\n") * 120_000, b"application/json", CHUNKED),
        413,
        "body_too_large",
    ),
    "a body that ends early": (
        post("/json", b"{}", b"application/json", b"Content-Length: 100"),
        0,
        None,
    ),
    "two lengths": (
        post("/json", b"{}", b"application/json", b"Content-Length: 2", b"Content-Length: 3"),
        400,
        None,
    ),
    "a length below zero": (
        post("/json", b"{}", b"application/json", b"Content-Length: -1"),
        400,
        None,
    ),
    "a client that waits for 100": (
        post("/json", b"{}", b"application/json", b"Expect: 100-continue"),
        200,
        None,
    ),
    # Forms.
    "bytes of a form that are not UTF-8": (
        post("/form", b"name=\xff", FORM_TYPE),
        400,
        "invalid_json",
    ),
    "encoded bytes of a form that are not UTF-8": (
        post("/form", b"name=%ff", FORM_TYPE),
        400,
        "invalid_json",
    ),
    "a form of delimiters": (post("/form", b"&=&&=&", FORM_TYPE), 200, None),
    "a form with 10,000 names": (
        post("/form", b"&".join(b"n%d=1" % n for n in range(10_000)), FORM_TYPE),
        200,
        None,
    ),
    "a form with a name 10,000 times": (
        post("/form", b"name=1&" * 10_000, FORM_TYPE),
        400,
        "invalid_value",
    ),
    "a form with an integer of 5,000 digits": (
        post("/form", b"size=" + b"9" * 5_000, FORM_TYPE),
        400,
        "invalid_value",
    ),
    # Parts.
    "parts": (parts(part(NAMED)), 200, None),
    "5,000 parts": (parts(*[part(NAMED)] * 5_000), 400, "invalid_json"),
    "a part without a name": (
        parts(part(b"Content-Disposition: form-data")),
        400,
        "invalid_json",
    ),
    "a part without headers": (parts(part()), 400, "invalid_json"),
    "a part with a header of 100,000 bytes": (
        parts(part(NAMED, b"X: " + b"a" * 100_000)),
        400,
        "invalid_json",
    ),
    "a part with 10,000 headers": (
        parts(part(NAMED, *[b"X: y"] * 10_000)),
        400,
        "invalid_json",
    ),
    "a header of a part without a colon": (parts(part(NAMED, b"garbage")), 400, "invalid_json"),
    "a name of bytes that are not UTF-8": (
        parts(part(b'Content-Disposition: form-data; name="\xff"')),
        200,
        None,
    ),
    "an empty name": (parts(part(b'Content-Disposition: form-data; name=""')), 200, None),
    "no boundary": (
        post("/parts", part(NAMED) + b"--b--", b"multipart/form-data"),
        400,
        "invalid_json",
    ),
    "an empty boundary": (parts(part(NAMED, boundary=b""), boundary=b'""'), 400, "invalid_json"),
    "another boundary": (parts(part(NAMED), boundary=b"c"), 400, "invalid_json"),
    "a boundary of 10,000 bytes": (
        parts(part(NAMED), boundary=b"b" * 10_000),
        400,
        "invalid_json",
    ),
    "a part that is not UTF-8": (parts(part(NAMED, data=b"\xff")), 400, "invalid_json"),
    "the beginning of a boundary in a part": (parts(part(NAMED, data=b"\r\n--b-")), 200, None),
    "a boundary in a part": (parts(part(NAMED, data=b"\r\n--b")), 400, "invalid_json"),
    "no last boundary": (parts(part(NAMED), end=b""), 400, "invalid_json"),
    "text after the last boundary": (parts(part(NAMED), end=b"--b--\r\nmore"), 200, None),
    "a file of a path": (
        parts(
            part(
                b'Content-Disposition: form-data; name="file"; filename="../../etc/passwd"',
                b"Content-Type: a/b",
            )
        ),
        200,
        None,
    ),
    "a file that is not UTF-8": (
        parts(
            part(
                b'Content-Disposition: form-data; name="file"; filename="a"',
                data=b"\xff\x00\r\n--\xff",
            )
        ),
        200,
        None,
    ),
    "parts in parts": (
        parts(part(NAMED, b"Content-Type: multipart/mixed; boundary=c", data=b"--c\r\n\r\n--c--")),
        200,
        None,
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_no_request_makes_a_stub_fail(server: Server, taken: list[Any], name: str) -> None:
    sent, status, code = REQUESTS[name]
    answered, data = send(server, sent)
    assert (answered, len(taken)) == (status, 1 if status == 200 else 0)
    assert len(data) < 5000
    if code is not None:
        assert json.loads(data)["code"] == code


@pytest.mark.parametrize(
    "sent",
    [get("/things/" + "a" * 1_000_000), get("/things/a", *[b"X: y"] * 200_000)],
    ids=["a path of 1,000,000 characters", "200,000 headers"],
)
def test_a_head_of_a_megabyte_is_refused_while_it_is_sent(
    server: Server, taken: list[Any], sent: bytes
) -> None:
    assert send(server, sent)[0] in (0, 400)
    assert not taken


def test_json_of_any_depth_is_refused_or_read(server: Server) -> None:
    statuses = [
        send(server, post("/json", b'{"any": ' + b"[" * levels + b"]" * levels + b"}"))[0]
        for levels in (10, 190, *range(900, 1010))
    ]
    assert set(statuses[:2]) == {200}
    assert set(statuses[2:]) == {400}


@pytest.mark.parametrize(
    "data",
    [
        b'{"words": [' + b",".join([b"1"] * 500_000) + b"]}",
        b"{" + b",".join(b'"n%d":1e999' % number for number in range(60_000)) + b"}",
    ],
    ids=["items", "members"],
)
def test_many_wrong_values_take_neither_time_nor_memory(server: Server, data: bytes) -> None:
    tracemalloc.start()
    try:
        status, answer = send(server, post("/json", data))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (status, json.loads(answer)["code"]) in [(400, "invalid_value"), (400, "invalid_json")]
    assert most < 150_000_000


def test_a_few_wrong_items_are_all_named(server: Server) -> None:
    status, answer = send(server, post("/json", b'{"words": [1, "a", 2, "b", 3], "size": "x"}'))
    assert status == 400
    named = [error["param"] for error in json.loads(answer)["errors"]]
    assert named == ["size", "words.0", "words.2", "words.4"]


def test_an_upload_that_was_refused_is_not_waited_for(server: Server) -> None:
    """A client that expects 100 sends no body after a final status."""
    head = post("/nothing", b"", b"application/json", b"Expect: 100-continue", b"Content-Length: 9")
    assert send(server, head, ends=False)[0] == 404


def test_a_client_that_leaves_is_no_error(server: Server, taken: list[Any]) -> None:
    for data in (b"", b"{"):
        head = post("/json", data, b"application/json", b"Content-Length: 9")
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head)
    assert not taken


def test_the_log_of_a_failure_has_one_line_of_the_request(
    package: Generate, caplog: pytest.LogCaptureFixture
) -> None:
    """A path may contain line breaks, which would look like other entries."""
    made = package(API)

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def read(self, **arguments: Any) -> Any:
            raise RuntimeError

    app = made.server.create_app(things=Things(), unimplemented="501")
    with Server(app) as server:
        forged = "/things/a%0AERROR:root:forged%1B[31m" + "a" * 10_000
        assert send(server, get(forged))[0] == 500
    (record,) = (record for record in caplog.records if "failed" in record.getMessage())
    assert record.getMessage().isprintable()
    assert len(record.getMessage()) < 400
