"""Restore a backup on a machine that dies twice in a row, in every way that it can.

A machine dies before a change of a name or before a sync. Of the names that were changed since the
last sync of the directory, each may be lost. The program prints a directory for each pair of
deaths, in which the second restore began with what the first had left.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from esim_service.store.drivers import restore as restores
from esim_service.store.drivers import sqlite_file

# The exit code of a machine that died, without the number of names that were not on disk.
DEAD = 100


class Machine:
    """A machine that dies before a step.

    Args:
        lost: a bit for each change of a name since the last sync of the directory: 1 undoes it.
    """

    def __init__(self, step: int, lost: int) -> None:
        self._left = step
        self._lost = lost
        self._changes: list[tuple[Path, Path]] = []
        self._rename = Path.rename

    def rename(self, source: Path, target: Path) -> None:
        self._step()
        self._rename(source, target)
        self._changes.append((source, target))

    def sync(self, path: Path) -> None:
        # Only the names matter: to the next process, what was written is there anyway.
        self._step()
        if path.is_dir():
            self._changes.clear()

    def _step(self) -> None:
        if self._left == 0:
            for number, (source, target) in reversed([*enumerate(self._changes)]):
                if self._lost >> number & 1:
                    self._rename(target, source)
            os._exit(DEAD + len(self._changes))
        self._left -= 1


def code_of(source: Path, path: Path, machine: Machine) -> int:
    """Restore in a process that is this machine; return its exit code."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    Path.rename = lambda self, target: machine.rename(self, target)  # type: ignore
    for module in (restores, sqlite_file):
        module.sync = machine.sync  # type: ignore
    restores.restore(source, path, lambda copied: None)
    os._exit(0)


def died(directory: Path, backup: str, place: str) -> Iterator[Path]:
    """Yield a copy of a directory for each way in which a machine dies that restores in it."""
    for step in count():
        lost = changes = 0
        while lost < 1 << changes:
            copied = directory.parent / f"{directory.name} {step}-{lost}"
            shutil.copytree(directory, copied)
            code = code_of(copied / backup, copied / place, Machine(step, lost))
            if code == 0:
                return
            changes = code - DEAD
            yield copied
            lost += 1


def main(directory: str, backup: str, place: str) -> None:
    for once in died(Path(directory), backup, place):
        for twice in died(once, backup, place):
            print(twice, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
