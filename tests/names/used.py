"""Generated code judged by ruff: every name that it uses is there, and nothing is without use."""

import subprocess
from pathlib import Path

from ruff import find_ruff_bin

# Imported and not used, defined twice, not defined, not what `__all__` says.
RULES = "E9,F401,F811,F821,F822,F823"
COMMAND = (find_ruff_bin(), "check", "--isolated", "--no-cache", "--ignore-noqa", "--quiet")
OPTIONS = ("--no-respect-gitignore", "--output-format", "concise", "--target-version", "py311")


def wrong_names(tree: Path) -> str:
    """Every name below a directory that is undefined, unused or taken twice."""
    done = subprocess.run(
        [*COMMAND, *OPTIONS, "--select", RULES, "."],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
