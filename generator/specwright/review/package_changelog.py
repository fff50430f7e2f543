"""The changelog of a generated package: the names that its callers lose, by version."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from specwright.errors import InputError, Location, SpecwrightError
from specwright.files import read_regular, replace_files, why_not_written
from specwright.review.lost_names import LostNames
from specwright.review.sdk import NameChange, NameChangeKind
from specwright.text import code_span

_HEADING = re.compile(r"^## ")
_SECTIONS = {NameChangeKind.CHANGED: "### Changed", NameChangeKind.REMOVED: "### Removed"}
_UNRELEASED = "Unreleased"


def lines_about(lost: LostNames, changelog: Path | None, package: Path) -> Iterator[str]:
    """Yield lines about lost names, which are added to the changelog if there is one.

    Args:
        package: the directory of the package, as it is now.

    Raises:
        SpecwrightError: the changelog cannot be read or written, or is not text.
    """
    yield from lost.lines
    if changelog is not None and lost.changes:
        yield record(changelog, package, lost.changes)


def record(file: Path, package: Path, changes: Iterable[NameChange]) -> str:
    """Add changes to a changelog, and return a line about it.

    Args:
        file: the changelog; lines that it has already are kept as they are.
        package: the directory of the package, as it is now.

    Raises:
        InputError: the file is not text in UTF-8.
        SpecwrightError: it cannot be read or written.
    """
    shown = Path(os.path.relpath(file)).as_posix()
    try:
        before = read_regular(file) if file.exists() else b"# Changelog\n"
        after = with_changes(before.decode("utf-8"), _version(package), changes).encode()
        if after == before:
            return f"{shown} has these changes already"
        replace_files({file: after})
    except UnicodeDecodeError:
        place = Location(str(file), 1, 1)
        raise InputError("not UTF-8 text", place, "save it as UTF-8") from None
    except OSError as error:
        message = f"{file}: cannot be written: {why_not_written(error)}"
        raise SpecwrightError(message) from error
    return f"added to {shown}"


def with_changes(text: str, version: str, changes: Iterable[NameChange]) -> str:
    """Return a changelog (Keep a Changelog 1.1.0) with the changes in the entry of a version.

    The entry is that of the version, or `Unreleased` if there is one; otherwise it is added above
    the others. Changes that the entry has already are not repeated.
    """
    lines = text.removesuffix("\n").split("\n")
    start = _entry(lines, version)
    end = next((n for n in range(start + 1, len(lines)) if _HEADING.match(lines[n])), len(lines))
    entry = lines[start:end]
    new = [change for change in changes if _bullet(change) not in entry]
    if not new:
        return text
    for kind, heading in _SECTIONS.items():
        bullets = [_bullet(change) for change in new if change.kind is kind]
        if bullets:
            _insert(entry, heading, bullets)
    rest = lines[end:]
    while entry and not entry[-1]:
        entry.pop()
    return "\n".join([*lines[:start], *entry, *([""] if rest else []), *rest]) + "\n"


def _entry(lines: list[str], version: str) -> int:
    """Return the line of the heading of an entry, which is added if it is missing."""
    for title in (_UNRELEASED, version):
        own = re.compile(rf"## \[?{re.escape(title)}\]?(\s|$)", re.IGNORECASE)
        for number, line in enumerate(lines):
            if own.match(line):
                return number
    first = next((n for n, line in enumerate(lines) if _HEADING.match(line)), len(lines))
    before = [] if not first or not lines[first - 1] else [""]
    lines[first:first] = [*before, f"## [{version}]", ""]
    return first + len(before)


def _insert(entry: list[str], heading: str, bullets: list[str]) -> None:
    """Add bullets at the end of a section of an entry; the section is added if it is missing."""
    if heading not in entry:
        while len(entry) > 1 and not entry[-1]:
            entry.pop()
        entry += ["", heading, "", *bullets, ""]
        return
    place = entry.index(heading) + 1
    while place < len(entry) and not entry[place].startswith("#"):
        place += 1
    while not entry[place - 1]:
        place -= 1
    between = [""] if entry[place - 1] == heading else []
    entry[place:place] = [*between, *bullets]


def _bullet(change: NameChange) -> str:
    return f"- {code_span(change.name)}: {code_span(change.message)}"


def _version(package: Path) -> str:
    """Return the version of a package; `Unreleased` if a template has left it out."""
    settings = tomllib.loads(read_regular(package / "pyproject.toml").decode())
    return str(settings.get("project", {}).get("version", _UNRELEASED))
