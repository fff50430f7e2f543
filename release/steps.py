"""The steps of a release: check, cut the changelog entry, build."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from release import artefacts, bill, changelog, notes
from release.errors import ReleaseError

Build = Callable[[Path, Path], None]

NOTES = "NOTES.md"


def prepare(top: Path, date: str, build: Build = artefacts.build) -> str:
    """Cut the changelog entry of the version in pyproject.toml, and build that version.

    The artefacts go to `dist/`. If they cannot be built, nothing is changed.

    Args:
        top: the checkout.
        date: the day of the release, as YYYY-MM-DD.

    Returns:
        The version.

    Raises:
        ReleaseError: the checkout has changes that are not committed, the version exists already,
            or nothing has changed since the last one.
    """
    _refuse_changes(top)
    version = _version(top)
    if _git(top, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists: set another version in pyproject.toml")
    file = top / "CHANGELOG.md"
    before = file.read_text("utf-8")
    file.write_text(changelog.cut(before, version, date), "utf-8")
    try:
        _build(top, version, build)
    except BaseException:
        file.write_text(before, "utf-8")
        raise
    return version


def rebuild(top: Path, tag: str, build: Build = artefacts.build) -> str:
    """Build the version that a tag names, from the commit that has the tag.

    Args:
        top: the checkout of the tag.
        tag: `v` and the version.

    Returns:
        The version.

    Raises:
        ReleaseError: the checkout has changes, the tag names another version than pyproject.toml,
            or the changelog has no entry for it.
    """
    _refuse_changes(top)
    version = _version(top)
    if tag != f"v{version}":
        raise ReleaseError(f"the tag is {tag}, but pyproject.toml has version {version}")
    if not changelog.has_entry((top / "CHANGELOG.md").read_text("utf-8"), version):
        raise ReleaseError(f"CHANGELOG.md has no entry for {version}: run nox -s release first")
    _build(top, version, build)
    return version


def _refuse_changes(top: Path) -> None:
    if changed := _git(top, "status", "--porcelain"):
        raise ReleaseError(f"there are changes that are not committed:\n{changed}")


def _version(top: Path) -> str:
    project = tomllib.loads((top / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def _git(top: Path, *arguments: str) -> str:
    command = ["git", "-C", str(top), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip()


def _build(top: Path, version: str, build: Build) -> None:
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory, "dist")
        made.mkdir()
        build(top, made)
        (made / f"specwright-{version}.cdx.json").write_text(bill.render(top), "utf-8")
        text = notes.render((top / "CHANGELOG.md").read_text("utf-8"), version)
        (made / NOTES).write_text(text, "utf-8")
        artefacts.add_checksums(made)
        # `dist` is ignored by git, and holds one release at a time.
        shutil.rmtree(top / "dist", ignore_errors=True)
        shutil.copytree(made, top / "dist")
