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
from lab.tickets.verdicts import load


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


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b'{"subject": "printer"}', "text/plain", 415),
        (b"", "application/json", 400),
        (b'{"subject": "printer", "budget": NaN}', "application/json", 400),
        (b'{"subject": "\\ud800"}', "application/json", 400),
        (b'{"subject": "\xff"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"subject": ""}', "application/json", 400),
        (b'{"subject": "printer", "due_at": "tomorrow"}', "application/json", 400),
        (b'{"subject": "printer", "id": 7}', "application/json", 201),
    ],
)
def test_a_body_is_checked(body: bytes, media_type: str, status: int) -> None:
    with desk("none") as right:
        headers = {"Content-Type": media_type}
        response = right.acme.post("/tickets", content=body, headers=headers)
    assert response.status_code == status, response.text


@pytest.mark.parametrize("query", ["limit=1&limit=2", "limit=1.0", "limit=0", "sort=", "q="])
def test_a_query_is_checked(query: str) -> None:
    with desk("none") as right:
        assert right.acme.get(f"/tickets?{query}").status_code == 400


@pytest.mark.parametrize("cursor", ["YXQgMQ", "YXQgLTE=", "%FF", "eHggMQ=="])
def test_a_cursor_is_checked(cursor: str) -> None:
    with desk("none") as right:
        path = f"/tickets/{right.opened()['id']}/comments?cursor={cursor}"
        assert right.acme.get(path).status_code == 400


def test_another_account_can_change_nothing() -> None:
    with desk("none") as right:
        path = f"/tickets/{right.opened()['id']}"
        assert right.globex.put(path, json={"subject": "mine"}).status_code == 404
        assert right.globex.delete(path).status_code == 404


def test_the_declarations_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(declared(DOCUMENT, DECLARATIONS)), "utf-8")
    done = subprocess.run([SPECWRIGHT, "validate", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_bug_was_judged() -> None:
    runs = load("tickets")
    assert list(runs.first) == list(runs.last) == list(BUGS), "run: nox -s tickets"
