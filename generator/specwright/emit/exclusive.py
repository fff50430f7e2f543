"""One writer at a time in an output directory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from specwright.errors import SpecwrightError


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Keep other runs out of a directory until the block, or the process, ends.

    The operating system holds the claim, so nothing is left behind by a process that is killed.

    Raises:
        SpecwrightError: another run writes there, or the directory cannot be made.
    """
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    try:
        try:
            directory.mkdir(parents=True, exist_ok=True)
            claim = _claim(directory)
        except BlockingIOError:
            raise SpecwrightError(
                f"{directory}: another run of specwright is writing here; nothing was written",
                hint="run the command again when the other one has ended",
            ) from None
        except OSError as error:
            raise SpecwrightError(
                f"{error.filename or directory}: cannot be written: {error.strerror}"
            ) from error
        try:
            yield
        finally:
            os.close(claim)
    finally:
        for each in missing:
            # It stays if something was written into it.
            with suppress(OSError):
                each.rmdir()


if sys.platform == "win32":
    import msvcrt

    def _claim(directory: Path) -> int:
        # Windows locks files only, and this one has no content to lose.
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
            if not os.path.samestat(os.fstat(claim), directory.stat()):
                # The other run failed, and took the directory with it that it had made.
                raise BlockingIOError
        except OSError:
            os.close(claim)
            raise
        return claim
