"""Every step of a synchronous call gets the remaining time of the call, and no more."""

from __future__ import annotations

import ssl
from types import SimpleNamespace
from typing import Any

import httpcore2
import pytest

from specwright.runtime.client.transport import sync_backend
from specwright.runtime.client.transport.sync_backend import (
    PIECE,
    DeadlineBackend,
    DeadlineStream,
    deadline,
)


class Slow(httpcore2.NetworkStream):
    """A connection on which each step takes three seconds of a clock that a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.limits: list[float | None] = []
        # Not the clock of the process, by which other threads wait.
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr(sync_backend, "time", clock)

    def step(self, timeout: float | None) -> None:
        self.limits.append(timeout)
        self.now += 3

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.step(timeout)
        return b""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.step(timeout)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        self.step(timeout)
        return self


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    return Slow(monkeypatch)


def test_a_step_gets_what_is_left_of_the_deadline(slow: Slow) -> None:
    stream = DeadlineStream(slow)
    with deadline(10):
        stream.write(b"request", 5)
        stream.read(1, 5)
        stream.read(1, 5)
        stream.read(1, None)
        with pytest.raises(httpcore2.ReadTimeout):
            stream.read(1, 5)
    assert slow.limits == [5, 5, 4, 1]


def test_a_large_request_is_written_in_steps(slow: Slow) -> None:
    with deadline(4), pytest.raises(httpcore2.WriteTimeout):
        DeadlineStream(slow).write(b"x" * 3 * PIECE, 5)
    assert slow.limits == [4, 1]


def test_after_the_handshake_the_deadline_goes_on(slow: Slow) -> None:
    with deadline(10):
        secured = DeadlineStream(slow).start_tls(ssl.create_default_context(), "api.example", 20)
        secured.read(1, 20)
    assert slow.limits == [10, 7]


def test_without_a_deadline_a_step_has_its_own_limit(slow: Slow) -> None:
    stream = DeadlineStream(slow)
    stream.read(1, 5)
    with deadline(2):
        pass
    stream.read(1, None)
    assert slow.limits == [5, None]


def test_connecting_is_a_step(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(self: Any, host: str, port: int, timeout: float, *rest: Any) -> Slow:
        slow.step(timeout)
        return slow

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", connect)
    with deadline(4):
        made = DeadlineBackend().connect_tcp("api.example", 443, 30)
        made.read(1, 30)
        with pytest.raises(httpcore2.ConnectTimeout):
            made.start_tls(ssl.create_default_context())
        with pytest.raises(httpcore2.ConnectTimeout):
            DeadlineBackend().connect_tcp("api.example", 443, 30)
    assert slow.limits == [4, 1]
