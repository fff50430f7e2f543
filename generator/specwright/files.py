"""Files that somebody else may have put there: read if they are files, and not without end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

LARGEST = 32 * 1024 * 1024


def read_regular(path: Path, *, limit: int = LARGEST) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: it is a pipe, a device or larger than the limit, or the system refuses.
    """
    # A pipe without a writer would keep even its opening waiting, so the question comes first.
    if stat.S_ISFIFO(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    return read_argument(path, limit=limit)


def read_argument(path: Path, *, limit: int = LARGEST) -> bytes:
    """Return the content of a file that the user named, which may be a pipe: `<(…)` of a shell.

    Raises:
        OSError: it is a device or larger than the limit, or the system refuses.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    with path.open("rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"is larger than {limit >> 20} MB", str(path))
    return content
