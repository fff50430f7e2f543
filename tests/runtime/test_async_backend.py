"""An asynchronous connection knows whether its other end has closed it."""

from __future__ import annotations

import select
import socket
from typing import Any

import httpcore2
import pytest

from specwright.runtime.client.transport.async_backend import PolledStream


class OnSocket(httpcore2.AsyncNetworkStream):
    """A connection of which only the socket is asked for."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def get_extra_info(self, info: str) -> Any:
        return {"socket": self._end, "server_addr": "there"}.get(info)


@pytest.mark.parametrize("with_poll", [True, False], ids=["poll", "select"])
def test_an_idle_connection_is_readable_once_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, with_poll: bool
) -> None:
    if not with_poll:
        monkeypatch.delattr(select, "poll")
    here, there = socket.socketpair()
    stream = PolledStream(OnSocket(here))
    seen = [stream.get_extra_info("is_readable")]
    there.close()
    seen.append(stream.get_extra_info("is_readable"))
    here.close()
    seen.append(stream.get_extra_info("is_readable"))
    assert seen == [False, True, True]


def test_what_else_is_known_is_the_connections_own() -> None:
    here, there = socket.socketpair()
    with here, there:
        assert PolledStream(OnSocket(here)).get_extra_info("server_addr") == "there"
