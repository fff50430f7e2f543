"""The restore of a backup as an SQLite database: all of it or nothing, however it ends.

A copy of the backup is completed under a name of its own, and renamed once it is safely on disk.
From then on the restore is decided: if its process dies, the next one that opens the database
finishes it, and no other one can open it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ..changes.database import OperatorError
from .sqlite_file import beside, copy, is_same, lock, remove, seal, sync

_DECIDED = ".restored"
_PART = ".restored.part"


def restore(source: Path, path: Path, adopt: Callable[[Path], None]) -> Path | None:
    """Put a copy of a backup in the place of a database that is not in use.

    Args:
        adopt: makes the copy a database of this service, before it is in its place.

    Returns:
        The path that the former database has now, if there was one.

    Raises:
        OperatorError: the backup cannot be used, or the database is in use; nothing has changed.
    """
    path = path.resolve()
    if is_same(source, path):
        raise OperatorError(f"{source} is the database itself")
    descriptor = lock(path)
    part = beside(path, _PART)
    try:
        finish(path)
        copy(source, part)
        adopt(part)
        seal(part)
        with suppress(FileNotFoundError):
            # An administrator restores, and the service has another user.
            owner = path.stat()
            os.chown(part, owner.st_uid, owner.st_gid)
        part.rename(beside(path, _DECIDED))
        sync(path.parent)
        return finish(path)
    except (sqlite3.Error, OSError) as error:
        raise OperatorError(f"{source} cannot be restored: {error}") from error
    finally:
        with suppress(OSError):
            remove(part)
        os.close(descriptor)


def finish(path: Path) -> Path | None:
    """Finish a restore that is decided, if there is one, under the lock of the database.

    Returns:
        The path that the former database has now, if there was one.
    """
    decided = beside(path, _DECIDED)
    try:
        decided_at = decided.stat().st_mtime
    except FileNotFoundError:
        return None
    # The same name again after an interruption.
    former = beside(path, f".{datetime.fromtimestamp(decided_at, UTC):%Y%m%dT%H%M%S.%fZ}")
    # The file goes first: nothing opens a log that has no file.
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            beside(path, end).rename(beside(former, end))
    beside(path, "-shm").unlink(missing_ok=True)
    sync(path.parent)
    decided.rename(path)
    sync(path.parent)
    return former if former.exists() else None


def require_finished(path: Path) -> None:
    """Check that no restore of a database is decided and not finished.

    Raises:
        OperatorError: there is one.
    """
    if beside(path, _DECIDED).exists():
        raise OperatorError(
            f"a restore of {path} was interrupted: `esim-service serve` and `esim-service migrate` "
            "finish it"
        )
