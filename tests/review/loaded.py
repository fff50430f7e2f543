"""A program that runs as Python does: a copy of one process, which has loaded the toolkit already.

The steps of the action start Python again and again. A copy has arguments, environment, directory
and files of its own, as a new process has; only the second in which it loads everything is saved.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from specwright.cli import main

# Without site and toolkit it starts at once. What is not the command runs in a new process.
_CLIENT = """\
import json, os, socket, sys
if sys.argv[3:6] != ["-I", "-m", "specwright"]:
    os.execv(sys.argv[2], sys.argv[2:])
told = {"arguments": sys.argv[6:], "environment": dict(os.environ)}
with socket.socket(socket.AF_UNIX) as loaded:
    loaded.connect(sys.argv[1])
    socket.send_fds(loaded, [b"."], [0, 1, 2, os.open(".", os.O_RDONLY)])
    loaded.sendall(json.dumps(told).encode())
    loaded.shutdown(socket.SHUT_WR)
    sys.exit(int(loaded.makefile().read()))
"""


@functools.cache
def program() -> str:
    """Start the process that is copied; return the shell script of the program."""
    place = Path(tempfile.mkdtemp(prefix="specwright-"))
    (place / "client.py").write_text(_CLIENT, "utf-8")
    address = place / "loaded"
    with socket.socket(socket.AF_UNIX) as requests:
        requests.bind(str(address))
        requests.listen()
        command = [sys.executable, "-m", "tests.review.loaded", str(requests.fileno())]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            pass_fds=[requests.fileno()],
            cwd=Path(__file__).parents[2],
        )

    def end() -> None:
        process.terminate()
        process.wait()
        shutil.rmtree(place)

    atexit.register(end)
    words = (sys.executable, "-IS", place / "client.py", address, sys.executable)
    return f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n'


def _copy_on_request(requests: socket.socket) -> None:
    # Ctrl-C is for the process that requests.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What the command loads when it needs it.
    import datamodel_code_generator.parser.openapi  # noqa: F401

    import specwright.commands.review  # noqa: F401

    gc.freeze()
    while True:
        connection, _ = requests.accept()
        if os.fork() == 0:
            requests.close()
            _supervise(connection)
        connection.close()
        # Earlier ones have ended.
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _supervise(connection: socket.socket) -> NoReturn:
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 4)
    request = json.loads(connection.makefile().read())
    copy = os.fork()
    if copy == 0:
        connection.close()
        *standard, directory = descriptors
        os.fchdir(directory)
        for number, descriptor in enumerate(standard):
            os.dup2(descriptor, number)
        for descriptor in descriptors:
            os.close(descriptor)
        # Those of the loaded process know whether its files can be searched.
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        os.environ.clear()
        os.environ.update(request["environment"])
        _run(request["arguments"])
    _, status = os.waitpid(copy, 0)
    connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _run(arguments: list[str]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["specwright", *arguments]
    code = 1
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as requested:
        _copy_on_request(requested)
