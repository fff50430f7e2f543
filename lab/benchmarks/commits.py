"""Compare two installations of the toolkit: CPU time and memory of commands on large documents.

`python -m lab.benchmarks.commits BASE REVISION DOCUMENT...` prints a table; BASE and REVISION are
the `specwright` commands of two environments, such as those of two commits. They take turns, so
that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import yaml

from lab.benchmarks.workshop import ENVIRONMENT

ADDRESS = re.compile(rb"http://\S+")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command and the processes that it waited for used.

    Attributes:
        cpu: seconds of all processes.
        memory: megabytes of the largest process.
    """

    cpu: float
    memory: float


def arguments(name: str, document: Path, place: Path) -> list[str]:
    """Return the arguments of a command for a document, which writes into an empty directory."""
    match name:
        case "generate":
            output = ["--output", str(place / "out"), "--package", "measured"]
            return [name, "--document", str(document), *output]
        case "docs":
            return [name, str(document), "--output", str(place / "page.html")]
        case "diff":
            revision = place / "revision.json"
            revision.write_text(json.dumps(edited(document), default=str), "utf-8")
            return [name, str(document), str(revision)]
    return [name, str(document)]


def edited(document: Path) -> Any:
    """Return the data of a document in which a component requires one property fewer."""
    data = yaml.load(document.read_text("utf-8"), yaml.CSafeLoader)
    schemas = data["components"]["schemas"].values()
    schema = next(schema for schema in schemas if schema.get("required"))
    schema["required"] = schema["required"][1:]
    return data


def run(command: str, name: str, document: Path) -> Usage:
    """Run a command once; `mock` is stopped as soon as it has an address."""
    with TemporaryDirectory() as directory, TemporaryFile() as output:
        place = Path(directory)
        line = [command, *arguments(name, document, place)]
        # The cache is in the directory: every run is cold.
        environment = {**ENVIRONMENT, "XDG_CACHE_HOME": directory}
        pipe = subprocess.PIPE if name == "mock" else output
        process = subprocess.Popen(line, cwd=place, env=environment, stdout=pipe, stderr=output)
        if process.stdout is not None:
            next((out for out in process.stdout if ADDRESS.search(out)), b"")
            process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            output.seek(0)
            raise RuntimeError(
                f"{' '.join(line)}\n{output.read().decode(errors='replace')[-2000:]}"
            )
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


COMMANDS = ("generate", "validate", "diff", "docs", "mock")


def rows(
    sides: tuple[str, str], documents: list[Path], names: list[str], rounds: int
) -> Iterator[str]:
    """Yield the rows of the table: the medians of both sides, and their ratios."""
    for document in documents:
        for name in names:
            used: tuple[list[Usage], list[Usage]] = [], []
            for _ in range(rounds):
                for side, usages in zip(sides, used, strict=True):
                    usages.append(run(side, name, document))
            cpu = [median(usage.cpu for usage in usages) for usages in used]
            memory = [median(usage.memory for usage in usages) for usages in used]
            yield (
                f"| {document.stem} | {name} "
                f"| {cpu[0]:.2f} | {cpu[1]:.2f} | {cpu[1] / cpu[0]:.2f} "
                f"| {memory[0]:.0f} | {memory[1]:.0f} | {memory[1] / memory[0]:.2f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.commits", description=__doc__)
    parser.add_argument("base")
    parser.add_argument("revision")
    parser.add_argument("document", nargs="+", type=Path)
    parser.add_argument("--command", action="append", choices=COMMANDS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| Document | Command | CPU, s | revision | ratio | Memory, MB | revision | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    sides = options.base, options.revision
    documents = [document.resolve() for document in options.document]
    for row in rows(sides, documents, options.command or [*COMMANDS], options.rounds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
