"""Files of an output that git ignores, so that they are missing in each clone of the repository."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from specwright.document.sources.git import git
from specwright.errors import InputError

_FILE = ".gitignore"
_GLOB = re.compile(r"([\\*?\[\]!# ])")


class _Pattern(NamedTuple):
    """A pattern that excludes files: the file that has it, its line there, and its text."""

    file: str
    line: str
    text: str


def about_ignored(directory: Path, files: Collection[str]) -> Iterator[str]:
    """Yield lines about the files of a directory that git ignores, with the remedy.

    A directory that is ignored as a whole is meant to be.

    Args:
        files: paths relative to the directory.
    """
    place = directory.resolve()
    top = next((above for above in place.parents if (above / ".git").exists()), None)
    if top is None:
        return
    excluded = _excluded(top, [(place / file).relative_to(top).as_posix() for file in files])
    if len(excluded) == len(files):
        return
    for pattern in dict.fromkeys(excluded.values()):
        own = [file for file, cause in excluded.items() if cause == pattern]
        ignoring = top / pattern.file
        remedy = ignoring if ignoring.name == _FILE else top / _FILE
        inside = _GLOB.sub(r"\\\1", os.path.relpath(place, remedy.parent).replace(os.sep, "/"))
        yield (
            f"git ignores {len(own)} of {len(files)} files, such as {_shown(top / own[0])} "
            f"({_shown(ignoring)}:{pattern.line}: {pattern.text}); "
            f"add to {_shown(remedy)}: !/{inside}/**"
        )


def _excluded(top: Path, paths: Collection[str]) -> dict[str, _Pattern]:
    """Return the paths that are not tracked and that a pattern excludes, with the pattern."""
    names = "".join(f"{path}\0" for path in paths).encode()
    try:
        listed = git("check-ignore", "--verbose", "-z", "--stdin", stdin=names, directory=top)
    except InputError:
        # Without git there is nothing that it ignores.
        return {}
    parts = os.fsdecode(listed or b"").split("\0")
    entries = (parts[at : at + 4] for at in range(0, len(parts) - 3, 4))
    # A pattern with `!` includes.
    return {path: _Pattern(*cause) for *cause, path in entries if not cause[-1].startswith("!")}


def _shown(path: Path) -> str:
    """Return a path as the user would write it here."""
    relative = os.path.relpath(path)
    return path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
