"""A document with odd edits ends in words, or in a package that works; soon, in little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from tests.mutated_documents.trial import Trial, all_documents, small_documents, trials
from tests.mutated_documents.worker import PACKAGE

TOTAL, SAMPLE, CHUNK, TYPED = 2000, 10, 10, 50
exhaustive = pytest.mark.exhaustive


def faulty(tried: Iterator[Trial]) -> str:
    """Return the mutants that went wrong: their edits and their faults."""
    return "\n\n".join(str(trial) for trial in tried if trial.found["faults"])


@pytest.mark.parametrize("first", range(0, SAMPLE, CHUNK))
def test_a_mutant_of_a_document_of_ours(first: int, tmp_path: Path) -> None:
    wrong = faulty(trials(small_documents(), range(first, first + CHUNK), tmp_path))
    assert not wrong, wrong


@exhaustive
@pytest.mark.parametrize("first", range(0, TOTAL, CHUNK))
def test_a_mutant_of_any_document(first: int, tmp_path: Path, corpus: Path) -> None:
    wrong = faulty(trials(all_documents(corpus), range(first, first + CHUNK), tmp_path))
    assert not wrong, wrong


@exhaustive
def test_mypy_finds_nothing_in_the_packages_of_mutants(tmp_path: Path, corpus: Path) -> None:
    tried = trials(all_documents(corpus), count(), tmp_path)
    made = islice((trial for trial in tried if trial.is_generated), TYPED)
    wrong = [f"{trial}\n{said}" for trial in made if (said := mypy(trial))]
    assert not wrong, "\n\n".join(wrong)


def mypy(trial: Trial) -> str:
    """Return the errors of mypy, except those about defaults and overrides that do not fit.

    Those come from the document.
    """
    command = [sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "--no-pretty"]
    cache = trial.place.parent / "mypy"
    done = subprocess.run(
        [*command, "--no-error-summary", "--cache-dir", cache, PACKAGE],
        cwd=trial.place / "out",
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout + done.stderr).splitlines()
    return "\n".join(
        line for line in lines if "models.py" not in line or not line.endswith("[assignment]")
    )
