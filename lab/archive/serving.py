"""The archive, served on a free port of this machine."""

from __future__ import annotations

import os
import socket
import sys

import uvicorn


def main() -> None:
    """Serve it with the bug that is named, until the process is killed; print its address."""
    os.environ["ARCHIVE_BUG"] = sys.argv[1]
    from lab.archive.application import app

    listening = socket.socket(proto=socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    # Connections wait in the queue until the server takes them.
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(app, http="h11", log_level="error", lifespan="off")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
