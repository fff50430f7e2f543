"""A bug is a folder: its input, a command, and the output and files that are expected of it.

`bug.toml` has these keys:

- `about`: two sentences: the wrong result, and the cause.
- `command`: the command line without `specwright`. It runs in a copy of the folder.
- `files`: globs of the files of interest among those that the command writes; none by default.

`expected/output.txt` is the output followed by the exit code; beside it are the files. `nox -s
derive` writes them.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.command import run

HERE = Path(__file__).parent
BUGS = sorted(file.parent for file in HERE.glob("*/bug.toml"))
EXPECTED = "expected"
# Each module of the runtime is one more file of a package.
_VARYING = re.compile(r"\b\d+(?= (?:files|changed)\b)|\b\d+(?:\.\d+)?(?= m?s\b)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """The content of `bug.toml`."""

    about: str
    command: str
    files: Sequence[str] = ()


def read(place: Path) -> Bug:
    """Read the `bug.toml` of a folder.

    Raises:
        TypeError: a key is missing or unknown.
    """
    return Bug(**tomllib.loads((place / "bug.toml").read_text("utf-8")))


def made(place: Path) -> Mapping[str, str]:
    """Run the command of a folder; return the texts that belong in its `expected/`."""
    bug = read(place)
    leave = shutil.ignore_patterns("bug.toml", EXPECTED)
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory, place.name)
        shutil.copytree(place, copy, ignore=leave)
        done = run(*shlex.split(bug.command), cwd=copy)
        output = f"{done.stdout}{done.stderr}exit code {done.returncode}\n"
        written = sorted({file for pattern in bug.files for file in copy.glob(pattern)})
        files = {file.relative_to(copy).as_posix(): file.read_text("utf-8") for file in written}
    return {"output.txt": _VARYING.sub("…", output), **files}


MAKE = {place: partial(made, place) for place in BUGS}
