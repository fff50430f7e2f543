"""What generators make of a document."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.compatibility.documents import Sample
from benchmarks.workshop import ENVIRONMENT, Workshop
from specwright.emit.lock import LOCK, Contents

PACKAGE = "made"
SECONDS = 600
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document.

    Attributes:
        refusal: the message of our generator, if it made nothing.
        peers: for each peer, why it made nothing, or an empty text.
        mypy: how many errors of types the package has; None if it was not asked.
    """

    sample: Sample
    contents: Contents = field(default_factory=Contents)
    refusal: str = ""
    peers: Mapping[str, str] = field(default_factory=dict)
    mypy: int | None = None


def outcome(workshop: Workshop, sample: Sample, peers: Sequence[str], *, typed: bool) -> Outcome:
    """Run every generator on a document.

    Args:
        peers: those of the table that take part.
        typed: whether mypy is asked about the package, too.
    """
    place = workshop.fresh(sample.file.name)
    refusal = _ours(sample.file, place)
    return Outcome(
        sample,
        Contents() if refusal else _contents(place),
        refusal,
        {name: make(workshop, sample.file, place) for name, make in PEERS.items() if name in peers},
        _mypy(place) if typed and not refusal else None,
    )


def _ours(document: Path, place: Path) -> str:
    command = [sys.executable, "-m", "specwright", "generate", "--document", str(document)]
    return _refusal([*command, "--output", str(place / "out"), "--package", PACKAGE], place)


def _contents(place: Path) -> Contents:
    return Contents(**json.loads((place / "out" / LOCK).read_text("utf-8"))["contents"])


def _openapi_python_client(workshop: Workshop, document: Path, place: Path) -> str:
    command = workshop.command_of("openapi-python-client", "openapi-python-client")
    target = ["--meta", "none", "--overwrite", "--output-path", str(place / "peer")]
    return _refusal([command, "generate", "--path", str(document), *target], place)


def _datamodel_code_generator(workshop: Workshop, document: Path, place: Path) -> str:
    command = workshop.command_of("datamodel-code-generator", "datamodel-codegen")
    kind = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
    output = ["--output", str(place / "models.py")]
    return _refusal([command, "--input", str(document), *kind, *output], place)


PEERS = {
    "openapi-python-client": _openapi_python_client,
    # It makes models only.
    "datamodel-code-generator": _datamodel_code_generator,
}


def _refusal(command: list[str], place: Path) -> str:
    """Why a command fails, in a line; nothing if it does not."""
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(place / "cache")}
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s"
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line for line in said if "error" in line.lower()] or said or ["no reason given"]
    # Where the document lies is not for the page.
    words = re.sub(r"(/[^/\s]+)+/", "", errors[-1].strip())
    return words[:_SHOWN] if done.returncode else ""


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
