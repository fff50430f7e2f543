"""A project directory with generated files in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from specwright.emit.fileset import FileSet
from specwright.emit.manifest import Origin, locked
from specwright.emit.write import write

FIRST = {"a.py": b"a = 1\n", "p/b.py": b"b = 1\n", "p/q/c.py": b"c = 1\n"}
SECOND = {"a.py": b"a = 2\n", "p/b.py": b"b = 1\n", "r/d.py": b"d = 1\n"}


def fileset(files: Mapping[str, bytes], document: str = "0") -> FileSet:
    return locked(files, Origin({"specwright": "1"}, document, {"package": "p"}))


def snapshot(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Content and time of every file below a directory."""
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A directory that `FIRST` was generated into."""
    directory = tmp_path / "generated"
    write(fileset(FIRST), directory)
    return directory
