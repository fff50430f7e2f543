"""Bytes on the connection that are not a valid request, or exceed the limits of one."""

from __future__ import annotations

import asyncio
import errno
import json
import random
import re
import socket
from asyncio import selector_events
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from esim_service.http import protocol
from esim_service.http.listening import UvicornServer
from esim_service.http.protocol import HEAD_BYTES, UNFINISHED_BYTES
from partner_esim.models import Error

from .running import DEADLINE

pytestmark = pytest.mark.anyio


# With the body as it is without any other coding.
CODED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: %b\r\n\r\n1\r\na\r\n0\r\n\r\n"


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async def echo(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await request.body())

    async def early(request: Request) -> PlainTextResponse:
        return PlainTextResponse("")

    async def slow(request: Request) -> PlainTextResponse:
        await asyncio.sleep(2 * protocol.REQUEST_SECONDS)
        return PlainTextResponse("")

    async def later(request: Request) -> PlainTextResponse:
        await asyncio.sleep(0.005)
        return PlainTextResponse("")

    routes = [
        Route("/", echo, methods=["GET", "POST"]),
        Route("/early", early, methods=["POST"]),
        Route("/slow", slow),
        Route("/later", later),
    ]
    server = UvicornServer(Starlette(routes=routes))
    listening = socket.create_server(("127.0.0.1", 0))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    await server.listens.wait()
    yield listening.getsockname()[1]
    server.should_exit = True
    await running


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(protocol, "LINGER_SECONDS", 0.2)


async def exchange(port: int, *parts: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send some bytes; return status, headers and body of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(DEADLINE):
            for part in parts:
                writer.write(part)
                await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            line, *lines = head.strip().split("\r\n")
            headers = {k.lower(): v for k, v in (each.split(": ", 1) for each in lines)}
            body = await reader.readexactly(int(headers["content-length"]))
            return int(line.split()[1]), headers, body
    finally:
        writer.close()


async def whole(port: int, sent: bytes) -> bytes:
    """Send some bytes; return all that comes until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(DEADLINE):
            writer.write(sent)
            return await reader.read()
    finally:
        writer.close()


def statuses(answers: bytes) -> list[int]:
    """The statuses of some answers."""
    return [int(each) for each in re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", answers)]


def code_of(headers: dict[str, str], body: bytes) -> str:
    """The code of an error in the contract's form."""
    assert headers["content-type"] == "application/json"
    error = Error.model_validate_json(body).error
    assert error.request_id == headers["request-id"]
    assert json.loads(body)["error"]["type"] == "invalid_request_error"
    return error.code


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GARBAGE\r\n\r\n", 400, "invalid_value"),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400, "invalid_value"),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400, "invalid_value"),
        (b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA\0: b\r\n\r\n", 400, "invalid_value"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: a b@/\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: h/p\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: h:p\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.1\r\nHost: a%2\r\n\r\n", 400, "invalid_value"),
        (b"GET / HTTP/1.0\r\nHost: a,b c\r\n\r\n", 400, "invalid_value"),
        (CODED % b"gzip, chunked", 501, "invalid_value"),
        (CODED % b"gzip\r\nTransfer-Encoding: chunked", 501, "invalid_value"),
        (CODED % b"identity, Chunked", 501, "invalid_value"),
        (b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 405, "method_not_allowed"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES + b"\r\n\r\n", 400, "invalid_length"),
        (b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1\r\n\r\n", 400, "invalid_length"),
    ],
)
async def test_what_is_no_request_gets_the_contract_s_error(
    port: int, sent: bytes, status: int, code: str
) -> None:
    answered, headers, body = await exchange(port, sent)
    assert (answered, code_of(headers, body)) == (status, code)
    assert ("allow" in headers) is (status == 405)


@pytest.mark.parametrize(
    "host", [b"", b"x", b"x:80", b"x:", b"EX-ample.com", b"[::1]:8000", b"a_b~c%20d", b"10.0.0.1"]
)
async def test_a_valid_host_is_accepted(port: int, host: bytes) -> None:
    assert (await exchange(port, b"GET / HTTP/1.1\r\nHost: %b\r\n\r\n" % host))[0] == 200


async def test_the_only_coding_is_chunked(port: int) -> None:
    for coding in (b"chunked", b"CHUNKED "):
        assert (await exchange(port, CODED % coding))[::2] == (200, b"a")
    # What follows a body that cannot be read is not a request.
    sent = CODED % b"gzip, chunked" + b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert statuses(await whole(port, sent)) == [501]


async def test_a_head_may_have_all_that_is_allowed_and_not_a_byte_more(port: int) -> None:
    # The names and values of headers count, and the target.
    value = b"a" * (HEAD_BYTES - len("/" + "Host" + "x" + "X"))
    head = b"GET / HTTP/1.1\r\nHost: x\r\nX: " + value
    assert (await exchange(port, head, b"\r\n\r\n"))[0] == 200
    _, headers, body = await exchange(port, head, b"a\r\n\r\n")
    assert code_of(headers, body) == "invalid_length"


