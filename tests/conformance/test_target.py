"""Requests on connections that were idle, and on connections that are new."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from specwright.conformance.bench.target import Target
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def read(connection: socket.socket) -> bytes:
    """A request up to the end of its body; empty when the client hangs up."""
    request = b""
    while not request.endswith(b"{}") and (part := connection.recv(65_536)):
        request += part
    return request


@contextmanager
def hanging_up(*answers: int) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers so many requests of each connection, and hangs up on the next one."""
    seen: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for count in answers:
            connection, _ = server.accept()
            with connection:
                for number in range(count + 1):
                    request = read(connection)
                    seen.append(request)
                    if number < count:
                        connection.sendall(ANSWER)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", seen
    finally:
        thread.join(10)
        server.close()


def asked(target: Target) -> Exchange:
    return target.send(target.request("POST", "/orders", body=b"{}"), "test", None)


def test_an_idle_connection_that_ends_is_no_answer_to_the_request() -> None:
    with hanging_up(1, 1) as (url, seen), Target(url, None, Record(), {}) as target:
        exchanges = [asked(target), asked(target)]
    assert [each.failure for each in exchanges] == [None, None]
    assert len(target.record.exchanges) == 2
    assert len([each for each in seen if each]) == 3


def test_a_server_that_hangs_up_on_a_new_connection_does_not_answer() -> None:
    with hanging_up(0) as (url, seen), Target(url, None, Record(), {}) as target:
        exchange = asked(target)
    assert exchange.response is None
    assert len(seen) == 1


def test_a_server_that_hangs_up_twice_does_not_answer() -> None:
    with hanging_up(1, 0) as (url, seen), Target(url, None, Record(), {}) as target:
        asked(target)
        exchange = asked(target)
    assert exchange.response is None
    assert len(seen) == 3


def test_failures_count_only_while_nothing_is_answered_between_them() -> None:
    turns = (0, 1) * 9
    with hanging_up(*turns) as (url, _), Target(url, None, Record(), {}) as target:
        exchanges = [asked(target) for _ in turns]
    assert [each.response is not None for each in exchanges] == [False, True] * 9
