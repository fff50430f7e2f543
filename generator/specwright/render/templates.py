"""The places of templates: the user's directory before the built-in one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import specwright
from specwright.errors import InputError, Location, SpecwrightError
from specwright.files import read_regular, why_not_read

BUILTIN = "builtin/"
SUFFIX = ".jinja"
MAX_OWN = 1000
_LARGEST = 1024 * 1024


def builtin_directory() -> Path:
    """Return the directory of the built-in templates, in a wheel or in a source tree."""
    package = Path(specwright.__file__).resolve().parent
    for candidate in (package / "templates", package.parents[1] / "templates"):
        if candidate.is_dir():
            return candidate
    raise SpecwrightError(
        "the built-in templates are missing",
        hint="the installation is damaged; install specwright again",
    )


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates of one run; `user` is the directory of overrides."""

    builtin: Path
    user: Path | None = None

    def builtin_names(self) -> list[str]:
        """Return the names of the built-in templates, sorted."""
        return list(_builtin(self.builtin))

    def builtin_source(self, name: str) -> str | None:
        """Return a built-in template; None if it does not exist."""
        return _builtin(self.builtin).get(name)

    def own(self) -> Mapping[str, str]:
        """Return the user's templates by name: every file of their directory except hidden ones.

        Raises:
            InputError: a file is a symbolic link, a pipe, a device or not text, or there are too
                many files.
        """
        return dict(sorted(_read(self.user))) if self.user else {}

    def place(self, name: str, line: int = 1) -> Location:
        """Return the place of a line of one of the user's templates."""
        return Location(str(self.user / name) if self.user else name, line, 1)


@cache
def _builtin(directory: Path) -> Mapping[str, str]:
    """Return the built-in templates by name, sorted; one process reads them once."""
    sources = {
        path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8")
        for path in directory.rglob(f"*{SUFFIX}")
    }
    return dict(sorted(sources.items()))


def _read(directory: Path) -> Iterator[tuple[str, str]]:
    for count, entry in enumerate(_files(directory)):
        place = Location(entry.path, 1, 1)
        if count == MAX_OWN:
            raise InputError(
                f"there are more than {MAX_OWN} files in the directory of templates",
                Location(str(directory), 1, 1),
                "give templates a directory of their own",
            )
        if entry.is_symlink():
            raise InputError(
                "is a symbolic link, which a template must not be",
                place,
                "put the template itself here",
            )
        try:
            text = read_regular(Path(entry), limit=_LARGEST).decode("utf-8")
        except OSError as error:
            raise InputError(f"cannot be read: {why_not_read(error)}", place) from None
        except UnicodeDecodeError:
            raise InputError("not UTF-8 text", place, "save it as UTF-8") from None
        yield Path(entry).relative_to(directory).as_posix(), text


def _files(directory: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files below a directory, except for hidden files and backups of editors."""
    waiting = [directory]
    while waiting:
        above = waiting.pop()
        try:
            with os.scandir(above) as entries:
                files = [entry for entry in entries if not _is_no_template(entry.name)]
        except OSError as error:
            raise InputError(
                f"cannot be read: {why_not_read(error)}", Location(str(above), 1, 1)
            ) from None
        for entry in files:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry))
            else:
                yield entry


def _is_no_template(name: str) -> bool:
    return name.startswith(".") or name.endswith("~")
