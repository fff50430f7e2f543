"""The content of an output directory, read without following links or leaving it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from specwright.errors import SpecwrightError
from specwright.files import LARGEST, read_regular, why_not_read

# Files that tools leave beside source code; they are neither generated nor written by hand.
_LEFT_BY_TOOLS = frozenset(
    {".DS_Store", ".git", ".hypothesis", ".idea", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {".venv", ".vscode", "__pycache__", "build", "dist"}
)
_SUFFIXES_LEFT_BY_TOOLS = (".egg-info", ".pyc")


class NotGenerated(Exception):  # noqa: N818
    """A link, a pipe, a device or a file that is too large: it was never generated."""


def paths(directory: Path) -> Iterator[str]:
    """Yield everything below a directory except directories and files left there by tools.

    Raises:
        SpecwrightError: a directory cannot be read.
    """
    waiting = [""]
    while waiting:
        above = waiting.pop()
        for entry in _entries(directory / above):
            if entry.name in _LEFT_BY_TOOLS or entry.name.endswith(_SUFFIXES_LEFT_BY_TOOLS):
                continue
            path = f"{above}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
            else:
                yield path


def read(directory: Path, path: str) -> bytes | None:
    """Return the content of a file below a directory; None if the file does not exist.

    Raises:
        NotGenerated: something else has the name, or a directory on the way is a symbolic link.
        SpecwrightError: the file cannot be read.
    """
    place = directory
    try:
        for name in path.split("/"):
            place = place / name
            status = place.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise NotGenerated(path)
        if stat.S_ISDIR(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise NotGenerated(path)
        return read_regular(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SpecwrightError(f"{place}: cannot be read: {why_not_read(error)}") from error


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SpecwrightError(f"{directory}: cannot be read: {why_not_read(error)}") from error
