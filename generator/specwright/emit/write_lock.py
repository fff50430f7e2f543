"""One writer at a time in an output directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from specwright.errors import SpecwrightError
from specwright.files import why_not_written


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Keep other runs out of a directory until the block, or the process, ends.

    The operating system holds the lock, so a process that is killed leaves nothing behind.

    Raises:
        SpecwrightError: another run writes there, or the directory cannot be created.
    """
    missing: list[Path] = []
    try:
        missing += (path for path in (directory, *directory.parents) if not path.exists())
        directory.mkdir(parents=True, exist_ok=True)
        claim = _claim(directory)
    except BlockingIOError:
        # The directory belongs to the other run now, even if this one created it.
        raise SpecwrightError(
            f"{directory}: another run of specwright is writing here; nothing was written",
            hint="run the command again when the other run has ended",
        ) from None
    except OSError as error:
        if not directory.is_dir():
            _remove_empty(missing)
        raise SpecwrightError(
            f"{error.filename or directory}: cannot be written: {why_not_written(error)}",
            hint="choose another directory, or check its permissions and the free space",
        ) from error
    try:
        yield
    finally:
        # Before another run can claim them.
        _remove_empty(missing)
        os.close(claim)


def _remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories, the innermost first; those with other content stay."""
    for directory in directories:
        with suppress(OSError):
            directory.rmdir()


if sys.platform == "win32":
    import msvcrt

    def _claim(directory: Path) -> int:
        # Windows locks only files, and this one has no content to lose.
        place = directory.resolve()
        claim = os.open(place.with_name(f".{place.name}.lock"), os.O_RDWR | os.O_CREAT)
        try:
            msvcrt.locking(claim, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(claim)
            raise BlockingIOError from None
        return claim

else:
    import fcntl

    def _claim(directory: Path) -> int:
        claim = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_there(directory, claim):
                # The other run failed, and removed the directory that it had created.
                raise BlockingIOError
        except OSError:
            os.close(claim)
            raise
        return claim

    def _is_there(directory: Path, claim: int) -> bool:
        """Return whether a directory is the one that was opened."""
        try:
            return os.path.samestat(os.fstat(claim), directory.stat())
        except FileNotFoundError:
            return False
