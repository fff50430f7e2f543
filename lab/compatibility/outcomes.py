"""The results of running the generators on a document."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.benchmarks.workshop import Workshop
from lab.compatibility.commands import refusal
from lab.compatibility.documents import Sample
from lab.compatibility.peers import Peers
from specwright.emit.manifest import LOCK, PackageContents

PACKAGE = "made"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one document.

    Attributes:
        refusal: the message of our generator, if it generated nothing.
        peers: for each peer, the reason it generated nothing, or an empty text.
        failure: why Python cannot import the package, if it cannot.
        mypy: the number of type errors in the package; None if mypy was not run.
    """

    sample: Sample
    contents: PackageContents = field(default_factory=PackageContents)
    refusal: str = ""
    peers: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""
    mypy: int | None = None

    def row(self) -> dict[str, Any]:
        """Return the outcome as JSON, without its document."""
        return {name: value for name, value in asdict(self).items() if name != "sample"}

    @classmethod
    def of_row(cls, sample: Sample, row: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a document from its JSON."""
        return cls(sample, **{**row, "contents": PackageContents(**row["contents"])})


def outcome(
    workshop: Workshop, sample: Sample, peers: Peers, names: Sequence[str], *, typed: bool
) -> Outcome:
    """Run every generator on a document.

    Args:
        names: the peers that take part.
        typed: whether to run mypy on the package, too.
    """
    place = workshop.fresh(sample.file.name)
    refused = _ours(sample.file, place)
    return Outcome(
        sample,
        PackageContents() if refused else _contents(place),
        refused,
        {name: peers.refusal(name, sample.file, place) for name in names},
        "" if refused else _failure(place),
        _mypy(place) if typed and not refused else None,
    )


def _ours(document: Path, place: Path) -> str:
    command = [sys.executable, "-m", "specwright", "generate", "--document", str(document)]
    return refusal([*command, "--output", str(place / "out"), "--package", PACKAGE], place)


def _contents(place: Path) -> PackageContents:
    return PackageContents(**json.loads((place / "out" / LOCK).read_text("utf-8"))["contents"])


def _failure(place: Path) -> str:
    modules = ", ".join(f"{PACKAGE}.{module}" for module in ("client", "models", "server"))
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}"],
        cwd=place / "out",
        capture_output=True,
        text=True,
    )
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def _mypy(place: Path) -> int:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "-p", PACKAGE]
    done = subprocess.run(
        [*command, "--cache-dir", str(place.parent / "mypy")],
        cwd=place / "out",
        env={**os.environ, "MYPYPATH": ""},
        capture_output=True,
        text=True,
    )
    return sum(": error:" in line for line in done.stdout.splitlines())
