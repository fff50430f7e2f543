"""Generators as commands, and why they fail."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from benchmarks.workshop import ENVIRONMENT

SECONDS = 600
_SHOWN = 160


def refusal(command: list[str], place: Path) -> str:
    """Why a command fails, in a line; nothing if it does not."""
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(place / "cache")}
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s"
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line for line in said if "error" in line.lower()] or said or ["no reason given"]
    # Where the document lies is not for the page.
    words = re.sub(r"(/[^/\s]+)+/", "", errors[-1].strip())
    return words[:_SHOWN] if done.returncode else ""
