"""A document with odd edits ends in words or in a package that works, soon and in little memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.trial import corpus_documents, own_documents, trials

TOTAL, SAMPLE, TYPED, CHUNK = 2000, 40, 50, 10
MUTANTS = pytest.mark.mutants


@pytest.mark.parametrize("first", range(0, SAMPLE, CHUNK))
def test_a_mutant_of_our_own_documents(first: int, tmp_path: Path) -> None:
    wrong = [
        str(trial)
        for trial in trials(own_documents(), range(first, first + CHUNK), tmp_path)
        if trial.found["faults"]
    ]
    assert not wrong, "\n".join(wrong)


@MUTANTS
@pytest.mark.parametrize("first", range(0, TOTAL, CHUNK))
def test_a_mutant_of_any_document(first: int, tmp_path: Path, corpus: Path) -> None:
    documents = own_documents() | corpus_documents(corpus)
    wrong = [
        str(trial)
        for trial in trials(documents, range(first, first + CHUNK), tmp_path)
        if trial.found["faults"]
    ]
    assert not wrong, "\n".join(wrong)


@MUTANTS
def test_the_types_of_packages_are_sound(tmp_path: Path) -> None:
    outputs = [
        trial.place / "out"
        for trial in trials(own_documents(), range(TYPED), tmp_path)
        if (trial.place / "out").exists()
    ]
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}"]
    wrong = [
        f"{output}: {done.stdout}"
        for output in outputs
        if (
            done := subprocess.run(
                [*command, "--package", "made"],
                cwd=output,
                capture_output=True,
                text=True,
                check=False,
            )
        ).returncode
    ]
    assert len(outputs) > TYPED / 4
    assert not wrong, "\n".join(wrong)
