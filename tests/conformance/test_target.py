"""Requests of a run: their destinations, their connections, and the limits of waiting."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetLost, TargetServer
from specwright.conformance.recording.exchange import Exchange
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def read(connection: socket.socket) -> bytes:
    """A request up to the end of its body; empty when the client hangs up."""
    request = b""
    while not request.endswith(b"{}") and (part := connection.recv(65_536)):
        request += part
    return request


@contextmanager
def hanging_up(*answers: int, answer: bytes = ANSWER) -> Iterator[tuple[str, list[bytes]]]:
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
                        connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", seen
    finally:
        thread.join(10)
        server.close()


def asked(target: TargetServer) -> Exchange:
    return target.send(target.request("POST", "/orders", body=b"{}"), "test", None)


def test_an_idle_connection_that_ends_is_no_answer_to_the_request() -> None:
    with hanging_up(1, 1) as (url, seen), TargetServer(url, None, Record(), {}) as target:
        exchanges = [asked(target), asked(target)]
    assert [exchange.failure for exchange in exchanges] == [None, None]
    assert len(target.record.exchanges) == 2
    assert len([each for each in seen if each]) == 3


def test_a_server_that_hangs_up_on_a_new_connection_does_not_answer() -> None:
    with hanging_up(0) as (url, seen), TargetServer(url, None, Record(), {}) as target:
        exchange = asked(target)
    assert exchange.response is None
    assert len(seen) == 1


def test_a_server_that_hangs_up_twice_does_not_answer() -> None:
    with hanging_up(1, 0) as (url, seen), TargetServer(url, None, Record(), {}) as target:
        asked(target)
        exchange = asked(target)
    assert exchange.response is None
    assert len(seen) == 3


def test_failures_count_only_while_nothing_is_answered_between_them() -> None:
    turns = (0, 1) * 9
    with hanging_up(*turns) as (url, _), TargetServer(url, None, Record(), {}) as target:
        exchanges = [asked(target) for _ in turns]
    assert [exchange.response is not None for exchange in exchanges] == [False, True] * 9


def keyed(url: str) -> TargetServer:
    """A target that is asked with a key."""
    return TargetServer(url, Credential("X-Key", ""), Record(), {MAIN: "key-of-the-test"})


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[bytes]]]:
    """A server that no request is meant for, with the bytes that reached it all the same."""
    seen: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        # Until the server is closed.
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                seen.append(connection.recv(65_536))
                connection.sendall(ANSWER)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", seen
    # Closing alone does not wake up the one that accepts.
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(10)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_is_not_followed(
    status: int, elsewhere: tuple[str, list[bytes]]
) -> None:
    other, strays = elsewhere
    moved = f"HTTP/1.1 {status} Moved\r\nLocation: {other}/\r\nContent-Length: 0\r\n\r\n"
    with hanging_up(1, answer=moved.encode()) as (url, seen), keyed(url) as target:
        exchange = asked(target)
    assert exchange.response is not None
    assert exchange.response.status == status
    assert b"key-of-the-test" in seen[0]
    assert strays == []


def test_proxies_of_the_environment_get_no_keys(
    elsewhere: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other, strays = elsewhere
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        for each in (name, name.upper()):
            monkeypatch.delenv(each, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, other)
    with hanging_up(1) as (url, seen), keyed(url) as target:
        exchange = asked(target)
    assert exchange.response is not None
    assert b"key-of-the-test" in seen[0]
    assert strays == []


class Clock:
    """Takes the place of the module `time`, for requests that take so many seconds each."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        """Asked when a request begins and when it ends: as much later each time."""
        self.now += self.seconds
        return self.now


@pytest.mark.parametrize(
    ("seconds", "requests"), [(0.0, 8), (7.5, 8), (10.0, 7), (20.0, 4), (30.0, 3), (61.0, 1)]
)
def test_eight_requests_or_a_minute_without_an_answer_are_enough(
    seconds: float, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every request ends with the refusal of the connection; only the clock hangs.
    monkeypatch.setattr(sys.modules[TargetServer.__module__], "time", Clock(seconds))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        target = TargetServer(f"http://127.0.0.1:{closed.getsockname()[1]}", None, Record(), {})
        with target, pytest.raises(TargetLost, match=f"^{requests} requests in a row got no "):
            for _ in range(20):
                asked(target)
    assert len(target.record.exchanges) == requests


@pytest.mark.parametrize(("seconds", "is_answered"), [(20.0, True), (30.0, True), (31.0, False)])
def test_an_answer_that_comes_drop_by_drop_has_thirty_seconds(
    seconds: float, is_answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(Clock):
        """Stands still until an answer has begun, and then goes on once."""

        asked = 0

        def monotonic(self) -> float:
            self.now, self.asked = seconds if self.asked > 1 else 0.0, self.asked + 1
            return self.now

    monkeypatch.setattr(sys.modules[TargetServer.__module__], "time", Late(0.0))
    with hanging_up(1) as (url, _), TargetServer(url, None, Record(), {}) as target:
        exchange = asked(target)
    assert (exchange.response is not None) == is_answered
    assert exchange.failure == (None if is_answered else "ReadTimeout: the response took over 30 s")


@pytest.mark.parametrize(("most", "is_answered"), [(3, True), (2, True), (1, False)])
def test_an_answer_has_an_end(
    most: int, is_answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[TargetServer.__module__], "MAX_RESPONSE_BYTES", most)
    with hanging_up(1) as (url, _), TargetServer(url, None, Record(), {}) as target:
        exchange = asked(target)
    assert (exchange.response is not None) == is_answered
    assert exchange.failure == (
        None if is_answered else "ReadError: the body has more than 1 bytes"
    )
