"""Processes that run schemathesis, and the lines that they write."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from specwright.errors import InputError

Line = dict[str, Any]

_INSTALL = "install it: pip install 'specwright[test]'"
# A process that is asked to end writes its last results, and is killed if it takes longer.
_GRACE_SECONDS = 1.0
_START_SECONDS = 30.0
_SAID_LINES = 20


def require() -> None:
    """Raise an error if schemathesis cannot run in this environment.

    Raises:
        InputError: it is not installed, or another package breaks it.
    """
    if importlib.util.find_spec("schemathesis") is None:
        raise InputError("fuzzing needs schemathesis, which is not installed", hint=_INSTALL)
    if importlib.util.find_spec("niquests") is not None:
        raise InputError(
            "schemathesis does not work together with niquests, which overwrites urllib3",
            hint="install specwright[test] in a separate environment",
        )


class Processes:
    """Processes that write lines of JSON until they end, or until their time is over.

    Args:
        seconds: from the first exchange on, as the time to start says nothing about the target.
    """

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        environments: Sequence[Mapping[str, str]],
        place: Path,
        seconds: float,
    ) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + _START_SECONDS + seconds
        self._has_sent = False
        self._lines: SimpleQueue[tuple[int, Line | None]] = SimpleQueue()
        self._logs = [place / f"{number}.log" for number, _ in enumerate(commands)]
        self._processes = [
            _start(command, env, place, log)
            for command, env, log in zip(commands, environments, self._logs, strict=True)
        ]
        self._readers = [
            threading.Thread(target=self._read, args=(number, process.stdout), daemon=True)
            for number, process in enumerate(self._processes)
        ]
        self._ended: set[int] = set()
        for reader in self._readers:
            reader.start()

    def lines(self) -> Iterator[tuple[int, Line]]:
        """Yield lines, each with the number of its process, until all end or time is over."""
        running = len(self._processes)
        while running:
            left = self._deadline - _GRACE_SECONDS - time.monotonic()
            try:
                number, line = self._lines.get(timeout=max(left, 0.0))
            except Empty:
                return
            if line is None:
                running -= 1
            else:
                if not self._has_sent and line["kind"] == "exchange":
                    self._has_sent = True
                    self._deadline = time.monotonic() + self._seconds
                yield number, line

    def end(self) -> Iterator[tuple[int, Line]]:
        """End the processes, and yield their remaining lines."""
        for number, process in enumerate(self._processes):
            if self._readers[number].is_alive():
                self._ended.add(number)
                process.send_signal(signal.SIGINT)
        killing = time.monotonic() + _GRACE_SECONDS
        for process, reader in zip(self._processes, self._readers, strict=True):
            try:
                process.wait(max(killing - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            reader.join()
        while not self._lines.empty():
            number, line = self._lines.get()
            if line is not None:
                yield number, line

    def said(self, number: int) -> tuple[str, ...]:
        """Return the last lines that a process wrote for people."""
        lines = self._logs[number].read_text("utf-8", "replace").splitlines()
        return tuple(line for line in lines if line.strip())[-_SAID_LINES:]

    def code(self, number: int) -> int | None:
        """Return the exit code of a process; None if it was ended here."""
        return None if number in self._ended else self._processes[number].returncode

    def _read(self, number: int, output: IO[bytes]) -> None:
        with output:
            for line in output:
                try:
                    self._lines.put((number, json.loads(line)))
                except ValueError:
                    # Output from before the hooks were loaded, or a line that was cut off.
                    with self._logs[number].open("ab") as log:
                        log.write(line)
        self._lines.put((number, None))


def _start(
    command: Sequence[str], env: Mapping[str, str], place: Path, log: Path
) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=place,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            # Ctrl-C is for the parent process, which ends these.
            start_new_session=True,
        )


def command(*arguments: str) -> list[str]:
    """Return a command line of schemathesis in the Python environment of this process."""
    return [sys.executable, "-m", "schemathesis.cli", *arguments]
