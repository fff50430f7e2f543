"""Safe reads of regular files, and atomic writes."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Mapping
from functools import partial
from pathlib import Path

LARGEST = 32 * 1024 * 1024
# Errors about what we do with temporary files and directories, not about the file that is meant.
_NOT_WRITTEN = {
    errno.EXDEV: "no file can be created there",
    errno.ENOENT: "no file can be created there",
    errno.EEXIST: "a file has the name of a directory that is needed",
    errno.ENOTDIR: "a file has the name of a directory that is needed",
}

_NOT_READ = {
    errno.EACCES: "you may not read it",
    errno.EISDIR: "is a directory",
    errno.ENOENT: "no such file",
    errno.ENOTDIR: "no such file",
}


def is_directory(path: str | Path) -> bool:
    """Return whether a path is that of a directory, also if the system rejects its name."""
    # `Path.is_dir` passes on such errors.
    return os.path.isdir(path)  # noqa: PTH112


def read_regular(path: Path, *, limit: int = LARGEST) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: it is a pipe, a device or larger than the limit, or it cannot be read.
    """
    # Opening a pipe without a writer would block, so the type is checked first.
    if stat.S_ISFIFO(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    return read_argument(path, limit=limit)


def read_argument(path: Path, *, limit: int = LARGEST) -> bytes:
    """Return the content of a file named by the user; it may be a pipe: `<(…)` of a shell.

    Raises:
        OSError: it is a device or larger than the limit, or it cannot be read.
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


def why_not_read(error: OSError) -> str:
    """Return why a file was not read, in words about the file."""
    number = error.errno or 0
    # Other words than those of the system are about the file already.
    is_of_system = error.strerror == os.strerror(number)
    return (is_of_system and _NOT_READ.get(number)) or error.strerror or str(error)


def why_not_written(error: OSError) -> str:
    """Return why the operating system did not write a file, in words about the file."""
    return _NOT_WRITTEN.get(error.errno or 0, error.strerror or str(error))


def replace_files(contents: Mapping[Path, bytes], *, mode: int = 0o666) -> None:
    """Write files so that each has its old or its new content at any time, never a part of it.

    All are written next to their places before the first is replaced, so that a full disk changes
    nothing. A file keeps its permissions; a link is replaced, and its target stays.

    Args:
        mode: the permissions of a new file, before the umask of the process.

    Raises:
        OSError: a file cannot be written. No temporary file is left behind.
    """
    staged = {path: path.with_name(f".{path.name}.{secrets.token_hex(8)}") for path in contents}
    try:
        for path, file in staged.items():
            _create(file, contents[path], _permissions(path), mode)
        for path, file in staged.items():
            file.replace(path)
    finally:
        for file in staged.values():
            file.unlink(missing_ok=True)


def _permissions(path: Path) -> int | None:
    """Return the permissions of an existing regular file."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def _create(file: Path, content: bytes, kept: int | None, mode: int) -> None:
    # Never wider than the final permissions.
    opener = partial(os.open, mode=mode if kept is None else kept)
    with open(file, "xb", opener=opener) as stream:
        stream.write(content)
    if kept is not None:
        # The umask has narrowed them.
        file.chmod(kept)


def repository(directory: Path) -> Path | None:
    """Return the top of the git working tree that contains a directory."""
    above = (directory, *directory.parents)
    return next((path for path in above if (path / ".git").exists()), None)
