"""A process that tries documents, each in a process of its own that may take no more than this.

It reads directories from its input, one in a line. What becomes of the `api.json` in one is
written to its output as JSON: exit codes and messages of `validate` and `generate`, and all faults.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from specwright import pipeline
from specwright.cli import cli
from specwright.document.model import Document
from specwright.models import background
from specwright.models.generate import ModelSource
from tests.mutated_documents.judge import faults

# Loaded once, before the documents come.
PRELOADED = ("datamodel_code_generator.parser.openapi", "starlette.applications", "httpcore2")

CPU_SECONDS = 20
# Only what waits for something takes longer than its own time; this machine may be busy.
SECONDS = 180
BYTES = 1 << 30
PACKAGE = "made"


class HereAndNow:
    """Makes models in this process instead of a second one, which would be started each time."""

    def __enter__(self) -> HereAndNow:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was started."""

    def begin(self, document: Document) -> Callable[[], ModelSource]:
        return pipeline.at_once(document)


def main() -> None:
    for name in PRELOADED:
        __import__(name)
    background.ModelWorker = HereAndNow  # type: ignore[assignment,misc]
    for line in sys.stdin:
        place = Path(line.rstrip("\n"))
        outcome = place / "outcome.json"
        pid = os.fork()
        if pid == 0:
            _child(place, outcome)
        _, status = os.waitpid(pid, 0)
        found = json.loads(outcome.read_text()) if outcome.exists() else {"faults": []}
        if status:
            found["faults"].append(f"ended by {_reason(status)}")
        print(json.dumps(found), flush=True)


def _reason(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"exit code {os.WEXITSTATUS(status)}"
    name = signal.Signals(os.WTERMSIG(status)).name
    limits = {
        "SIGXCPU": f"{CPU_SECONDS} s",
        "SIGKILL": f"{CPU_SECONDS} s",
        "SIGALRM": f"{SECONDS} s",
    }
    return f"{name} ({limits[name]})" if name in limits else name


def _child(place: Path, outcome: Path) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    os.environ["XDG_CACHE_HOME"] = str(place / "cache")
    os.chdir(place)
    found: dict[str, Any] = {"faults": []}
    for step in (_validate, _generate, _judge):
        # Kept after each step: the next one may end the process.
        found["faults"] += step(found)
        outcome.write_text(json.dumps(found))
    os._exit(0)


def _validate(found: dict[str, Any]) -> Iterator[str]:
    yield from _command(found, "validate", "api.json")


def _generate(found: dict[str, Any]) -> Iterator[str]:
    options = ("--document", "api.json", "--output", "out", "--package", PACKAGE)
    yield from _command(found, "generate", *options)
    codes = found["validate"]["code"], found["generate"]["code"]
    # A reference that leads nowhere, and most of what breaks a rule, costs its element only.
    if codes in ((0, 1), (1, 2)):
        yield f"validate ends with {codes[0]}, generate with {codes[1]}"


def _command(found: dict[str, Any], name: str, *arguments: str) -> Iterator[str]:
    code, output = None, io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            cli.main([name, *arguments], prog_name="specwright")
        except SystemExit as end:
            code = end.code
        except BaseException:
            yield f"{name}: {traceback.format_exc(limit=-6)}"
    found[name] = {"code": code, "output": output.getvalue()[-1000:]}


def _judge(found: dict[str, Any]) -> Iterator[str]:
    if found["generate"]["code"] == 0:
        yield from faults(Path("out").resolve(), PACKAGE)
    elif Path("out").exists():
        yield "generate wrote something and failed"


if __name__ == "__main__":
    main()
