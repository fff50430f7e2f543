"""Entries of CHANGELOG.md stay: a merge that takes one side would drop those of the other."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository import Repository

FILE = "CHANGELOG.md"
# Versions of the file to compare with, from the last one back.
VERSIONS = 30
# Entries that may go for good, as two become one: in none of 150 commits were it more than one.
MOST = 3


def git(top: Path, *arguments: str) -> str | None:
    done = subprocess.run(["git", *arguments], cwd=top, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def has_history(top: Path) -> bool:
    """Whether earlier versions are in a repository of its own, and not only the last one."""
    said = git(top, "rev-parse", "--show-toplevel", "--is-shallow-repository")
    return said is not None and said.splitlines() == [str(top.resolve()), "false"]


def entries(text: str) -> set[str]:
    """The entries, each on its line; that they move to a released version changes nothing."""
    return {line for line in text.splitlines() if line.startswith("- ")}


def dropped(top: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield each earlier version with the entries that are gone, if too few are new instead.

    A reworded entry is one that is gone, and one that is new.
    """
    now = entries((top / FILE).read_text("utf-8"))
    commits = git(top, "log", f"-{VERSIONS}", "--format=%h", "--", FILE) or ""
    for commit in commits.split():
        then = entries(git(top, "show", f"{commit}:./{FILE}") or "")
        if len(then - now) > len(now - then) + MOST:
            yield commit, then - now


def test_entries_stay(root: Path) -> None:
    if not has_history(root):
        pytest.skip("the clone has no history")
    assert dict(dropped(root)) == {}


def written(count: int, *others: str, heading: str = "## [Unreleased]") -> str:
    lines = [*others, *(f"- Entry {number}." for number in range(count))]
    return "\n".join(["# Changelog", heading, *lines, ""])


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repository")
    repository.write(FILE, written(20))
    repository.commit()
    return repository


def branch(repository: Repository, name: str, text: str) -> None:
    repository.git("switch", "-qc", name, "main")
    repository.write(FILE, text)
    repository.commit()


def test_a_merge_that_takes_one_side_is_found(repository: Repository) -> None:
    branch(repository, "older", written(2, "- One."))
    repository.git("switch", "-q", "main")
    repository.write(FILE, written(20, *(f"- Another entry {number}." for number in range(9))))
    repository.commit()
    repository.git("merge", "-q", "-X", "theirs", "older")
    gone = dict(dropped(repository.top))
    assert "- Entry 19." in set.union(*gone.values())
    # It is found until they are back, whatever the next commits write.
    repository.write(FILE, written(2, "- One.", "- Two."))
    repository.commit()
    assert dict(dropped(repository.top)) != {}
    repository.write(FILE, written(20, "- One.", *(f"- Another entry {n}." for n in range(9))))
    assert dict(dropped(repository.top)) == {}


@pytest.mark.parametrize(
    "text",
    [
        written(20, "- A new one."),
        written(20, heading="## [Unreleased]\n## [1.0.0]"),
        written(15, *(f"- Entry {number}, in other words." for number in range(15, 20))),
        written(20 - MOST),
        # Those of several releases are sorted anew.
        "\n".join(reversed(written(20).splitlines())),
    ],
)
def test_ordinary_edits_are_none(repository: Repository, text: str) -> None:
    repository.write(FILE, text)
    assert dict(dropped(repository.top)) == {}
    repository.commit()
    assert dict(dropped(repository.top)) == {}


def test_one_more_is_too_many(repository: Repository) -> None:
    repository.write(FILE, written(20 - MOST - 1))
    (gone,) = dict(dropped(repository.top)).values()
    assert gone == {f"- Entry {number}." for number in range(16, 20)}


def test_a_shallow_clone_has_no_history(repository: Repository, tmp_path: Path) -> None:
    assert has_history(repository.top)
    repository.write("other", "")
    repository.commit()
    assert not has_history(repository.clone(tmp_path / "clone", "--depth=1"))
    inner = repository.top / "inner"
    inner.mkdir()
    assert not has_history(inner)
    assert not has_history(tmp_path)
