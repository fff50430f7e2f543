"""Comparison of a directory with the files that it should hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from specwright.emit.fileset import FileSet
from specwright.emit.lock import LOCK, digest, recorded
from specwright.errors import SpecwrightError

# What tools leave beside source code; it is neither ours nor anybody's work.
_LEFT_BY_TOOLS = frozenset(
    {".DS_Store", ".git", ".hypothesis", ".idea", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {".venv", ".vscode", "__pycache__", "build", "dist"}
)
_SUFFIXES_LEFT_BY_TOOLS = (".egg-info", ".pyc")


class State(StrEnum):
    """How a file differs from what it should be."""

    NEW = "new"
    CHANGED = "changed"
    MISSING = "missing"
    STALE = "stale"
    EDITED = "edited by hand"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as it should be; None stands for a file that is not there."""

    path: str
    state: State
    present: bytes | None
    wanted: bytes | None


def compare(files: FileSet, directory: Path) -> tuple[Difference, ...]:
    """List what differs between a directory and the files that it should hold.

    Raises:
        SpecwrightError: the directory cannot be read.
    """
    if directory.exists() and not directory.is_dir():
        raise SpecwrightError(
            f"{directory}: is a file, not a directory",
            hint="choose another output, or move the file away",
        )
    hashes = recorded(directory)
    paths = {*files, *hashes, *_present(directory)}
    found = (_difference(path, files, directory, hashes) for path in sorted(paths))
    return tuple(difference for difference in found if difference is not None)


def unified_diff(differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines of a diff from what is present to what is wanted."""
    # Imported here: only this needs it.
    import difflib

    for each in differences:
        before, after = _lines(each.present), _lines(each.wanted)
        if each.state is State.FOREIGN and each.wanted is None:
            continue
        yield from difflib.unified_diff(
            before,
            after,
            f"a/{each.path}" if each.present is not None else "/dev/null",
            f"b/{each.path}" if each.wanted is not None else "/dev/null",
        )


def _difference(
    path: str, files: FileSet, directory: Path, hashes: Mapping[str, str]
) -> Difference | None:
    place, wanted = directory / path, files.get(path)
    if _is_link(directory, path):
        return Difference(path, State.FOREIGN, b"", wanted)
    present = _read(place)
    if present == wanted:
        return None
    if present is None:
        state = State.MISSING if path in hashes else State.NEW
    elif path == LOCK:
        state = State.CHANGED
    elif path not in hashes:
        state = State.FOREIGN
    elif digest(present) != hashes[path]:
        state = State.EDITED
    else:
        state = State.STALE if wanted is None else State.CHANGED
    return Difference(path, state, present, wanted)


def _present(directory: Path) -> Iterator[str]:
    for top, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if not _is_left_by_tools(name)]
        linked = [name for name in directories if (Path(top) / name).is_symlink()]
        for name in [*names, *linked]:
            if not _is_left_by_tools(name):
                yield (Path(top) / name).relative_to(directory).as_posix()


def _is_left_by_tools(name: str) -> bool:
    return name in _LEFT_BY_TOOLS or name.endswith(_SUFFIXES_LEFT_BY_TOOLS)


def _is_link(directory: Path, path: str) -> bool:
    """Whether a path leads through a link, and so perhaps out of the directory."""
    place = directory / path
    return any(p.is_symlink() for p in (place, *place.parents) if directory in p.parents)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except OSError as error:
        raise SpecwrightError(f"{path}: cannot be read: {error.strerror}") from error


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
