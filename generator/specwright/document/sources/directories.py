"""Files below the directories that a document may refer to."""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from pathlib import Path

from specwright.document.sources.bundle import LeadsOut
from specwright.files import read_regular


class Directories:
    """The directory of a document, and others with files that it may refer to."""

    def __init__(self, document: str, others: Iterable[Path]) -> None:
        self._directories = [os.path.realpath(path) for path in (Path(document).parent, *others)]

    def beside(self, file: str, path: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(file), path))  # noqa: PTH118, PTH120

    def identity(self, file: str) -> str:
        return os.path.realpath(file)

    def read(self, file: str) -> bytes:
        real = Path(os.path.realpath(file))
        if not any(real.is_relative_to(directory) for directory in self._directories):
            raise LeadsOut(file)
        return read_regular(real)