async def test_a_header_without_end_is_cut_off(port: int) -> None:
    endless = [b"GET / HTTP/1.1\r\nX: "] + [b"a" * 4096] * (UNFINISHED_BYTES // 4096 + 1)
    _, headers, body = await exchange(port, *endless)
    assert code_of(headers, body) == "invalid_length"


async def test_many_requests_on_one_connection_do_not_add_up(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = b"b" * HEAD_BYTES
    head = b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * (HEAD_BYTES // 2)
    async with asyncio.timeout(DEADLINE):
        for _ in range(4):
            writer.write(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(body)) == body
    writer.close()


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n",
        b"GET / HTTP/2.0\r\nHost: x\r\n",
        b"GET /\r\n",
    ],
)
async def test_a_head_that_the_parser_takes_and_http_does_not(port: int, head: bytes) -> None:
    status, headers, body = await exchange(port, head + b"\r\n")
    assert (status, code_of(headers, body)) == (400, "invalid_value")


async def test_http_1_0_needs_no_host_and_is_closed(port: int) -> None:
    answer = await whole(port, b"GET / HTTP/1.0\r\n\r\n")
    assert statuses(answer) == [200]


PLAIN = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (PLAIN + b"garbage\r\n\r\n", [200, 400]),
        (PLAIN * 3 + b"garbage\r\n\r\n", [200, 200, 200, 400]),
        (PLAIN * 2 + CHUNKED + b"zz\r\n", [200, 200, 400]),
        (PLAIN + b"GET / HTTP/1.1\r\n\r\n" + PLAIN, [200, 400]),
        (PLAIN + b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", [200, 400]),
        (CHUNKED + b"1\r\na\r\nzz\r\n", [400]),
        (CHUNKED + b"1\r\na\r\n0\r\n\r\n" + PLAIN + b"zz\r\n\r\n", [200, 200, 400]),
    ],
)
async def test_answers_come_in_the_order_of_the_requests(
    port: int, sent: bytes, expected: list[int]
) -> None:
    assert statuses(await whole(port, sent)) == expected


REQUESTS = {
    PLAIN: 200,
    CHUNKED + b"1\r\na\r\n0\r\nX: y\r\n\r\n": 200,
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n": 200,
    b"\r\nPOST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc": 200,
    b"GET /later HTTP/1.1\r\nHost: x\r\n\r\n": 200,
    b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n": 404,
}
BROKEN = [
    b"garbage\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    CHUNKED + b"zz\r\n",
    CHUNKED + b"1\r\na\r\nzz\r\n",
]


@pytest.mark.parametrize("seed", range(8))
async def test_packets_do_not_matter(port: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(10):
        good = chance.choices(sorted(REQUESTS), k=chance.randint(0, 4))
        sent = b"".join(good) + chance.choice(BROKEN)
        cuts = sorted(chance.sample(range(1, len(sent)), k=chance.randint(0, 5)))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(DEADLINE):
            for start, end in pairwise([0, *cuts, len(sent)]):
                writer.write(sent[start:end])
                await asyncio.sleep(0.001)
            answers = statuses(await reader.read())
        writer.close()
        assert answers == [*(REQUESTS[each] for each in good), 400], (sent, cuts)


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"1;", b"a" * 4096),
        (b"1\r\na\r\n0\r\nX: ", b"a" * 4096),
        (b"1\r\na\r\n0\r\n", b"X: " + b"a" * 4091 + b"\r\n"),
    ],
    ids=["extension", "trailer", "trailers"],
)
async def test_what_surrounds_chunks_has_a_limit(port: int, start: bytes, more: bytes) -> None:
    endless = [more] * (UNFINISHED_BYTES // len(more) + 1)
    _, headers, body = await exchange(port, CHUNKED + start, *endless)
    assert code_of(headers, body) == "invalid_length"


async def test_a_body_in_chunks_of_one_byte_has_none_of_these_limits(port: int) -> None:
    size = UNFINISHED_BYTES // 8
    answer = await exchange(port, CHUNKED + b"1\r\na\r\n" * size + b"0\r\n\r\n")
    assert answer[2] == b"a" * size


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"", []),
        (b"\r\n", []),
        (b"GET / HT", [400]),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: a", [400]),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na", [400]),
        (CHUNKED + b"1\r\n", [400]),
        (PLAIN + b"GET / HT", [200, 400]),
        (b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na", [200]),
    ],
)
async def test_who_never_ends_a_request_is_cut_off(
    port: int, sent: bytes, expected: list[int]
) -> None:
    assert statuses(await whole(port, sent)) == expected


@pytest.mark.usefixtures("hurry")
async def test_an_answer_may_take_longer_than_a_request(port: int) -> None:
    assert (await exchange(port, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"))[0] == 200


async def test_a_body_that_was_not_asked_for_is_not_waited_for(port: int) -> None:
    expecting = b"Host: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
    assert statuses(await whole(port, b"POST /early HTTP/1.1\r\n" + expecting)) == [200]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(DEADLINE):
        writer.write(b"POST / HTTP/1.1\r\n" + expecting)
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"a")
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
    writer.close()


@pytest.mark.usefixtures("hurry")
async def test_what_is_sent_after_a_refusal_does_not_reset_the_answer(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(DEADLINE):
        writer.write(b"garbage\r\n\r\n")
        for _ in range(10):
            await asyncio.sleep(0.001)
            writer.write(b"a" * 65536)
        assert statuses(await reader.read()) == [400]
        # In the end it hangs up all the same.
        with pytest.raises(ConnectionError):
            while True:
                writer.write(b"a" * 65536)
                await writer.drain()
                await asyncio.sleep(0.001)
    writer.close()


@pytest.mark.usefixtures("hurry")
async def test_a_client_that_is_gone_is_no_error(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket says so when its side is closed; it used to be a traceback per connection."""

    def is_gone(transport: asyncio.WriteTransport) -> None:
        raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")

    loop = asyncio.get_running_loop()
    told: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: told.append(context))
    monkeypatch.setattr(selector_events._SelectorSocketTransport, "write_eof", is_gone)
    try:
        # A request that is never finished: its time ends in a callback of the loop.
        assert statuses(await whole(port, b"GET / HTTP/1.1\r\nHost:")) == [400]
    finally:
        loop.set_exception_handler(None)
    assert told == []
