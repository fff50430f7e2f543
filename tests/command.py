"""Run the command as a shell does, in this process, which has loaded it already."""

from __future__ import annotations

import signal
import subprocess
from contextlib import chdir
from pathlib import Path

# The process for models is a copy of this one, and need not load it.
import datamodel_code_generator.parser.openapi  # noqa: F401
from click.testing import CliRunner

from specwright.cli import cli

# The width and the colours of a terminal must not decide what a test sees.
_RUNNER = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"})


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Return the exit code and the output of `specwright` with these arguments.

    Raises:
        Exception: what the command raises, except for SystemExit.
    """
    given = [str(argument) for argument in arguments]
    terminated = signal.getsignal(signal.SIGTERM)
    try:
        with chdir(cwd):
            done = _RUNNER.invoke(cli, given, prog_name="specwright")
    finally:
        signal.signal(signal.SIGTERM, terminated)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(given, done.exit_code, done.stdout, done.stderr)
