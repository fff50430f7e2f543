"""Files that a command follows: it runs again each time one of them changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from specwright.document.model import is_remote
from specwright.errors import InputError, SpecwrightError, UnreadableError
from specwright.report.terminal import say
from specwright.report.wording import counted, listed

# Short beside a run; looking at a hundred files takes less than a millisecond.
_PAUSE_SECONDS = 0.1
# The number of changed files in a line.
_SHOWN = 3


def follow(
    watched: Watched, run: Callable[[], object], rest: Callable[[], object] = lambda: None
) -> NoReturn:
    """Run once, and again each time a file changes, until the process is interrupted.

    Args:
        watched: the files; a run adds those that it reads.
        rest: called between runs.
    """
    while True:
        run()
        # Programs that read the lines know by this one that the run has ended.
        say(f"watching {counted(len(watched), 'file')} until Ctrl-C")
        rest()
        changed = sorted(map(os.path.relpath, watched.wait()))
        say(f"changed: {listed(changed, _SHOWN)}")


def refuse_remote(document: Path | str | None, command: str) -> None:
    """Refuse a document on another machine.

    Args:
        command: the command that uses it once.

    Raises:
        InputError: it is on another machine.
    """
    if isinstance(document, str):
        raise InputError(
            f"{document}: is on another machine, and cannot be watched",
            hint=f"watch a copy of it, or run it again: specwright {command} {document}",
        )


def places_of(error: SpecwrightError) -> Iterator[str]:
    """Yield files in which an error may be corrected."""
    if error.location is not None:
        yield error.location.file
    if isinstance(error, UnreadableError):
        yield error.file


class Watched:
    """Files, and their state when they were read."""

    def __init__(self) -> None:
        self._seen: dict[Path, object] = {}

    def __len__(self) -> int:
        return sum(state is not None and path.is_file() for path, state in self._seen.items())

    def notice(self, paths: Iterable[str | Path]) -> None:
        """Add files, and directories with all files below them, in their present state."""
        for path in paths:
            if not is_remote(str(path)):
                for file in _with_content(Path(path).absolute()):
                    self._seen.setdefault(file, _state(file))

    def wait(self) -> Sequence[Path]:
        """Return the files that have changed, once none has changed for a moment."""
        before, now = self._seen, self._now()
        while now == before or now != self._seen:
            self._seen = now
            time.sleep(_PAUSE_SECONDS)
            now = self._now()
        return [path for path, state in now.items() if state != before[path]]

    def _now(self) -> dict[Path, object]:
        return {path: _state(path) for path in self._seen}


def _with_content(path: Path) -> Iterator[Path]:
    yield path
    for directory, directories, files in os.walk(path):
        directories[:] = filter(_is_visible, directories)
        yield from (Path(directory, name) for name in (*directories, *files) if _is_visible(name))


def _state(path: Path) -> object:
    """Return a value that changes with the content of a file, or with the names in a directory."""
    try:
        if path.is_dir():
            return sorted(entry.name for entry in path.iterdir() if _is_visible(entry.name))
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_visible(name: str) -> bool:
    """Return whether a file may be a template, and not a temporary file of an editor."""
    return not name.startswith(".") and not name.endswith("~")
