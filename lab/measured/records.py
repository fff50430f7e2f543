"""The records of measurements: the date, the commit, and a digest of the code that was measured.

A digest is of the contents, so that a shallow clone can compare it, and a commit that was rebased
or squashed since does no harm.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from lab.measured.table import BY_KEY

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_suffix(".json")
_DIGITS = 8
# What measurements store: figures are not the code that was measured.
_FIGURES = "lab/**/*.json"


@dataclass(frozen=True, slots=True)
class Record:
    """When figures were measured, and of which code.

    Attributes:
        day: the date, in ISO 8601.
        commit: the first digits of the commit that was checked out.
        digests: a digest for each path that was measured and existed.
    """

    day: str
    commit: str
    digests: Mapping[str, str]

    @property
    def words(self) -> str:
        """The date and the commit, as pages have them."""
        return f"on {self.day} at commit `{self.commit}`"

    def changed(self, paths: Iterable[str], top: Path = ROOT) -> list[str]:
        """Return those of some paths whose contents are not what was measured."""
        now = digests(paths, top)
        return [path for path in paths if now.get(path) != self.digests.get(path)]


def load() -> dict[str, Record]:
    """Return the record of each measurement, by its key."""
    records = json.loads(FILE.read_text("utf-8"))
    return {key: Record(**record) for key, record in records.items()}


def words(key: str) -> str:
    """Return the date and the commit of a measurement."""
    return load()[key].words


def current(key: str, top: Path = ROOT) -> Record:
    """Return the record of a measurement that begins now."""
    commit = _git(top, "rev-parse", "HEAD")[:_DIGITS]
    return Record(date.today().isoformat(), commit, digests(BY_KEY[key].paths, top))


def keep(key: str, record: Record) -> None:
    """Store the record of a measurement that was completed."""
    records = {**load(), key: record}
    content = {name: asdict(records[name]) for name in BY_KEY if name in records}
    FILE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def digests(paths: Iterable[str], top: Path = ROOT) -> dict[str, str]:
    """Return a digest of each path: of the names and contents of its files that git tracks.

    Files with figures do not count, or a run would change what it measured.
    """
    code = ("ls-files", "-z", "--", f":(exclude,glob){_FIGURES}")
    tracked = {path: _git(top, *code, path).split("\0")[:-1] for path in paths}
    return {path: _digest(files, top) for path, files in tracked.items() if files}


def _digest(files: Iterable[str], top: Path) -> str:
    whole = hashlib.sha256()
    for name in sorted(files):
        file = top / name
        # A deleted file is tracked until the deletion is staged.
        content = file.read_bytes() if file.is_file() else b""
        whole.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()[: 2 * _DIGITS]


def _git(top: Path, *arguments: str) -> str:
    command = ["git", "-C", str(top), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip("\n")
