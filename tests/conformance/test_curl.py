"""The command of a request sends the same bytes again."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import HttpRequest
from specwright.conformance.recording.record import Record
from specwright.http_messages import Headers
from tests.conformance.test_command import Exchange as Answering
from tests.conformance.test_command import playing

JSON: Headers = (("Content-Type", "application/json"),)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("method", "path", "headers", "body"),
    [
        ("GET", "/items?a=%5B1%5D&b=[1]&c={x}", (), None),
        ("HEAD", "/items", (("Accept", "application/json"),), None),
        ("DELETE", "/items/it's", (("X-Empty", ""),), None),
        ("POST", "/items", JSON, b'{"a": "it\'s \xc3\xa9\\n"}'),
        ("POST", "/items", JSON, b'{"a": "\xff\xfe"}'),
        ("POST", "/items", JSON, b"@/etc/hostname"),
        ("PUT", "/items", JSON, b"\x00\r\n"),
        ("POST", "/items", (), b"no type"),
        ("PATCH", "/items", JSON, b""),
    ],
)
def test_a_command_repeats_a_request_byte_by_byte(
    method: str, path: str, headers: Headers, body: bytes | None
) -> None:
    seen: list[tuple[object, ...]] = []

    def respond(exchange: Answering) -> None:
        ignored = ("host", "user-agent", "content-length")
        sent = {name: value for name, value in exchange.headers.items() if name not in ignored}
        named = {name: value for name, value in sent.items() if name.lower() not in ignored}
        seen.append((exchange.command, exchange.path, named, exchange.sent))
        exchange.answer(200, b"")

    with playing(respond) as port:
        request = HttpRequest(method, f"http://127.0.0.1:{port}{path}", headers, body)
        command = ["sh", "-c", request.curl]
        subprocess.run(command, check=True, capture_output=True, timeout=30)
    assert seen == [(method, path, dict(headers), body or b"")]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("body", [None, b"{}"])
def test_a_command_announces_the_same_length(method: str, body: bytes | None) -> None:
    seen: list[str | None] = []

    def respond(exchange: Answering) -> None:
        seen.append(exchange.headers.get("content-length"))
        exchange.answer(200, b"")

    with playing(respond) as port:
        request = HttpRequest(method, f"http://127.0.0.1:{port}/items", (), body)
        with TargetServer(f"http://127.0.0.1:{port}", None, Record(), {}) as target:
            target.send(request, "scenarios", None)
        subprocess.run(["sh", "-c", request.curl], check=True, capture_output=True, timeout=30)
    assert seen[0] == seen[1]
