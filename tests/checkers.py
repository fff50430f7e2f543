"""The output of type checkers for a directory of programs, in their strictest mode."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_MYPY = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+): error: (?P<said>.*?)(  \[[a-z-]+\])?$")


def mypy(place: Path, packages: Sequence[str] = ()) -> list[str]:
    """The errors of mypy as `file:line: message`; packages are directories to import from."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--no-error-summary"]
    command.append("--explicit-package-bases")
    cache = f"--cache-dir={place.parent / 'mypy_cache'}"
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(packages)}
    done = _run([*command, cache, "."], place, environment)
    if done.returncode > 1:
        raise AssertionError(done.stdout + done.stderr)
    found = (_MYPY.match(line) for line in done.stdout.splitlines())
    return [f"{error['file']}:{error['line']}: {error['said']}" for error in found if error]


def pyright(place: Path, packages: Sequence[str] = ()) -> list[str]:
    """The errors of pyright as `file:line: message`, its first line."""
    settings = {"typeCheckingMode": "strict", "include": ["."], "extraPaths": list(packages)}
    (place / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = _run([*command, "--project", "."], place, dict(os.environ))
    try:
        found = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        raise AssertionError(done.stdout + done.stderr) from None
    return [
        f"{Path(error['file']).relative_to(place.resolve())}"
        f":{error['range']['start']['line'] + 1}: " + error["message"].splitlines()[0]
        for error in found
        if error["severity"] == "error"
    ]


def _run(
    command: list[str], place: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
