"""A stream for log lines that never blocks the process."""

from __future__ import annotations

import io
import os
import queue
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

MOST_WAITING = 10_000
# Under load, one wake-up and one call write many lines, which leaves time to the other threads.
_AT_ONCE = 100
_PAUSE_SECONDS = 0.01
_LAST_SECONDS = 1.0
_DROPPED = '{{"event": "{count} log lines were dropped: nothing read them", "level": "warning"}}\n'


class LogStream(io.TextIOBase):
    """Text for a file descriptor with a reader that may stop reading.

    Lines that cannot be written yet wait; beyond a limit they are dropped and counted.
    """

    def __init__(self, descriptor: int, most_waiting: int = MOST_WAITING) -> None:
        self._descriptor = descriptor
        self._most_waiting = most_waiting
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._dropped = 0
        self._writer = threading.Thread(target=self._write, name="log", daemon=True)
        self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lines.put(None)
        # A stuck reader must not keep the process from ending.
        self._writer.join(_LAST_SECONDS)

    def write(self, text: str, /) -> int:
        """Queue a text for writing."""
        if self._lines.qsize() < self._most_waiting:
            self._lines.put(text)
        else:
            self._dropped += 1
        return len(text)

    def _write(self) -> None:
        while texts := self._next():
            if dropped := self._dropped:
                self._dropped -= dropped
                texts.append(_DROPPED.format(count=dropped))
            data = "".join(texts).encode("utf-8", "replace")
            # A full disk, or a reader that is gone, must not stop later lines.
            with suppress(OSError):
                while data:
                    data = data[os.write(self._descriptor, data) :]

    def _next(self) -> list[str]:
        """Wait for texts; return none at the end."""
        texts: list[str] = []
        while (text := self._lines.get()) is not None:
            if not texts:
                time.sleep(_PAUSE_SECONDS)
            texts.append(text)
            if self._lines.empty() or len(texts) == _AT_ONCE:
                return texts
        if texts:
            self._lines.put(None)
        return texts
