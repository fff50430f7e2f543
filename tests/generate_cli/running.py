"""Commands that run until a signal, whose lines are read as they print them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread

LIMIT_SECONDS = 300


class Running:
    """A running command; its lines are those of the processes that it starts, too."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self) -> str:
        line = self._lines.get(timeout=LIMIT_SECONDS)
        assert line is not None, "the command has ended"
        return line

    def end(self, number: int) -> tuple[int, list[str]]:
        """The exit code after a signal, and the lines that nothing has asked for.

        No process is left that could print more.
        """
        self.process.send_signal(number)
        code = self.process.wait(timeout=LIMIT_SECONDS)
        self._reader.join(timeout=LIMIT_SECONDS)
        assert not self._reader.is_alive()
        return code, [line for line in self._lines.queue if line is not None]


@contextmanager
def running(directory: Path, *arguments: str) -> Iterator[Running]:
    process = subprocess.Popen(
        [sys.executable, "-P", Path(__file__).with_name("started.py"), *arguments],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield Running(process)
        finally:
            process.kill()
