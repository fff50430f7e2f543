"""Changes of several files that happen all or not at all."""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from specwright.errors import SpecwrightError
from specwright.files import why_not_written

Undo = list[Callable[[], object]]


def replace_files(
    directory: Path, write: Mapping[str, bytes], delete: Collection[str] = ()
) -> None:
    """Write and delete files below a directory; on any failure its old state is restored.

    New content is first written next to the directory, so that a full disk is noticed before
    anything changes. A file is never half written.

    Raises:
        SpecwrightError: the operating system refused.
    """
    directory = directory.resolve()
    try:
        with _undone_on_failure() as undo:
            _make_directory(directory.parent, undo)
            with tempfile.TemporaryDirectory(
                prefix=_staging(directory), dir=directory.parent, ignore_cleanup_errors=True
            ) as staging:
                _change(_Changes(directory, Path(staging)), write, delete)
    except OSError as error:
        place = Path(error.filename2 or error.filename or directory)
        if any(part.startswith(_staging(directory)) for part in place.parts):
            place = directory
        raise SpecwrightError(
            f"{place}: cannot be written: {why_not_written(error)}",
            hint=f"nothing in {directory} has changed; choose another place, or check its "
            "permissions and the free space",
        ) from error


def _staging(directory: Path) -> str:
    """Return how the name of the temporary directory beside a directory begins."""
    return f".{directory.name}-"


def _change(changes: _Changes, write: Mapping[str, bytes], delete: Collection[str]) -> None:
    staged = {path: changes.stage(content) for path, content in write.items()}
    with _undone_on_failure() as undo:
        for path in delete:
            changes.remove(path, undo)
        for path, file in staged.items():
            changes.put(file, path, undo)


@dataclass(slots=True)
class _Changes:
    """Single changes below a directory, each of which first records how to undo it."""

    directory: Path
    staging: Path
    files: int = field(default=0)

    def stage(self, content: bytes) -> Path:
        file = self._beside()
        file.write_bytes(content)
        return file

    def put(self, file: Path, path: str, undo: Undo) -> None:
        target = self.directory / path
        _make_directory(target.parent, undo)
        if target.exists():
            self._keep(target, undo)
            shutil.copymode(target, file)
        else:
            undo.append(partial(target.unlink, missing_ok=True))
        file.replace(target)

    def remove(self, path: str, undo: Undo) -> None:
        target = self.directory / path
        self._keep(target, undo)
        target.unlink()
        for parent in target.relative_to(self.directory).parents[:-1]:
            emptied = self.directory / parent
            undo.append(partial(emptied.mkdir, exist_ok=True))
            try:
                emptied.rmdir()
            except OSError:
                return

    def _keep(self, target: Path, undo: Undo) -> None:
        copy = self._beside()
        shutil.copy2(target, copy)
        undo.append(partial(copy.replace, target))

    def _beside(self) -> Path:
        self.files += 1
        return self.staging / str(self.files)


@contextmanager
def _undone_on_failure() -> Iterator[Undo]:
    undo: Undo = []
    try:
        yield undo
    except BaseException:
        with _interrupts_ignored():
            for step in reversed(undo):
                with suppress(OSError):
                    step()
        raise


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore a second Ctrl-C while changes are undone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(interrupt, signal.SIG_IGN) for interrupt in interrupts]
    try:
        yield
    finally:
        for each, handler in zip(interrupts, before, strict=True):
            signal.signal(each, handler)


def _make_directory(path: Path, undo: Undo) -> None:
    if not path.is_dir():
        _make_directory(path.parent, undo)
        undo.append(path.rmdir)
        path.mkdir()
