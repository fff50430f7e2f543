"""Rate limits of a process that serves alone, which survive a restart."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from partner_esim.server import Allowance

from ..store.changes.database import OperatorError
from ..values.clock import SECOND, Clock
from .limiter import LocalWindows

# After this many lines the file is rewritten, without those outside of all windows.
_LINES = 20_000


class FileWindows:
    """Windows in memory, and a line in a file for each allowed request.

    The lines of a pass of the event loop are written together, at its end: each write gives other
    threads the interpreter. The file is not flushed to disk: it survives a crash of the process,
    not of the machine.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._windows = LocalWindows(clock)
        self._lines = 0
        self._span = 0
        self._pending: list[str] = []
        with suppress(FileNotFoundError):
            self._restore(path.read_text("ascii", "replace"))
        self._file = self._renew()

    async def check(self) -> None:
        """Do nothing, as this process can always count."""

    async def take(self, bucket: str, limit: int, window_seconds: int) -> Allowance:
        """Count a request in a bucket, unless its window is full."""
        allowance = await self._windows.take(bucket, limit, window_seconds)
        self._span = max(self._span, window_seconds)
        if allowance.allowed:
            if not self._pending:
                asyncio.get_running_loop().call_soon(self._write)
            self._pending.append(f"{self._clock.now()} {bucket}\n")
        return allowance

    def close(self) -> None:
        """Write the pending lines, and close the file."""
        self._write()
        os.close(self._file)

    def _write(self) -> None:
        lines, self._pending = self._pending, []
        # A full disk must not stop requests that can be served without it.
        with suppress(OSError):
            os.write(self._file, "".join(lines).encode("ascii"))
            self._lines += len(lines)
            if self._lines > _LINES:
                self._windows.forget(self._span)
                before, self._file = self._file, self._renew()
                os.close(before)

    def _renew(self) -> int:
        part = self._path.with_name(f"{self._path.name}.part")
        now, monotonic = self._clock.now(), self._clock.monotonic()
        with suppress(FileNotFoundError):
            part.unlink()
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(file, 0o600)
            lines = [
                f"{now - round((monotonic - time) * SECOND)} {bucket}\n"
                for bucket, time in self._windows.all()
            ]
            with suppress(OSError):
                os.write(file, "".join(lines).encode("ascii"))
            part.replace(self._path)
        except OSError:
            os.close(file)
            raise
        self._lines = 0
        return file

    def _restore(self, text: str) -> None:
        now, monotonic = self._clock.now(), self._clock.monotonic()
        for line in text.splitlines():
            time, _, bucket = line.partition(" ")
            # The last line may be incomplete. A line from the future, by a clock that was set
            # back since, counts as if its request had just arrived.
            if time.isdecimal() and bucket:
                self._windows.restore(bucket, monotonic - max(0, now - int(time)) / SECOND)


@contextmanager
def open_file(path: Path, clock: Clock) -> Iterator[FileWindows]:
    """Open the windows of a file for the duration of the context.

    Raises:
        OperatorError: the file cannot be used.
    """
    try:
        windows = FileWindows(path, clock)
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {error.strerror}") from error
    try:
        yield windows
    finally:
        windows.close()
