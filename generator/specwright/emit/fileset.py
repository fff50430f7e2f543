"""An immutable set of files."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from specwright.errors import SpecwrightError

# Windows opens a device if the name of a file is one of these, with any suffix.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)
_FORBIDDEN = frozenset('<>:"\\|?*')


class FileSet(Mapping[str, bytes]):
    """Content of files by relative path, with `/` between the parts on every system."""

    __slots__ = ("_files",)

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Check the paths.

        Raises:
            SpecwrightError: a path leads out of the set, or some system cannot store it
                beside the others.
        """
        spelled: dict[str, str] = {}
        for path in files:
            for name in path.split("/"):
                _check_name(path, name)
            for part in _ancestry(path):
                if part != path and part in files:
                    raise SpecwrightError(f"{part!r} cannot be both a file and a directory")
                other = spelled.setdefault(_folded(part), part)
                if other != part:
                    raise SpecwrightError(f"the names {other!r} and {part!r} are too similar")
        self._files = dict(sorted(files.items()))

    def __getitem__(self, path: str) -> bytes:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _ancestry(path: str) -> Iterator[str]:
    """Yield the path and the directories that contain it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _check_name(path: str, name: str) -> None:
    if name in ("", ".", ".."):
        problem = "is not a path below the output"
    elif name.partition(".")[0].rstrip().lower() in _DEVICES:
        problem = f"has the name of a device ({name})"
    elif name[-1] in ". " or not name.isprintable() or _FORBIDDEN & set(name):
        problem = "is not a valid file name on every system"
    else:
        return
    raise SpecwrightError(f"the path {path!r} {problem}")
