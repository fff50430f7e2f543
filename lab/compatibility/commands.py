"""Generators run as commands, and the reasons for their failures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from lab.benchmarks.workshop import ENVIRONMENT

SECONDS = 600
_SHOWN = 160


def refusal(command: list[str], place: Path) -> str:
    """Return the reason a command fails, in one line, or an empty text if it succeeds."""
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(place / "cache")}
    try:
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s"
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    errors = [line for line in said if "error" in line.lower()] or said or ["no reason given"]
    # The directory of the document does not belong on the page.
    words = re.sub(r"(/[^/\s]+)+/", "", errors[-1].strip())
    return words[:_SHOWN] if done.returncode else ""
