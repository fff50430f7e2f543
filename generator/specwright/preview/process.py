"""The server of pages as a process of its own: `watch` is copied for each run, without threads."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from socket import socket
from types import TracebackType

from specwright.serving import HOST

# -P: the working directory belongs to the user and must not be imported from.
_COMMAND = (sys.executable, "-P", "-m", "specwright.preview.server")


class Preview:
    """Pages in browsers of this machine, until the end of the block."""

    def __init__(self, listener: socket, output: Path) -> None:
        """Serve pages at a socket.

        Args:
            output: a page, or the directory of a site.
        """
        number = listener.fileno()
        self.url = f"http://{HOST}:{listener.getsockname()[1]}"
        self._process = subprocess.Popen(
            [*_COMMAND, str(number), str(output)],
            stdin=subprocess.PIPE,
            text=True,
            pass_fds=(number,),
            # Ctrl-C is for this process, which ends the other one.
            start_new_session=True,
        )
        listener.close()

    def __enter__(self) -> Preview:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def reload(self) -> None:
        """Load the pages again in each browser, without a message."""
        self._send(None)

    def complain(self, message: str) -> None:
        """Show a message above the pages, which stay."""
        self._send(message)

    def _send(self, message: str | None) -> None:
        assert self._process.stdin is not None
        # The pages are written regardless of who sees them.
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{json.dumps(message)}\n")
            self._process.stdin.flush()
