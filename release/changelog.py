"""Entries of CHANGELOG.md (https://keepachangelog.com/en/1.1.0/)."""

from __future__ import annotations

import re

from release.errors import ReleaseError

_UNRELEASED = "## [Unreleased]\n"
_HEADING = re.compile(r"^## \[", re.MULTILINE)


def has_entry(text: str, version: str) -> bool:
    """Return whether a changelog has the entry of a version."""
    return f"\n## [{version}] - " in text


def cut(text: str, version: str, date: str) -> str:
    """Make the unreleased changes the entry of a version.

    Args:
        date: the day of the release, as YYYY-MM-DD.

    Raises:
        ReleaseError: the version has an entry already, or there are no unreleased changes.
    """
    if has_entry(text, version):
        raise ReleaseError(f"CHANGELOG.md has an entry for {version}: set another version")
    before, heading, after = text.partition(_UNRELEASED)
    if not heading or not _HEADING.split(after)[0].strip():
        raise ReleaseError(f"CHANGELOG.md has no changes below '{_UNRELEASED.strip()}'")
    return f"{before}{heading}\n## [{version}] - {date}\n{after}"


def entry(text: str, version: str) -> str:
    """Return the entry of a version, with its heading."""
    _, heading, after = text.partition(f"## [{version}] - ")
    return f"{heading}{_HEADING.split(after)[0]}".rstrip()
