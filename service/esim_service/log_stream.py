"""Where log lines go without anybody waiting for the one who reads them."""

from __future__ import annotations

import io
import os
import queue
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

MOST_WAITING = 10_000
_LAST_SECONDS = 1.0
_DROPPED = '{{"event": "{count} log lines were dropped: nobody read them", "level": "warning"}}\n'


class LogStream(io.TextIOBase):
    """Text for a file descriptor, whose reader may stop to read.

    What cannot be written waits; more than so many lines are dropped and counted.
    """

    def __init__(self, descriptor: int, most_waiting: int = MOST_WAITING) -> None:
        self._descriptor = descriptor
        self._lines: queue.Queue[str | None] = queue.Queue(most_waiting)
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
        with suppress(queue.Full):
            self._lines.put_nowait(None)
            # A reader who does not read keeps nobody from ending.
            self._writer.join(_LAST_SECONDS)

    def write(self, text: str, /) -> int:
        """Leave a text to be written."""
        try:
            self._lines.put_nowait(text)
        except queue.Full:
            self._dropped += 1
        return len(text)

    def _write(self) -> None:
        while (text := self._lines.get()) is not None:
            if dropped := self._dropped:
                self._dropped -= dropped
                text += _DROPPED.format(count=dropped)
            data = text.encode("utf-8", "replace")
            # A disk that is full, or a reader who is gone, must not stop what comes later.
            with suppress(OSError):
                while data:
                    data = data[os.write(self._descriptor, data) :]
