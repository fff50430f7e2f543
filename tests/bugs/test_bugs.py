"""Bugs that were reported stay fixed: each folder beside this file is one of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bugs.driver import BUGS, EXPECTED, HERE, made, read
from tests.derived.trees import differences
from tests.derived.trees import read as tree

COMMANDS = {"validate", "generate", "diff", "check-traffic"}


@pytest.mark.parametrize("place", BUGS, ids=lambda place: place.name)
def test_the_command_does_what_is_expected(place: Path) -> None:
    found = list(differences(tree(place / EXPECTED), made(place)))
    assert not found, "\n".join(found)


def test_every_folder_is_a_bug() -> None:
    folders = {path for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(BUGS), "a folder without bug.toml is never run"


def test_every_command_has_a_bug() -> None:
    assert {read(place).command.split()[0] for place in BUGS} == COMMANDS


@pytest.mark.parametrize("place", BUGS, ids=lambda place: place.name)
def test_a_bug_is_described_in_two_sentences(place: Path) -> None:
    about = read(place).about
    assert about.endswith(".")
    assert about.count(". ") == 1


@pytest.fixture
def bug(tmp_path: Path) -> Path:
    """A copy of a folder, for changes."""
    return Path(shutil.copytree(HERE / "schema-that-requires-itself", tmp_path / "bug"))


def test_another_result_is_shown(bug: Path) -> None:
    document = bug / "openapi.yaml"
    document.write_text(document.read_text("utf-8").replace("info:", "inf:"), "utf-8")
    found = list(differences(tree(bug / EXPECTED), made(bug)))
    assert "-exit code 0" in found
    assert "+exit code 1" in found


def test_files_are_those_that_are_named_and_figures_that_vary_are_left_out(bug: Path) -> None:
    command = 'command = "generate --document openapi.yaml --package nodes"'
    text = f'about = "A. B."\n{command}\nfiles = ["**/models.py", "**/output.txt"]\n'
    (bug / "bug.toml").write_text(text, "utf-8")
    (bug / "openapi.yaml").write_text("openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {}\n")
    result = made(bug)
    assert set(result) == {"output.txt", "generated/nodes/models.py"}
    assert "generated … files (… changed) in … s\n" in result["output.txt"]


def test_the_folder_is_not_changed(bug: Path) -> None:
    before = tree(bug)
    made(bug)
    assert tree(bug) == before


@pytest.mark.parametrize("text", ['about = "A. B."', 'about = "A. B."\ncommand = "x"\nextra = 1'])
def test_a_key_that_is_missing_or_unknown_is_an_error(bug: Path, text: str) -> None:
    (bug / "bug.toml").write_text(text, "utf-8")
    with pytest.raises(TypeError):
        read(bug)
