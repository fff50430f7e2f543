"""The examples run, and print the promised output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(root: Path, name: str) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(root / "generated")}
    done = subprocess.run(
        [sys.executable, root / "examples" / name],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_two_groups_of_the_stub_serve_the_client(root: Path) -> None:
    assert run(root, "two_groups.py") == [
        "trip-1: 2 x 4.50 = 9.00 USD",
        "the same order: True",
        "no eSIMs yet: 501 not_implemented",
    ]
