"""Keys and connections of hostile clients, at the service that `running` starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from ..running import Running
from .raw import Connection

MANY = ("--read-limit", "1000000", "--write-limit", "1000000")


@pytest.fixture(scope="session")
def issue(running: Running) -> Callable[[str, str], str]:
    """Issue a key of a mode to a partner."""
    return lambda mode, partner: running.key(mode, partner, *MANY)


@pytest.fixture(scope="session")
def key(issue: Callable[[str, str], str]) -> str:
    return issue("test", "acme")


@pytest.fixture(scope="session")
def connect(running: Running, key: str) -> Iterator[Callable[[], Connection]]:
    port = urlsplit(running.base_url).port
    assert port is not None
    opened: list[Connection] = []

    def make() -> Connection:
        opened.append(Connection(port, key))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def connection(connect: Callable[[], Connection]) -> Iterator[Connection]:
    """A connection that is still good after the test."""
    made = connect()
    yield made
    assert made.send("GET", "/balance").status == 200
