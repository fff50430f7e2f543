"""Mistakes of users: commands, with the messages and the exit codes that they get.

`transcript.txt` is what is read by people. A changed message is changed there, too.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import run

HERE = Path(__file__).parent
_COMMAND = re.compile(r"(?:(?P<directory>\S+) )?\$ specwright (?P<arguments>.+)")


class Mistake(NamedTuple):
    directory: str
    arguments: str
    message: str
    code: int


def mistakes() -> Iterator[Mistake]:
    for block in (HERE / "transcript.txt").read_text("utf-8").split("\n\n"):
        command, *lines = block.strip().splitlines()
        if command.startswith("# "):
            continue
        match = _COMMAND.fullmatch(command)
        # A usage error has an empty line.
        assert match is not None, f"not a command: {command}"
        message = "".join(f"{line}\n" for line in lines[:-1])
        yield Mistake(match["directory"] or ".", match["arguments"], message, int(lines[-1][1:-1]))


MISTAKES = list(mistakes())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(HERE / "files", tmp_path, dirs_exist_ok=True)
    # Under other names here, as tools look for settings in every directory.
    for settings in HERE.glob("projects/*.toml"):
        name, *kind = settings.stem.split(".")
        project = tmp_path / "projects" / name
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(settings, project / f"{kind[0] if kind else 'pyproject'}.toml")
        shutil.copy(HERE / "files" / "library.yaml", project)
    (tmp_path / "empty-directory").mkdir()
    monkeypatch.delenv("LIBRARY_KEY", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "mistake", MISTAKES, ids=[f"{each.directory}: {each.arguments}" for each in MISTAKES]
)
def test_a_mistake_gets_its_message(mistake: Mistake, place: Path) -> None:
    done = run(*shlex.split(mistake.arguments), cwd=place / mistake.directory)
    said = re.sub(r"\n+", "\n", (done.stdout + done.stderr).replace(str(place), "…"))
    assert (said, done.returncode) == (mistake.message, mistake.code)


@pytest.mark.parametrize("sign", ["[Errno", "Traceback", "Expecting ", "did not find expected"])
def test_no_message_is_that_of_another_program(sign: str) -> None:
    assert not [each.arguments for each in MISTAKES if sign in each.message]


def test_unusable_input_has_a_next_step() -> None:
    """Each message says what to do: in a hint, by the usage, or as what is expected."""
    signs = ("hint: ", "Usage: ", "must be ", ": pass --")
    stuck = [each for each in MISTAKES if not any(sign in each.message for sign in signs)]
    assert [each.arguments for each in stuck if each.code == 2] == []
    assert len(MISTAKES) >= 60
