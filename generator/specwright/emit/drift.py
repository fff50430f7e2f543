"""Comparison of a directory with the files that it should contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from specwright.emit import file_states
from specwright.emit.fileset import FileSet
from specwright.emit.manifest import LOCK, digest, read_lock
from specwright.errors import SpecwrightError
from specwright.files import why_not_read

_MORE_LINES = 1000


class State(StrEnum):
    """The difference between a file and its wanted state."""

    NEW = "new"
    CHANGED = "changed"
    MISSING = "missing"
    STALE = "stale"
    EDITED = "edited by hand"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One file that is not as it should be; None for a missing file."""

    path: str
    state: State
    present: bytes | None
    wanted: bytes | None

    @property
    def is_shown(self) -> bool:
        """Whether a diff may show it: a file of unknown origin may contain secrets."""
        return self.wanted is not None or self.state is State.STALE


def compare(files: FileSet, directory: Path) -> tuple[FileDifference, ...]:
    """Return the differences between a directory and the files that it should contain.

    Raises:
        SpecwrightError: the directory cannot be read.
    """
    refuse_a_file(directory)
    hashes = read_lock(directory).files
    paths = {*files, *hashes, *file_states.paths(directory)}
    differences = (_difference(path, files, directory, hashes) for path in sorted(paths))
    return tuple(difference for difference in differences if difference is not None)


def refuse_a_file(directory: Path) -> None:
    """Check that a directory exists or could be created.

    Raises:
        SpecwrightError: a file has its name, or that of a directory above it.
    """
    try:
        nearest = next(path for path in (directory, *directory.parents) if path.exists())
    except OSError as error:
        raise SpecwrightError(f"{directory}: cannot be read: {why_not_read(error)}") from error
    if not nearest.is_dir():
        raise SpecwrightError(
            f"{nearest}: is a file, not a directory",
            hint="choose another output, or move the file away",
        )


def unified_diff(differences: Sequence[FileDifference]) -> Iterator[str]:
    """Yield the lines of a diff from the present to the wanted files."""
    # Imported here: only this needs it.
    import difflib

    for difference in differences:
        if not difference.is_shown:
            continue
        before, after = _lines(difference.present), _lines(difference.wanted)
        names = (
            f"a/{difference.path}" if difference.present is not None else "/dev/null",
            f"b/{difference.path}" if difference.wanted is not None else "/dev/null",
        )
        if len(before) > 2 * len(after) + _MORE_LINES:
            # Finding the common lines would take too long.
            yield from difflib.unified_diff(before, (), *names)
            yield from difflib.unified_diff((), after, *names)
        else:
            yield from difflib.unified_diff(before, after, *names)


def _difference(
    path: str, files: FileSet, directory: Path, hashes: Mapping[str, str]
) -> FileDifference | None:
    wanted = files.get(path)
    foreign = FileDifference(path, State.FOREIGN, b"", wanted)
    if wanted is None and path not in hashes:
        return foreign
    try:
        content = file_states.read(directory, path)
    except file_states.NotGenerated:
        return foreign
    if content == wanted:
        return None
    if content is None:
        state = State.MISSING if path in hashes else State.NEW
    elif path == LOCK:
        state = State.CHANGED
    elif path not in hashes:
        state = State.FOREIGN
    elif digest(content) != hashes[path]:
        state = State.EDITED
    else:
        state = State.STALE if wanted is None else State.CHANGED
    return FileDifference(path, state, content, wanted)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
