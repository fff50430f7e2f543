"""The environment of the archive: `python -m lab.archive.environment` makes it."""

from __future__ import annotations

from pathlib import Path

from lab.benchmarks.peers import Peer
from lab.benchmarks.workshop import environment

HOME = Path(__file__).parents[2] / ".nox" / "archive-server"
PYTHON = HOME / "bin" / "python"
_PACKAGES = Peer("archive", ("litestar==2.25.0", "uvicorn==0.54.0"))


def python() -> Path:
    """Return the interpreter of the environment, which is created on first use."""
    return environment(HOME, _PACKAGES)


if __name__ == "__main__":
    python()
