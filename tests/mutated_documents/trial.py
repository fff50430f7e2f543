"""Mutants of known documents, each tried with a limit of time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.mutated_documents.mutate import mutant

# Large documents take long, and say little that small ones do not.
LARGEST = 400_000
# What is wrong with these before anything is changed, and is not for this test to say again.
LEFT_OUT = {"adyen-terminal.json": "a pattern that is too large to be compiled"}


@dataclass(frozen=True)
class Trial:
    """The result of one mutant."""

    seed: str
    edits: list[str]
    place: Path
    found: dict[str, Any]

    @property
    def is_generated(self) -> bool:
        """Whether there is a package."""
        return self.found.get("generate", {}).get("code") == 0

    def __str__(self) -> str:
        return "\n  ".join([self.seed, *self.edits, *self.found["faults"]])


def small_documents() -> dict[str, dict[str, Any]]:
    """The inputs of golden cases."""
    return {path.parent.name: read(path) for path in sorted(ROOT.glob("tests/golden/*/input.*"))}


def all_documents(corpus: Path) -> dict[str, dict[str, Any]]:
    """The documents of this repository, and other people's of moderate size."""
    paths = [path for path in sorted((corpus / "specs").iterdir()) if path.name != "index.json"]
    moderate = [path for path in paths if path.stat().st_size < LARGEST]
    theirs = {path.name: read(path) for path in moderate if path.name not in LEFT_OUT}
    return {**small_documents(), "spec": read(ROOT / "spec" / "openapi.json"), **theirs}


def read(path: Path) -> dict[str, Any]:
    text = path.read_text("utf-8")
    data = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    # What YAML has and JSON has not, such as dates.
    return json.loads(json.dumps(data, default=str))


def trials(
    documents: dict[str, dict[str, Any]], numbers: Iterable[int], place: Path
) -> Iterator[Trial]:
    """Try mutants, which are numbered: a number always stands for the same one."""
    command = [sys.executable, "-m", "tests.mutated_documents.worker"]
    names = list(documents)
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        for number in numbers:
            name = names[number % len(names)]
            seed = f"{name} {number}"
            data, edits = mutant(documents[name], seed)
            directory = place / str(number)
            directory.mkdir()
            (directory / "api.json").write_text(json.dumps(data))
            print(directory, file=worker.stdin, flush=True)
            yield Trial(seed, edits, directory, json.loads(worker.stdout.readline()))
