"""The use of a command: its processor time, and the most memory that each process held (Linux)."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")
_SECONDS_BETWEEN = 0.02


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command and its processes used.

    Attributes:
        status: the exit code.
        cpu: seconds of all processes together.
        wall: seconds from start to end.
        memory: the most that each process held, in megabytes, the largest first.
    """

    status: int
    cpu: float
    wall: float
    memory: tuple[float, ...]

    @property
    def together(self) -> float:
        """An upper bound of the memory that all processes held at once, in megabytes."""
        return sum(self.memory)


def run(
    command: Sequence[str],
    place: Path,
    environment: Mapping[str, str],
    output: BinaryIO,
    until: Callable[[], bool] = lambda: False,
) -> Usage:
    """Run a command to its end, or until it is to be terminated.

    Memory is read from `/proc` every 20 ms; the system keeps the peak, so that only the growth of
    the last 20 ms of a process is missed.

    Args:
        output: receives what the command prints.
        until: asked all the time; the command is terminated as soon as it returns True.
    """
    peaks: dict[int, float] = {}
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=place, env=dict(environment), stdout=output, stderr=output
    )
    while True:
        for pid in _tree(process.pid):
            peaks[pid] = max(peaks.get(pid, 0.0), _peak(pid))
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if until():
            process.terminate()
        time.sleep(_SECONDS_BETWEEN)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    memory = tuple(sorted((peak for peak in peaks.values() if peak), reverse=True))
    return Usage(process.returncode, usage.ru_utime + usage.ru_stime, wall, memory)


def _tree(root: int) -> list[int]:
    """Return a process and all below it."""
    parents = {int(entry.name): _parent(entry) for entry in Path("/proc").glob("[0-9]*")}
    tree = [root]
    for pid in tree:
        tree += [child for child, parent in parents.items() if parent == pid]
    return tree


def _parent(entry: Path) -> int:
    try:
        # The name of the program is in parentheses, and may have spaces.
        return int((entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _peak(pid: int) -> float:
    try:
        found = _PEAK.search(Path(f"/proc/{pid}/status").read_text("ascii", "replace"))
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0
