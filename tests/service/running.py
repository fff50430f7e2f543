"""The installed command `esim-service`, and the service as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TypeVar
from unittest.mock import patch

from click.testing import CliRunner

from esim_service.cli import main
from partner_esim import AsyncEsimClient, EsimClient

T = TypeVar("T")

COMMAND = Path(sys.executable).with_name("esim-service")
# Plugs in the carrier of `plugged/`, which live mode needs.
CARRIER = {"ESIM_CARRIER": "played", "PYTHONPATH": str(Path(__file__).with_name("plugged"))}
# As a service manager does it: the first descriptor after standard error, for this process only.
_ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execvp(sys.argv[2], sys.argv[2:])
"""
# Only what hangs gets there: a busy machine takes its time.
DEADLINE = 120.0


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process without settings of the service, but with these."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("ESIM_")}
    return {**inherited, **variables}


def esim_service(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; in this process, which has loaded it, unless it would serve."""
    if {"serve", "worker"} & set(arguments):
        return _process(*arguments, cwd=cwd, **variables)
    # A loop that runs here would refuse the one of the command.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_invoked, arguments, cwd, variables).result(DEADLINE)


def _invoked(
    arguments: Sequence[str], cwd: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    kept = environment(variables)
    changed = {**dict.fromkeys(os.environ.keys() - kept.keys()), **variables}
    plugged = variables.get("PYTHONPATH", "").split(os.pathsep)
    with contextlib.chdir(cwd), patch.object(sys, "path", [*filter(None, plugged), *sys.path]):
        done = CliRunner(env=changed).invoke(main, arguments, prog_name=COMMAND.name)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def _process(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=cwd,
        env=environment(variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that is free now; an empty host stands for all addresses."""
    with socket.create_server((host, 0)) as free:
        port: int = free.getsockname()[1]
    return port


def eventually(look: Callable[[], T | None]) -> T:
    """Look until there is something to see."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if seen := look():
            return seen
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = DEADLINE) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.01)


def activated(listener: socket.socket | IO[bytes], command: Sequence[str]) -> list[str]:
    """Return the command that passes a socket, which it must inherit, to another command."""
    return [sys.executable, "-c", _ACTIVATE, str(listener.fileno()), *command]


class Running:
    """A process that serves.

    Args:
        listener: the socket of the API, which outlives the process; by default it has its own.
    """

    def __init__(
        self,
        place: str,
        cwd: Path,
        *arguments: str,
        listener: socket.socket | None = None,
        **variables: str,
    ) -> None:
        self.place = place
        self.cwd = cwd
        options = ("--database", place, "--port=0", "--metrics-port=0", *arguments)
        command = [str(COMMAND), "serve", *options]
        self.process = subprocess.Popen(
            activated(listener, command) if listener else command,
            cwd=cwd,
            env=environment(variables),
            pass_fds=[listener.fileno()] if listener else [],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        self._log: list[str] = []
        self._reader = threading.Thread(target=self._log.extend, args=[self.process.stderr])
        self._reader.start()
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.base_url, self.reference, self.operations = (line.split()[1] for line in lines)

    def run(self, *arguments: str, **variables: str) -> str:
        """Run a command beside the service, on its database; return its output."""
        done = esim_service(*arguments, cwd=self.cwd, ESIM_DATABASE=self.place, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def key(self, mode: str = "test", partner: str = "acme", *options: str) -> str:
        """Issue a key."""
        arguments = ("keys", "create", "--partner", partner, "--mode", mode, "--plain", *options)
        return self.run(*arguments, **(CARRIER if mode == "live" else {})).strip()

    def client(self, key: str) -> EsimClient:
        """Return a generated client that does not retry."""
        return EsimClient(key, base_url=self.base_url, max_retries=0)

    def async_client(self, key: str) -> AsyncEsimClient:
        """The same client, asynchronous."""
        return AsyncEsimClient(key, base_url=self.base_url, max_retries=0)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask the process to stop; return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        return code

    def log(self) -> list[dict[str, object]]:
        """Return the log entries so far."""
        return [json.loads(line) for line in list(self._log)]


@contextlib.contextmanager
def serving(
    place: str,
    cwd: Path,
    *arguments: str,
    listener: socket.socket | None = None,
    **variables: str,
) -> Iterator[Running]:
    """Serve on free ports, or on the port of a listener, for the time of the context."""
    running = Running(place, cwd, *arguments, listener=listener, **variables)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.stop(signal.SIGKILL)
