"""Formatting of Python source by ruff, independent of the user's settings for other code."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ruff import find_ruff_bin  # type: ignore[import-untyped]

from specwright.errors import Location, SpecwrightError
from specwright.isolation import Stopped, interrupts_deferred, limit_time

_SETTINGS = """\
line-length = 100
target-version = "py311"
# Independent of the surroundings of the temporary directory and of the names of files.
exclude = []
respect-gitignore = false
src = []

[lint]
select = ["I", "F401"]

[lint.isort]
combine-as-imports = true
known-first-party = []
split-on-trailing-comma = false

[format]
skip-magic-trailing-comma = true
"""
_CHECK = ("check", "--fix", "--quiet", "--ignore-noqa", "--exit-zero")
# Processor time.
_SECONDS = 20
_FORMAT = ("format", "--quiet")


def format_sources(sources: Mapping[str, str]) -> dict[str, str]:
    """Format Python files: imports sorted, unused ones removed, layout by `ruff format`."""
    if not sources:
        return {}
    try:
        with tempfile.TemporaryDirectory(prefix="specwright-") as name:
            return _formatted(sources, Path(name))
    except SpecwrightError:
        # ruff names its temporary file; the compiler finds the place in ours.
        for path, source in sources.items():
            verify(path, source)
        raise
    except OSError as error:
        message = f"{error.filename or 'ruff'}: {error.strerror}"
        raise SpecwrightError(f"Python files cannot be formatted: {message}") from error


def _formatted(sources: Mapping[str, str], directory: Path) -> dict[str, str]:
    (directory / "ruff.toml").write_text(_SETTINGS, encoding="utf-8")
    for path, source in sources.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8", newline="\n")
    _ruff(_CHECK, directory)
    _ruff(_FORMAT, directory)
    return {path: (directory / path).read_text(encoding="utf-8") for path in sources}


def verify(path: str, source: str | bytes) -> None:
    """Raise an error if Python source does not compile."""
    try:
        compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        text = source.decode("utf-8") if isinstance(source, bytes) else source
        written = text.splitlines()[line - 1 : line]
        raise SpecwrightError(
            f"the generated file is not Python: {error}: {' '.join(written).strip()}",
            Location(path, line, getattr(error, "offset", None) or 1),
            "nothing was written; check the template of this file, or report the document "
            "that causes it",
        ) from error


def _ruff(arguments: Sequence[str], directory: Path) -> None:
    command = [str(find_ruff_bin()), *arguments, "--config", "ruff.toml", "--no-cache", "."]
    with interrupts_deferred():
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Timers survive the exec of ruff.
            preexec_fn=None if sys.platform == "win32" else partial(limit_time, _SECONDS),
        )
    with process:
        output, errors = process.communicate()
    if process.returncode < 0 and Stopped.by(-process.returncode) is Stopped.TIME:
        raise SpecwrightError(f"the files are too large: ruff needs more than {_SECONDS} s")
    if process.returncode != 0:
        message = errors.strip() or output.strip()
        raise SpecwrightError(f"ruff {arguments[0]} failed", details=message.splitlines())
