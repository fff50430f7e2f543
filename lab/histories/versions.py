"""The versions of documents in the histories of public repositories."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Each line: a GitHub repository, the path of its document, and the last commit.
LIST = Path(__file__).with_name("repositories.txt")
_ADDRESS = "https://github.com/{repository}"


class History(NamedTuple):
    """A document, up to a commit of its repository."""

    repository: str
    path: str
    commit: str


def histories(place: Path) -> Iterator[tuple[History, Path]]:
    """Yield the documents of the list with their clones; missing clones are made in a directory."""
    place.mkdir(parents=True, exist_ok=True)
    for line in LIST.read_text("utf-8").splitlines():
        history = History(*line.split())
        clone = place / history.repository.replace("/", "+")
        if not clone.exists():
            address = _ADDRESS.format(repository=history.repository)
            _git(place, "clone", "--quiet", "--no-checkout", address, clone.name)
        yield history, clone


def versions(clone: Path, history: History, most: int) -> list[str]:
    """Return the last commits that changed the document, oldest first."""
    commits = _git(
        clone,
        *("log", "--first-parent", "--diff-filter=AM", "--format=%H", f"--max-count={most}"),
        *(history.commit, "--", history.path),
    )
    return commits.split()[::-1]


def _git(place: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=place, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
