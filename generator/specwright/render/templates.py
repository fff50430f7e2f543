"""Where templates lie: the user's directory before the built-in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import specwright
from specwright.errors import SpecwrightError

BUILTIN = "builtin/"
SUFFIX = ".jinja"


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


def template_names(directory: Path) -> Iterator[str]:
    """Yield the names of the templates below a directory, sorted."""
    names = (path.relative_to(directory).as_posix() for path in directory.rglob(f"*{SUFFIX}"))
    return iter(sorted(names))


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates of one run; `user` is the directory of overrides."""

    builtin: Path
    user: Path | None = None

    def find(self, name: str) -> Path | None:
        """Return the file that a template's name stands for."""
        if ".." in name.split("/"):
            return None
        if name.startswith(BUILTIN):
            directories = [self.builtin]
            name = name.removeprefix(BUILTIN)
        else:
            directories = [self.user, self.builtin] if self.user else [self.builtin]
        paths = (directory / name for directory in directories)
        return next((path for path in paths if path.is_file()), None)

    def names(self) -> Iterator[str]:
        """Yield every name that `find` knows, without those that begin with `builtin/`."""
        own = set(template_names(self.user)) if self.user else set()
        return iter(sorted(own | set(template_names(self.builtin))))
