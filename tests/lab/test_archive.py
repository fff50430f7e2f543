"""Each bug of the archive is there, and the archive without one is right."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.archive.bugs import BUGS
from lab.archive.desk import Desk
from lab.archive.environment import PYTHON
from lab.faults.judge import SPECWRIGHT
from lab.tickets.subjects import SUBJECTS
from lab.tickets.verdicts import load

# An environment of its own needs the network, which no test uses.
pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="python -m lab.archive.environment has not been run"
)


@contextlib.contextmanager
def desk(bug: str) -> Iterator[Desk]:
    with SUBJECTS["archive"].serving(bug) as url, contextlib.closing(Desk(url)) as opened:
        yield opened


def test_there_are_forty() -> None:
    assert len(BUGS) == 40


def test_the_archive_without_a_bug_is_right() -> None:
    with desk("none") as right:
        assert [name for name, bug in BUGS.items() if not bug.is_right(right)] == []


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_there(name: str) -> None:
    with desk(name) as wrong:
        assert not BUGS[name].is_right(wrong)


def test_errors_of_downloads_are_json() -> None:
    with desk("none") as right:
        path = right.file()
        right.north.delete(path)
        response = right.north.get(f"{path}/content")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "application/json")
    assert response.json()["detail"] == "There is no such file"


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b'{"title": "a"}', "text/plain", 415),
        (b'{"a": "\xff"}', "application/json", 400),
        (b'{"title": 7}', "application/json", 400),
        (b'{"title": null}', "application/json", 400),
        (b'{"title": "a", "size": 7}', "application/json", 200),
    ],
)
def test_a_body_is_checked(body: bytes, media_type: str, status: int) -> None:
    with desk("none") as right:
        headers = {"Content-Type": media_type}
        response = right.north.patch(right.file(), content=body, headers=headers)
    assert response.status_code == status, response.text


def test_the_declarations_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(SUBJECTS["archive"].documents()["declared"]), "utf-8")
    done = subprocess.run([SPECWRIGHT, "validate", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_bug_was_judged() -> None:
    runs = load("archive")
    assert list(runs.first) == list(runs.last) == list(BUGS), "run: nox -s tickets"
