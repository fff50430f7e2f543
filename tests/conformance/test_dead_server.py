"""A server that dies is one finding, about the request that caused it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver import target as driver
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetLost, TargetServer
from specwright.conformance.monitors import Monitors
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT

LIST, MAKE = "/paths/~1orders/get", "/paths/~1orders/post"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: %s\r\n\r\n{}"


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract(load(DOCUMENT))


@pytest.fixture(params=[b"close", b"keep-alive"])
def mortal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that answers GET, and is gone after anything else."""
    monkeypatch.setattr(driver, "_RESTART_SECONDS", 0)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            while asked := connection.recv(65536):
                if not asked.startswith(b"GET"):
                    listener.close()
                    connection.close()
                    return
                connection.sendall(ANSWER % request.param)
                if request.param == b"close":
                    break
            connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    port = listener.getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    with socket.socket() as last:
        if last.connect_ex(("127.0.0.1", port)) == 0:
            last.sendall(b"POST")
    thread.join()


def test_the_request_that_killed_the_server_is_named_and_no_other_is_blamed(
    contract: Contract, mortal: str
) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    with TargetServer(mortal, None, record, {}) as target:
        for method, operation in (("GET", LIST), ("POST", MAKE)):
            target.send(target.request(method, "/orders"), "scenarios", operation)
        with pytest.raises(TargetLost) as lost:
            target.send(target.request("GET", "/orders"), "scenarios", LIST)
    said = f"nothing listens at {mortal} any more; the last request was POST /orders (request 2)"
    assert str(lost.value) == said
    blamed = [violation for violation in record.violations if violation.rule == "no-answer"]
    assert [violation.pointer for violation in blamed] == [MAKE]


def test_a_server_that_is_restarted_gets_the_request_that_it_missed(
    contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed, there = threading.Event(), threading.Event()

    def wait_for_the_server(_: float) -> None:
        """Start it again only after it was looked for in vain, and look again when it is there."""
        missed.set()
        assert there.wait(60)

    clock = SimpleNamespace(monotonic=time.monotonic, time=time.time, sleep=wait_for_the_server)
    monkeypatch.setattr(driver, "time", clock)
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()

    def crash_and_serve() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(ANSWER % b"close")
            listener.accept()[0].close()
        missed.wait(60)
        with socket.create_server(address) as restarted:
            restarted.settimeout(60)
            there.set()
            while not (asked := (connection := restarted.accept()[0]).recv(65536)):
                connection.close()
            assert asked.startswith(b"GET /orders")
            with connection:
                connection.sendall(ANSWER % b"close")

    thread = threading.Thread(target=crash_and_serve)
    thread.start()
    record = Record()
    record.monitors = (Monitors(contract, record),)
    with TargetServer(f"http://127.0.0.1:{address[1]}", None, record, {}) as target:
        for _ in range(2):
            target.send(target.request("GET", "/orders"), "scenarios", LIST)
        last = target.send(target.request("GET", "/orders"), "scenarios", LIST)
    thread.join()
    assert last.response is not None
    statuses = [exchange.response and exchange.response.status for exchange in record.exchanges]
    assert statuses == [200, None, None, 200]
    assert [violation.rule for violation in record.violations].count("no-answer") == 1


def test_a_server_that_was_never_there_is_for_the_preflight(contract: Contract) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with TargetServer(f"http://127.0.0.1:{port}", None, Record(), {}) as target:
        sent = target.send(target.request("GET", "/orders"), "preflight", LIST)
    assert sent.is_unconnected


def test_what_the_fuzzer_sends_to_a_dead_server_is_not_blamed(contract: Contract) -> None:
    record = Record()
    record.monitors = (Monitors(contract, record),)
    request = HttpRequest("GET", "http://127.0.0.1/orders", ())
    alive = HttpResponse(204, (), b"")
    unknown = "the connection failed, or no response came in time"
    first = Exchange(0, "fuzzing", MAIN, LIST, request, None, unknown, 0, 0)
    for exchange in (
        first,
        replace(first, operation=MAKE),
        replace(first, response=alive, failure=None),
        replace(first, operation=MAKE),
    ):
        record.add(exchange)
    blamed = [violation.pointer for violation in record.violations if violation.rule == "no-answer"]
    assert blamed == [LIST, MAKE]
