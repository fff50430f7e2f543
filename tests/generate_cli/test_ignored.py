"""Files of a package that git ignores are named, as each clone would lack them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

LOST = "generated/shop/_runtime/shared/media/__init__.py"


@pytest.fixture
def repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project in a repository, without settings of the user who runs the tests."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(project, "init", "--quiet")
    return project


def git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def untracked(project: Path) -> set[str]:
    """The files that `git add` would take."""
    listed = git(project, "ls-files", "--others", "--exclude-standard", "-z")
    return set(listed.split("\0")) - {""}


@pytest.mark.parametrize("arguments", [(), ("--check",)], ids=["generate", "check"])
def test_files_that_git_ignores_are_named_with_the_remedy(
    repository: Path, specwright, arguments: tuple[str, ...]
) -> None:
    ignore = repository / ".gitignore"
    ignore.write_text("*.log\nmedia/\n")
    assert LOST not in untracked(repository)
    done = specwright("generate", *arguments, cwd=repository)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("git ignores ")
    said, _, remedy = line.partition("; add to .gitignore: ")
    assert said.endswith(f" files, such as {LOST} (.gitignore:2: media/)")
    ignore.write_text(f"{ignore.read_text()}{remedy}\n")
    assert LOST in untracked(repository)
    assert specwright("generate", *arguments, cwd=repository).stderr == ""


def test_a_clone_that_lacks_ignored_files_is_told_why(repository: Path, specwright) -> None:
    (repository / ".gitignore").write_text("media\n")
    (repository / LOST).unlink()
    done = specwright("generate", "--check", cwd=repository)
    assert done.returncode == 1
    assert f"{LOST}: missing\n" in done.stdout
    assert "(.gitignore:1: media)" in done.stderr


def test_the_line_is_relative_to_the_file_that_gets_it(project: Path, specwright) -> None:
    above = project.parent
    git(above, "init", "--quiet")
    (above / ".git/info/exclude").write_text("media/\n")
    done = specwright("generate", cwd=project)
    assert "(../.git/info/exclude:1: media/)" in done.stderr.replace(above.as_posix(), "..")
    assert done.stderr.endswith(f".gitignore: !/{project.name}/generated/**\n")


@pytest.mark.parametrize("ignored", ["/generated/\n", "media/\n!/generated/**\n", "*.log\n"])
def test_an_output_that_is_ignored_as_a_whole_or_not_at_all_is_no_matter(
    repository: Path, specwright, ignored: str
) -> None:
    (repository / ".gitignore").write_text(ignored)
    assert specwright("generate", cwd=repository).stderr == ""


def test_files_that_are_tracked_are_not_ignored(repository: Path, specwright) -> None:
    git(repository, "add", "--all")
    (repository / ".gitignore").write_text("media/\n")
    assert specwright("generate", cwd=repository).stderr == ""


def test_without_git_nothing_is_ignored(
    repository: Path, specwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / ".gitignore").write_text("media/\n")
    monkeypatch.setenv("PATH", str(repository))
    done = specwright("generate", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
