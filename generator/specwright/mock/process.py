"""A mock in a process of its own, which another one replaces when the document changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from socket import socket
from types import TracebackType

# -P: the working directory belongs to the user and must not be imported from.
_COMMAND = (sys.executable, "-P", "-m", "specwright", "mock")


class MockProcess:
    """The present mock at a socket, which ends with the block.

    It also ends with this process, regardless of how that ends: its standard input is then closed.
    """

    def __init__(self, listener: socket) -> None:
        self._listener = listener
        self._present: subprocess.Popen[str] | None = None

    def __enter__(self) -> MockProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._present is not None:
            _end(self._present)
        self._listener.close()

    def replace(self, arguments: Iterable[str]) -> str | None:
        """Start a mock, and end the one before as soon as it serves.

        Args:
            arguments: those of `specwright mock`, without a port.

        Returns:
            The line that names its URL; None if it did not start: then the one before continues,
            and the error stream has the reason.
        """
        number = self._listener.fileno()
        started = subprocess.Popen(
            [*_COMMAND, "--socket", str(number), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=(number,),
            # Ctrl-C is for this process, which ends the other one.
            start_new_session=True,
        )
        assert started.stdout is not None
        ended: subprocess.Popen[str] | None = started
        try:
            line = started.stdout.readline()
            if line:
                ended, self._present = self._present, started
        finally:
            if ended is not None:
                _end(ended)
        return line.rstrip("\n") or None


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
