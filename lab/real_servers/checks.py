"""The errors that mypy and pyright find in programs, and in programs with one mistake each."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CHECKERS = ("mypy", "pyright")


@dataclass(frozen=True, slots=True)
class Mistakes:
    """The results of one checker on one program.

    Attributes:
        errors: in the program as it is.
        noticed: the kinds of mistakes that cause another error.
        missed: the other kinds.
    """

    errors: int
    noticed: list[str]
    missed: list[str]


def edits(programs: Path, kind: str) -> dict[str, tuple[str, str]]:
    """Return the mistakes of a kind of program: the text, and what replaces it once."""
    rows = tomllib.loads((programs / "mistakes.toml").read_text("utf-8"))["mistakes"]
    # The asynchronous program differs in the words around calls.
    usual = kind.removesuffix("_async")
    return {row["kind"]: tuple(row.get(kind, row[usual])) for row in rows}


def checked(
    program: Path,
    mistakes: Mapping[str, tuple[str, str]],
    python: Path | str,
    packages: Sequence[Path],
    place: Path,
) -> dict[str, Mistakes]:
    """Check a program, and copies with one mistake each, with both checkers.

    Args:
        python: the interpreter of the environment that the program runs in.
        packages: directories of other modules that it imports.
        place: an empty directory.

    Raises:
        ValueError: a mistake changes nothing.
    """
    text = program.read_text("utf-8")
    files = {"": "program.py"}
    (place / files[""]).write_text(text, "utf-8")
    for number, (kind, (old, new)) in enumerate(mistakes.items()):
        if old not in text:
            raise ValueError(f"{program.name}: nothing to make a mistake in: {old!r}")
        files[kind] = f"mistake_{number}.py"
        (place / files[kind]).write_text(text.replace(old, new, 1), "utf-8")
    results = {}
    for checker, check in (("mypy", _mypy), ("pyright", _pyright)):
        errors = check(place, python, packages)
        counts = {kind: errors.count(file) for kind, file in files.items()}
        usual = counts.pop("")
        noticed = [kind for kind, count in counts.items() if count > usual]
        missed = [kind for kind in counts if kind not in noticed]
        results[checker] = Mistakes(usual, noticed, missed)
    return results


def _mypy(place: Path, python: Path | str, packages: Sequence[Path]) -> list[str]:
    """Return the name of the file of each error."""
    options = ("--strict", "--config-file=", "--no-error-summary", "--no-pretty")
    environment = ("--python-executable", str(python))
    path = ":".join(map(str, packages))
    done = subprocess.run(
        ["env", f"MYPYPATH={path}", sys.executable, "-m", "mypy", *options, *environment, "."],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    return [line.partition(":")[0] for line in done.stdout.splitlines() if ": error:" in line]


def _pyright(place: Path, python: Path | str, packages: Sequence[Path]) -> list[str]:
    settings = {"typeCheckingMode": "strict", "extraPaths": list(map(str, packages))}
    (place / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [str(Path(sys.executable).with_name("pyright")), "--outputjson"]
    done = subprocess.run(
        [*command, "--pythonpath", str(python), "--project", str(place)],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    return [
        Path(diagnostic["file"]).name
        for diagnostic in json.loads(done.stdout)["generalDiagnostics"]
        if diagnostic["severity"] == "error"
    ]
