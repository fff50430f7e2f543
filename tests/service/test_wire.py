"""Bytes on the connection that are no request, or more of one than is kept."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from esim_service.listening import Server
from esim_service.wire import HEAD_BYTES, UNFINISHED_BYTES
from partner_esim.models import Error

pytestmark = pytest.mark.anyio


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async def echo(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await request.body())

    server = Server(Starlette(routes=[Route("/", echo, methods=["GET", "POST"])]))
    listening = socket.create_server(("127.0.0.1", 0))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    await server.listens.wait()
    yield listening.getsockname()[1]
    server.should_exit = True
    await running


async def exchange(port: int, *parts: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send some bytes; return status, headers and body of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(20):
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


async def test_a_header_without_end_is_cut_off(port: int) -> None:
    endless = [b"GET / HTTP/1.1\r\nX: "] + [b"a" * 4096] * (UNFINISHED_BYTES // 4096 + 1)
    _, headers, body = await exchange(port, *endless)
    assert code_of(headers, body) == "invalid_length"


async def test_many_requests_on_one_connection_do_not_add_up(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = b"b" * HEAD_BYTES
    head = b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * (HEAD_BYTES // 2)
    async with asyncio.timeout(20):
        for _ in range(4):
            writer.write(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(body)) == body
    writer.close()
