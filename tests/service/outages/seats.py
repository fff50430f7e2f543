"""Processes that are restarted: each has a seat, whose address stays when the process changes."""

from __future__ import annotations

import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.service.running import Running, free_port

BACKLOG = 4096


class Seat:
    """The address of a process that serves, and the process that is there now.

    Args:
        is_kept: whether the port outlives the process, as with a service manager.
    """

    def __init__(
        self,
        place: str,
        directory: Path,
        host: str,
        operations_port: int,
        is_kept: bool,
        **variables: str,
    ) -> None:
        self._place = place
        self._directory = directory
        self._host = host
        listener = socket.create_server((host, 0), backlog=BACKLOG)
        self._port = listener.getsockname()[1]
        self._options = (
            *(f"--host={host}", f"--port={self._port}"),
            f"--metrics-port={operations_port}",
        )
        self._variables = {"ESIM_METRICS_HOST": host, **variables}
        self._listener = listener if is_kept else None
        if not is_kept:
            listener.close()
        self.start()

    @property
    def address(self) -> str:
        """The host and the port of the API."""
        return f"{self._host}:{self._port}"

    def start(self) -> None:
        """Start a process."""
        self.running = Running(
            self._place,
            self._directory,
            *self._options,
            listener=self._listener,
            **self._variables,
        )

    def restart(self) -> float:
        """Restart the process; return the seconds from SIGTERM to the end of the old one."""
        begun = time.monotonic()
        assert self.running.stop() == 0
        seconds = time.monotonic() - begun
        self.start()
        return seconds

    def close(self) -> None:
        """Kill the process, and close the port."""
        if self.running.process.poll() is None:
            self.running.stop(signal.SIGKILL)
        if self._listener is not None:
            self._listener.close()


@contextmanager
def seats(
    place: str, directory: Path, count: int, is_kept: bool, **variables: str
) -> Iterator[Sequence[Seat]]:
    """Serve on addresses of this machine, all with the same port for operators."""
    if count > 1 and sys.platform != "linux":
        pytest.skip("only Linux has more addresses of the machine itself")
    operations_port = free_port("")
    taken: list[Seat] = []
    try:
        for number in range(1, count + 1):
            seat = Seat(
                *(place, directory, f"127.0.0.{number}", operations_port, is_kept), **variables
            )
            taken.append(seat)
        yield taken
    finally:
        for seat in taken:
            seat.close()


def behind_a_proxy(taken: Sequence[Seat]) -> dict[str, str]:
    """Return the variables with which the proxy finds the processes."""
    return {
        "UPSTREAMS": " ".join(seat.address for seat in taken),
        "HEALTH_PORT": taken[0].running.operations.rpartition(":")[2],
    }
