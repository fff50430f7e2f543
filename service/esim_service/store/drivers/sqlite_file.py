"""The file of an SQLite database: opened, locked, kept private, checked, copied."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal

from ..changes.database import OperatorError

# The file, its copies and the files next to it contain signing secrets and activation codes.
_PRIVATE = 0o600
# 16 MiB. The commit that reaches this copies the pages into the file while all others wait.
_CHECKPOINT_PAGES = 4000
# In the header of a file: it has no log, because each change was written to the file itself.
_WRITE_VERSION = 18
_WITHOUT_LOG = 1
_BESIDE = ("-wal", "-shm", "-journal")

REMEDY = "stop the service and restore a backup with `esim-service restore`"


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


def beside(path: Path, end: str) -> Path:
    """Return the path next to a file with this end added to its name."""
    return path.with_name(path.name + end)


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
            for file in (path, beside(path, "-wal"), beside(path, "-shm")):
                with suppress(FileNotFoundError):
                    file.chmod(_PRIVATE)


def lock(path: Path) -> int:
    """Lock a file for this process; return the descriptor that holds the lock.

    Raises:
        OperatorError: another process holds the lock, or it cannot be created.
    """
    place = beside(path, ".lock")
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


def has_log(path: Path) -> bool:
    """Return whether the log next to a file has changes, as after a kill or while it is in use."""
    with suppress(FileNotFoundError):
        return beside(path, "-wal").stat().st_size > 0
    return False


def require_own_log(path: Path) -> None:
    """Check that the log next to a file can be its own.

    A copy has none until it is opened. SQLite would apply that of another file to it without an
    error, and so undo a restore or destroy the copy.

    Raises:
        OperatorError: the log is that of another file.
    """
    with suppress(FileNotFoundError), path.open("rb") as file:
        header = file.read(_WRITE_VERSION + 1)
        if header[_WRITE_VERSION:] == bytes([_WITHOUT_LOG]) and has_log(path):
            raise OperatorError(
                f"{path} is a copy, but {beside(path, '-wal').name} next to it has the changes of "
                f"another file: {REMEDY}, which replaces both"
            )


def fault(connection: sqlite3.Connection) -> str | None:
    """Return the first fault in the structure of a database, if any."""
    try:
        [line] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return str(error)
        raise
    return None if line == "ok" else " ".join(line.split())


def is_damage(error: BaseException) -> bool:
    """Return whether an error means that a file is not a sound database."""
    code = getattr(error, "sqlite_errorcode", None)
    # The lower byte is the primary code.
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def require_sound(path: Path) -> None:
    """Check the structure of a file with its log, without any change to them.

    Raises:
        OperatorError: the file is corrupt.
    """
    with closing(_opened(path, "ro")) as connection:
        if (damage := fault(connection)) is not None:
            raise OperatorError(f"{path} is corrupt ({damage}): {REMEDY}")


def seal(path: Path) -> None:
    """Write everything that is in the log of a closed database into its file, and sync it.

    Raises:
        OperatorError: the database is open.
    """
    with closing(_opened(path, "rw")) as connection:
        [mode] = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    if mode != "delete":
        raise OperatorError(f"{path} is in use by another process")
    sync(path)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are safely on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a database that is not needed, if it exists."""
    for file in (path, *(beside(path, end) for end in _BESIDE)):
        file.unlink(missing_ok=True)


def copy(source: Path, target: Path) -> None:
    """Copy a database, also while it is in use, to a sound file that is complete without a log.

    Raises:
        OperatorError: the database is corrupt.
        sqlite3.Error, OSError: the database cannot be read, or the file cannot be written.
    """
    remove(target)
    make_private(target, is_ours=True)
    with closing(_opened(source, "ro")) as origin, closing(_opened(target, "rw")) as copied:
        origin.backup(copied)
        if (damage := fault(copied)) is not None:
            raise OperatorError(f"{source} is corrupt ({damage}): {REMEDY}")
    seal(target)


def backup(source: Path, target: Path) -> None:
    """Copy a database to a file that appears once it is complete.

    Raises:
        OperatorError: the database is corrupt, or the file cannot be written.
    """
    if is_same(source, target):
        raise OperatorError(f"{target} is the database itself")
    part = beside(target, ".part")
    try:
        copy(source, part)
        part.replace(target)
        sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise OperatorError(f"{target} cannot be written: {error}") from error
    finally:
        with suppress(OSError):
            remove(part)


def is_same(path: Path, other: Path) -> bool:
    """Return whether two paths are those of one file."""
    with suppress(FileNotFoundError):
        return path.samefile(other)
    return path.resolve() == other.resolve()


def _opened(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    return connect(f"{path.absolute().as_uri()}?mode={mode}")
