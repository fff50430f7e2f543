"""The protocol of service managers such as systemd: a port that they own, and their questions."""

from __future__ import annotations

import os
import socket
from contextlib import closing, suppress

from ..store.changes.database import OperatorError

# The first descriptor after standard input, output and error (sd_listen_fds).
_DESCRIPTOR = 3


def inherited_port() -> socket.socket | None:
    """Return the listening socket that the service manager has passed, if there is one.

    Raises:
        OperatorError: it has passed something else.
    """
    # Variables for another process may be inherited, too.
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    if (count := os.environ.get("LISTEN_FDS")) != "1":
        raise OperatorError(f"LISTEN_FDS is {count}: the service takes one socket, for the API")
    try:
        passed = socket.socket(fileno=_DESCRIPTOR)
    except OSError as error:
        raise OperatorError(f"descriptor {_DESCRIPTOR} is not a socket: see LISTEN_FDS") from error
    is_tcp = passed.family in (socket.AF_INET, socket.AF_INET6)
    if not is_tcp or not passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        passed.close()
        raise OperatorError("the socket that was passed does not listen on TCP: see LISTEN_FDS")
    passed.set_inheritable(False)
    return passed


def report_ready() -> None:
    """Report to the service manager, if it asks for that, that this process has started."""
    if not (address := os.environ.get("NOTIFY_SOCKET")):
        return
    if address.startswith("@"):
        # An abstract address.
        address = f"\0{address[1:]}"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager, suppress(OSError):
        manager.connect(address)
        manager.sendall(b"READY=1")
