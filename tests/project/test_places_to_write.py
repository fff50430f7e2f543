"""A place where nothing can be written is an error that names it, and says what is wrong there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.generate_cli.conftest import DOCUMENT

LONG = "a" * 300
# A file, which has no room for others.
FILE = "api.json"
WRITERS = [
    ("docs", "--output", "{}.html"),
    ("docs", "--output", "{}"),
    ("generate", "--output", "{}"),
    ("scaffold", "--into", "{}"),
    ("templates", "copy", "package/README.md.jinja", "--templates", "{}"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / FILE).write_text(json.dumps(DOCUMENT), "utf-8")
    (tmp_path / "pyproject.toml").write_text(f'[tool.specwright]\ndocument = "{FILE}"\n', "utf-8")
    return tmp_path


def refused(specwright: Run, place: Path, command: tuple[str, ...], target: str) -> str:
    before = sorted(place.rglob("*"))
    done = specwright(*(part.format(target) for part in command), cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert sorted(place.rglob("*")) == before
    error: str = done.stderr.splitlines()[0]
    return error


@pytest.mark.parametrize("command", WRITERS)
def test_a_name_that_the_system_rejects(
    specwright: Run, place: Path, command: tuple[str, ...]
) -> None:
    error = refused(specwright, place, command, LONG)
    assert LONG in error
    assert error.endswith((": cannot be written: File name too long", "read: File name too long"))


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_in_the_place_of_a_directory(
    specwright: Run, place: Path, command: tuple[str, ...]
) -> None:
    error = refused(specwright, place, command, f"{FILE}/inside")
    assert FILE in error
    if command[0] != "generate":
        needed = "a file has the name of a directory that is needed"
        assert error.endswith(f"{FILE}: cannot be written: {needed}")


@pytest.mark.skipif(sys.platform != "linux", reason="has no /proc")
@pytest.mark.parametrize("command", WRITERS)
def test_a_directory_in_which_nothing_can_be_created(
    specwright: Run, place: Path, command: tuple[str, ...]
) -> None:
    error = refused(specwright, place, command, "/proc/page")
    assert error.startswith("error: /proc/page")
    assert error.endswith(": cannot be written: no file can be created there")
