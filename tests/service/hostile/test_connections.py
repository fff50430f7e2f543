"""Invalid credentials, and requests that break the rules of HTTP."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .raw import Connection, order


@pytest.mark.parametrize(
    "value",
    [
        *(
            "Bearer",
            "Bearer ",
            "{}",
            "Basic {}",
            "Bearer\t{}",
            "Bearer {}x",
            "Bearer {}, Bearer {}",
        ),
        *("Bearer {}\r\nAuthorization: Bearer {}", "Bearer x\r\nAuthorization: Bearer {}"),
        *("Bearer \xff", "Bearer " + "a" * 60_000, "Bearer pes_test_" + "0" * 48),
    ],
    ids=lambda value: value[:40],
)
def test_credentials_are_refused(connect: Callable[[], Connection], key: str, value: str) -> None:
    connection = connect()
    field = f"Authorization: {value.replace('{}', key)}\r\n"
    connection.authorization = field.encode("latin-1")
    for _ in range(2):
        answer = connection.send("GET", "/balance")
        assert answer.refusal == (401, "invalid_api_key")
        assert answer.headers["www-authenticate"] == "Bearer"
    connection.authorization = b""
    assert connection.send("POST", "/orders", order()).refusal == (401, "missing_api_key")


def test_requests_in_one_packet_are_one_order(connection: Connection) -> None:
    body = order()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    request = head + connection.authorization + b"Content-Length: %d\r\n\r\n" % len(body) + body
    connection.write(request * 5)
    first, *others = [connection.read() for _ in range(5)]
    assert first.status == 201
    assert {answer.body for answer in others} == {first.body}
    assert [answer.headers.get("idempotent-replay") for answer in others] == ["true"] * 4


def test_a_body_in_chunks_without_end_is_answered(connect: Callable[[], Connection]) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.write(head + connection.authorization + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(20):
        connection.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
    assert connection.read().refusal == (400, "body_too_large")


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: gzip\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        b"X: a\r\n b\r\n\r\n",
        b"X Y: a\r\n\r\n",
        b"X: \0\r\n\r\n",
        b": a\r\n\r\n",
    ],
    ids=str,
)
def test_a_request_that_is_none_ends_the_connection(
    connect: Callable[[], Connection], framing: bytes
) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.write(head + connection.authorization + framing)
    answer = connection.read()
    assert answer.refusal == (400, "invalid_value")
    assert answer.headers["connection"] == "close"
    assert connection.is_closed()


def test_what_expects_to_go_on_goes_on(connection: Connection) -> None:
    body = order()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    size = b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    connection.write(head + connection.authorization + size)
    assert connection.read().status == 100
    connection.write(body)
    assert connection.read().status == 201


def test_who_has_said_everything_reads_the_answers(connect: Callable[[], Connection]) -> None:
    connection, body = connect(), order()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    request = head + connection.authorization + b"Content-Length: %d\r\n\r\n" % len(body) + body
    connection.write(request * 3)
    connection.end()
    answers = [connection.read() for _ in range(3)]
    assert [answer.status for answer in answers] == [201] * 3
    assert [answer.headers.get("connection") for answer in answers] == [None, None, "close"]
    assert connection.is_closed()


def test_an_end_in_the_middle_of_a_request_ends_the_connection(
    connect: Callable[[], Connection],
) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.write(head + connection.authorization + b"Content-Length: 9\r\n\r\n{")
    connection.end()
    assert connection.is_closed()
