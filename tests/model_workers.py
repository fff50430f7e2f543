"""Workers of `specwright.models` that are copies of one process, which has loaded everything.

Each still is a process of its own with its limits; only the second in which it loads the generator
of models is saved. tests/models/test_worker.py starts them as the command does.
"""

from __future__ import annotations

import atexit
import functools
import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn
from unittest.mock import patch

from specwright.models import background


class _Copy:
    """A copy of the loaded process, with what a worker uses of `subprocess.Popen`."""

    def __init__(self) -> None:
        reading, stdin = os.pipe()
        stdout, writing = os.pipe()
        here, there = socket.socketpair()
        directory = os.open(".", os.O_RDONLY)
        theirs = (reading, writing, there.detach(), directory)
        socket.send_fds(loaded(), [b"."], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self.returncode: int | None = None
        self._messages = here.makefile("r")
        here.close()
        self._pid = int(self._messages.readline())

    def kill(self) -> None:
        # Until its status is read, nothing else has its number.
        if self.returncode is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = int(self._messages.readline())
            self._messages.close()
        return self.returncode


@contextmanager
def copied() -> Iterator[None]:
    """Have the workers that are started meanwhile made as copies."""

    def start(worker: Any) -> None:
        worker._process = _Copy()

    with patch.object(background.ModelWorker, "__init__", start):
        yield


@functools.cache
def loaded() -> socket.socket:
    """Start the process that is copied; return where copies are requested."""
    here, there = socket.socketpair()
    with there:
        command = [sys.executable, "-P", __file__, str(there.fileno())]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[there.fileno()])

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here


def _copy_on_request(requests: socket.socket) -> None:
    # Ctrl-C is for the process that requests.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import datamodel_code_generator.parser.openapi  # noqa: F401

    gc.freeze()
    while True:
        _, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not descriptors:
            break
        supervisor = os.fork()
        if supervisor == 0:
            requests.close()
            _supervise(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        # Earlier ones have ended.
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _supervise(stdin: int, stdout: int, messages: int, directory: int) -> NoReturn:
    worker = os.fork()
    if worker == 0:
        os.close(messages)
        os.fchdir(directory)
        _work(stdin, stdout)
    os.close(stdin)
    os.close(stdout)
    # The process that requested it may have ended.
    with suppress(BrokenPipeError):
        os.write(messages, f"{worker}\n".encode())
        ended = os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        os.write(messages, f"{status}\n".encode())
        # The number of the worker stays taken until nobody sends it signals any more.
        os.read(messages, 1)
    os.waitpid(worker, 0)
    os._exit(0)


def _work(stdin: int, stdout: int) -> NoReturn:
    code = 1
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.close(stdin)
        os.close(stdout)
        background._main()
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as requested:
        _copy_on_request(requested)
