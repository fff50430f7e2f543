"""Each bug of the ticket system is there, and the ticket system without one is right."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.faults.judge import SPECWRIGHT
from lab.tickets.bugs import BUGS
from lab.tickets.declarations import DECLARATIONS
from lab.tickets.declaring import declared
from lab.tickets.desk import Desk
from lab.tickets.document import DOCUMENT
from lab.tickets.serving import served


@contextlib.contextmanager
def desk(bug: str) -> Iterator[Desk]:
    with served(bug) as url, contextlib.closing(Desk(url)) as opened:
        yield opened


def test_there_are_twenty_nine() -> None:
    assert len(BUGS) == 29


def test_the_system_without_a_bug_is_right() -> None:
    with desk("none") as right:
        assert [name for name, bug in BUGS.items() if not bug.is_right(right)] == []


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_there(name: str) -> None:
    with desk(name) as wrong:
        assert not BUGS[name].is_right(wrong)


def test_the_declarations_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(declared(DOCUMENT, DECLARATIONS)), "utf-8")
    done = subprocess.run([SPECWRIGHT, "validate", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
