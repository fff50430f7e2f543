"""Long commands show their step, and the time that is left, to a person and to nobody else."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from threading import Thread

import pytest

from specwright.report.progress import Progress
from tests.conftest import COMMAND

_COSTS = {"reading": 1.0, "checking": 4.0, "writing": 5.0}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def progress(clock: Clock) -> Progress:
    progress = Progress(_COSTS, clock)
    progress("reading")
    return progress


def test_without_a_size_there_is_no_estimate(progress: Progress) -> None:
    assert progress.line == "reading"


def test_an_estimate_begins_with_the_size(progress: Progress, clock: Clock) -> None:
    progress.characters = 2_000_000
    assert progress.line == "reading, about 20 s left"
    clock.now = 1.0
    assert progress.line == "reading, about 19 s left"


def test_a_step_that_takes_longer_than_expected_leaves_the_others(
    progress: Progress, clock: Clock
) -> None:
    progress.characters = 2_000_000
    clock.now = 100.0
    assert progress.line == "reading, about 18 s left"


@pytest.mark.parametrize(("seconds", "left"), [(2.0, 18), (8.0, 54), (0.5, 9)])
def test_the_first_steps_correct_the_estimate(
    progress: Progress, clock: Clock, seconds: float, left: int
) -> None:
    progress.characters = 2_000_000
    clock.now = seconds
    progress("checking")
    assert progress.line == f"checking, about {left} s left"


def test_the_end_has_no_estimate(progress: Progress, clock: Clock) -> None:
    progress.characters = 2_000_000
    progress("checking")
    progress("writing")
    clock.now = 9.5
    assert progress.line == "writing"


def test_the_next_document_begins_anew(progress: Progress, clock: Clock) -> None:
    progress.characters = 1_000_000
    clock.now = 50.0
    progress("checking")
    progress("reading")
    assert progress.line == "reading, about 10 s left"


def test_a_step_that_is_not_in_the_table_has_no_estimate(progress: Progress) -> None:
    progress.characters = 2_000_000
    progress("retrying")
    assert progress.line == "retrying"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with two documents that are long enough for an estimate."""
    operation = {"operationId": "get", "responses": {"200": {"description": "It."}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Long", "version": "1", "description": "long " * 800_000},
        "paths": {"/": {"get": operation}},
    }
    for name in ("before.json", "openapi.json"):
        (tmp_path / name).write_text(json.dumps(document), "utf-8")
    return tmp_path


def on_terminal(place: Path, *arguments: str, **environment: str) -> tuple[str, str]:
    """Return what a command prints, and what it writes to a terminal as its standard error."""
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read() -> None:
        # Linux reports the end of a terminal as an error.
        try:
            while part := os.read(ours, 10_000):
                shown.extend(part)
        except OSError:
            pass

    reading = Thread(target=read)
    reading.start()
    inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "TERM")}
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=place,
        env={**inherited, "TERM": "xterm", "COLUMNS": "100", **environment},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    reading.join()
    os.close(ours)
    return done.stdout, shown.decode()


@pytest.mark.parametrize(
    ("command", "step"),
    [
        ("generate", "generating models"),
        ("validate openapi.json", "checking the document"),
        ("docs --output page.html", "checking the document"),
        ("diff before.json openapi.json", "comparing the documents"),
        ("test http://127.0.0.1:9", "checking the document"),
    ],
)
def test_a_terminal_shows_the_step_and_the_time(place: Path, command: str, step: str) -> None:
    # A short step before this one may be over before it is drawn.
    _, shown = on_terminal(place, *command.split())
    assert f"{step}, about " in shown
    assert " s left" in shown


def test_a_ci_job_with_a_terminal_shows_none(place: Path) -> None:
    assert on_terminal(place, "validate", "openapi.json", CI="true")[1] == ""


@pytest.mark.parametrize("output", ["json", "github", "sarif"])
def test_formats_for_machines_are_the_same_on_a_terminal(place: Path, output: str) -> None:
    command = ("validate", "openapi.json", "--format", output)
    piped = subprocess.run([COMMAND, *command], cwd=place, capture_output=True, text=True)
    assert on_terminal(place, *command)[0] == piped.stdout
    assert piped.stderr == ""
