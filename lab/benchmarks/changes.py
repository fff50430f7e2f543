"""The cost of reviewing the changes of a large document, and the number of findings per edit."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.validation import CORPUS
from lab.benchmarks.workshop import DOCUMENT, ENVIRONMENT, Workshop

LARGE = CORPUS / "specs" / "github-2022-07.json"
EDITS = 250
OASDIFF = "oasdiff"
# A component that is used in both requests and responses.
_CONTRACT_EDIT = ("PlanId", "maxLength")


@dataclass(frozen=True, slots=True)
class Review:
    """The cost and the output of one command."""

    cpu: float
    memory: float
    output: bytes


def _reviewed(command: list[str]) -> Review:
    """Run a command; exit status 1 is allowed, as it means that there are findings."""
    with TemporaryFile() as output:
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(" ".join(command))
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Review(cpu * 1000, usage.ru_maxrss / 1024, output.read())


def _pair(workshop: Workshop) -> tuple[Path, Path]:
    """Write the document, and a copy in which many components require one property fewer."""
    directory = workshop.fresh("changes")
    data: dict[str, Any] = json.loads(LARGE.read_text("utf-8"))
    sides = directory / "base.json", directory / "revision.json"
    sides[0].write_text(json.dumps(data, indent=2), "utf-8")
    edited = [schema for schema in data["components"]["schemas"].values() if schema.get("required")]
    for schema in edited[:EDITS]:
        schema["required"] = schema["required"][1:]
    sides[1].write_text(json.dumps(data, indent=2), "utf-8")
    return sides


def _commands(workshop: Workshop) -> dict[str, list[str]]:
    if not LARGE.is_file():
        workshop.absent[OURS] = "needs the corpus: set SPECWRIGHT_CORPUS"
        return {}
    base, revision = map(str, _pair(workshop))
    commands = {OURS: ["specwright", "diff", base, revision, "--format", "json"]}
    if shutil.which(OASDIFF):
        commands[OASDIFF] = [OASDIFF, "changelog", base, revision, "--format", "json"]
    else:
        workshop.absent[OASDIFF] = "neither PyPI nor npm has it; it is taken from the path"
    return commands


def time(workshop: Workshop) -> Samples:
    commands = _commands(workshop)
    samples: Samples = {subject: [] for subject in commands}
    for _ in range(workshop.rounds):
        for subject, command in commands.items():
            samples[subject].append(_reviewed(command).cpu)
    return samples


def memory(workshop: Workshop) -> Samples:
    commands = _commands(workshop)
    return {subject: [_reviewed(command).memory] for subject, command in commands.items()}


def findings(workshop: Workshop) -> Samples:
    samples: Samples = {}
    for subject, command in _commands(workshop).items():
        said = json.loads(_reviewed(command).output)
        found = said["findings"] if subject == OURS else said
        samples[subject] = [len(found) / EDITS]
    return samples


def contract(workshop: Workshop) -> Samples:
    data = json.loads(DOCUMENT.read_text("utf-8"))
    name, keyword = _CONTRACT_EDIT
    data["components"]["schemas"][name][keyword] = 3
    revision = workshop.fresh("contract") / "revision.json"
    revision.write_text(json.dumps(data, indent=2), "utf-8")
    command = ["specwright", "diff", str(DOCUMENT), str(revision)]
    return {OURS: [_reviewed(command).cpu for _ in range(workshop.rounds)]}


CHANGES_TIME = Measurement(
    "changes-time",
    "Reviewing 250 edits of a document of 4.4 MB",
    "ms",
    "CPU time of `specwright diff` from start to end. Each edit makes a property of a component "
    "optional; every finding is proven by a value.",
    time,
    (Goal("at most 2,000 ms", lambda m: m[OURS] <= 2000),),
)
CHANGES_MEMORY = Measurement(
    "changes-memory",
    "Memory for these 250 edits",
    "MB",
    "The most that one process of the command held.",
    memory,
    (Goal("at most 500 MB", lambda m: m[OURS] <= 500),),
)
CHANGES_FINDINGS = Measurement(
    "changes-findings",
    "Findings for each of these 250 edits",
    "findings",
    "All levels, information included.",
    findings,
    (Goal("at most 1.5", lambda m: m[OURS] <= 1.5),),
)
CONTRACT_CHANGE = Measurement(
    "contract-change",
    "Reviewing one edit of this repository's contract",
    "ms",
    "CPU time of `specwright diff` from start to end.",
    contract,
    (Goal("at most 600 ms", lambda m: m[OURS] <= 600),),
)
