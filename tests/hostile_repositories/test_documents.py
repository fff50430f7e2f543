"""A document costs no more than it may: every command ends soon, with an answer."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile_repositories.documents import BOMBS, DOCUMENT, write

COMMAND = Path(sys.executable).with_name("specwright")
COMMANDS = {
    "validate": ("validate", DOCUMENT),
    "generate": ("generate", "--document", DOCUMENT),
}
# Of processor time, in all processes of one command.
SECONDS = 40
MEMORY = 1_500_000_000

# Those that end soon, one for each way of taking a command down -> what it says now.
SAMPLE = {
    ("validate", "2,000 references in a row"): "is a chain of more than 100 references",
    ("validate", "10,000 schemas by properties"): "'schema-unsatisfiable' stopped: it needs",
    ("validate", "a reference to NUL"): "'%00' does not resolve",
    ("generate", "1,500 schemas by properties"): "generated",
    ("generate", "a circle of arrays and maps"): "generated",
    ("generate", "a parameter that is a tree"): "generated",
    ("generate", "a reference to the document"): "generated",
    ("generate", "two properties of the same, 30 times"): "generated",
    ("generate", "two refusals of the same, 30 times"): "more than 1,000 properties",
    ("generate", "arrays and maps of the same, 30 times"): "generated",
    ("generate", "a schema of 1,000 alternatives"): "too many alternatives",
}


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(directory: Path, command: str, bomb: str) -> str:
    """Return the output of a command on a document; its memory and time are limited."""
    write(directory, BOMBS[bomb]())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [COMMAND, *COMMANDS[command]],
        cwd=directory,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=bounded,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback (most recent call last)" not in done.stderr
    assert done.stdout + done.stderr
    assert after.ru_utime - before.ru_utime < SECONDS
    return done.stdout + done.stderr


@pytest.mark.parametrize(("command", "bomb"), SAMPLE)
def test_the_answer_says_what_could_not_be_done(command: str, bomb: str, tmp_path: Path) -> None:
    assert SAMPLE[command, bomb] in run(tmp_path, command, bomb)


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_every_document_has_an_answer(command: str, bomb: str, tmp_path: Path) -> None:
    run(tmp_path, command, bomb)
