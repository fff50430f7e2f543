"""The lines that each test reaches, measured with coverage.py in this process and its children.

What a test does itself is its own. What is done while it is set up belongs to every test of its
file: they share the servers and results that were made then.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from coverage import Coverage, CoverageData
from coverage.exceptions import DataError

from lab.mutants.rooms import ROOT, Row

Line = tuple[str, int]

# Before anything of the generated package's copy there is a line that says so.
_LINES_ABOVE_A_COPY = 1
_PROCESSES = """\
[run]
data_file = {file}
parallel = true
sigterm = true
context = ${{PYTEST_CURRENT_TEST-}}
include =
    {include}
patch = _exit
"""


@dataclass(frozen=True, slots=True)
class Reach:
    """The lines that the tests reach.

    Attributes:
        imported: lines that run before any test does.
        tests: ids of tests by line.
        own: lines that a test reaches in its own process, too.
    """

    imported: set[Line] = field(default_factory=set)
    tests: dict[Line, set[str]] = field(default_factory=lambda: defaultdict(set))
    own: set[Line] = field(default_factory=set)


class Measuring:
    """Coverage of the code of a room, in a directory of its own."""

    def __init__(self, rows: Iterable[Row], directory: Path) -> None:
        self._rows = list(rows)
        self._directory = directory
        self._include = [f"{ROOT / row.folder}/*" for row in self._rows]
        self._include += [f"*/{row.copies}/*" for row in self._rows if row.copies]
        directory.mkdir(parents=True)
        include = "\n    ".join(self._include)
        text = _PROCESSES.format(file=directory / "processes", include=include)
        (directory / "processes.ini").write_text(text, "utf-8")

    @contextmanager
    def processes(self) -> Iterator[None]:
        """Measure the processes that are started in this context."""
        os.environ["COVERAGE_PROCESS_START"] = str(self._directory / "processes.ini")
        yield
        del os.environ["COVERAGE_PROCESS_START"]

    def here(self, name: str) -> Coverage:
        """Return the coverage measurement of this process."""
        coverage = Coverage(
            data_file=str(self._directory / name),
            data_suffix=True,
            include=self._include,
            config_file=False,
            messages=False,
        )
        # Copies of a process that end at once have something to say, too.
        coverage.set_option("run:patch", ["_exit"])
        return coverage

    def reach(self, tests: Iterable[str]) -> Reach:
        """Read the measurements."""
        reach = Reach()
        by_file: dict[str, set[str]] = defaultdict(set)
        for test in tests:
            by_file[test.partition("::")[0]].add(test)
        for path in sorted(self._directory.glob("*")):
            # A process that was killed while it wrote leaves half a file.
            if path.suffix != ".ini":
                with suppress(DataError):
                    self._read(path, reach, by_file)
        return reach

    def _read(self, path: Path, reach: Reach, by_file: dict[str, set[str]]) -> None:
        data = CoverageData(str(path))
        data.read()
        for file in data.measured_files():
            if (place := self._place(file)) is None:
                continue
            name, above = place
            for line, contexts in data.contexts_by_lineno(file).items():
                at = (name, line - above)
                for context in contexts:
                    test, _, phase = context.rpartition(" ")
                    if not test:
                        if path.name.startswith("imported"):
                            reach.imported.add(at)
                        continue
                    of_file = by_file[test.partition("::")[0]]
                    reach.tests[at] |= {test} & of_file if phase == "(call)" else of_file
                    if not path.name.startswith("processes"):
                        reach.own.add(at)

    def _place(self, file: str) -> tuple[str, int] | None:
        path = Path(file)
        if path.is_relative_to(ROOT):
            for row in self._rows:
                if row.holds(path.relative_to(ROOT)):
                    return path.relative_to(ROOT).as_posix(), 0
        for row in self._rows:
            if row.copies and row.copies in path.parts:
                *_, inner = file.rpartition(f"/{row.copies}/")
                room = Path(row.folder.partition("/runtime")[0], "runtime")
                return (room / inner).as_posix(), _LINES_ABOVE_A_COPY
        return None
