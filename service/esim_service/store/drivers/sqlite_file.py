"""The file of an SQLite database: opened, locked, kept private, copied."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from ..changes.database import OperatorError

# The file, its copies and the files next to it contain signing secrets and activation codes.
_PRIVATE = 0o600
# 16 MiB. The commit that reaches this copies the pages into the file while all others wait.
_CHECKPOINT_PAGES = 4000


def connect(uri: str) -> sqlite3.Connection:
    """Open a connection that one thread uses at a time."""
    # Threads never use a connection at the same time, but the module cannot know that.
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, cached_statements=512
    )
    connection.row_factory = sqlite3.Row
    return connection


def open_writer(path: Path, busy_seconds: int) -> sqlite3.Connection:
    """Open the connection of the writer; its commits are safely on disk."""
    connection = connect(f"{path.as_uri()}?mode=rwc")
    try:
        connection.execute(f"PRAGMA busy_timeout = {busy_seconds * 1000}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # The data to undo one request of a commit must not go through a file.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def inode(path: Path) -> tuple[int, int]:
    """Return the identity of an existing file."""
    status = path.stat()
    return status.st_dev, status.st_ino


def make_private(path: Path, *, is_ours: bool) -> None:
    """Ensure that only the owner can read the file, which is created if it does not exist.

    SQLite gives the files next to it the same permissions.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE))
        path.chmod(_PRIVATE)
    except FileExistsError:
        if path.stat().st_nlink > 1:
            raise OperatorError(
                f"{path} has another hard link, under which SQLite would not find the files next "
                "to it: remove that link, or make a copy with "
                "`esim-service backup`"
            ) from None
        if is_ours:
            for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
                with suppress(FileNotFoundError):
                    file.chmod(_PRIVATE)


def lock(path: Path) -> int:
    """Lock a file for this process; return the descriptor that holds the lock.

    Raises:
        OperatorError: another process holds the lock, or it cannot be created.
    """
    place = path.with_name(path.name + ".lock")
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
        os.fchmod(descriptor, _PRIVATE)
    except OSError as error:
        raise OperatorError(f"{place} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise OperatorError(
            f"{path} is in use by another process: stop it, or use PostgreSQL for several processes"
        ) from error
    return descriptor


def backup(source: Path, target: Path) -> None:
    """Copy a database to a file that appears once it is complete.

    Raises:
        OperatorError: the file cannot be written.
    """
    if target.resolve() == source or (target.exists() and target.samefile(source)):
        raise OperatorError(f"{target} is the database itself")
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        make_private(part, is_ours=True)
        with (
            closing(connect(f"{source.as_uri()}?mode=ro")) as origin,
            closing(sqlite3.connect(part)) as copy,
        ):
            origin.backup(copy)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise OperatorError(f"{target} cannot be written: {error}") from error
