"""The findings of `specwright diff` on two versions of a document, and its CPU time."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from lab.benchmarks.workshop import ENVIRONMENT


class Outcome(NamedTuple):
    """The outcome of a pair.

    Attributes:
        refusal: why a version cannot be used, if so.
        crash: the end of the error output of a failed run.
        seconds: of CPU time, from start to end.
    """

    base: str
    revision: str
    findings: list[dict[str, Any]]
    refusal: str
    crash: str
    seconds: float


def outcome(clone: Path, path: str, base: str, revision: str) -> Outcome:
    """Review the change of a document from one commit to another."""
    sides = [f"git:{commit}:{path}" for commit in (base, revision)]
    command = ["specwright", "diff", *sides, "--format", "json"]
    with TemporaryFile() as output, TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=clone, env=ENVIRONMENT, stdout=output, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        said, wrong = output.read(), errors.read().decode("utf-8", "replace").strip()
    seconds = usage.ru_utime + usage.ru_stime
    if code not in (0, 1):
        refusal, crash = (wrong, "") if code == 2 else ("", wrong[-2000:])
        return Outcome(base, revision, [], refusal, crash, seconds)
    return Outcome(base, revision, json.loads(said)["findings"], "", "", seconds)
