"""The versions of a document, from which a changelog is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from specwright.arguments.documents import read_side
from specwright.compare.changelog import DocumentVersion
from specwright.document.sources.git import Commit
from specwright.errors import InputError
from specwright.report.terminal import say


def versions_after(
    earlier: Sequence[str], newer: str, allowed: tuple[Path, ...]
) -> list[DocumentVersion]:
    """Return earlier versions, in the order of their names, and the newest one.

    Args:
        earlier: files, addresses, or `git:REF:path`.

    Raises:
        InputError: one of them cannot be used.
    """
    sides = [*(read_side(name, allowed, newer) for name in earlier), read_side(newer, allowed)]
    return [*map(DocumentVersion, sides)]


def versions_since(commit: Commit, path: str, allowed: tuple[Path, ...]) -> list[DocumentVersion]:
    """Return the document in a commit, after each later change, and in the working tree."""
    first = DocumentVersion(read_side(commit.name_of(Path(path)), allowed, path))
    states = [first]
    for later, day in commit.since(path):
        try:
            states.append(DocumentVersion(read_side(later.name_of(Path(path)), allowed, path), day))
        except InputError as error:
            say(f"left out: {error.lines[0]}", err=True)
    now = DocumentVersion(read_side(path, allowed))
    if now.document.data != states[-1].document.data:
        states.append(now)
    return states
