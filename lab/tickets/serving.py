"""The ticket system, served on a free port of this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Iterator

from werkzeug.serving import WSGIRequestHandler, make_server

from lab.tickets.application import create_app
from lab.tickets.bug import ENVIRONMENT


class Handler(WSGIRequestHandler):
    """Sends what is small at once."""

    disable_nagle_algorithm = True


@contextlib.contextmanager
def served(bug: str) -> Iterator[str]:
    """Serve it with a bug, or with `none`, for the duration of the context; yield its URL."""
    os.environ[ENVIRONMENT] = bug
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, create_app(), threaded=True, request_handler=Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main() -> None:
    """Serve it with the bug that is named, until the standard input ends; print its address."""
    with served(sys.argv[1]) as url:
        print(url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
