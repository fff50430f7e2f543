"""Try mutants of the code: `python -m lab.mutants [ROOM …] [--changed BASE..HEAD]`."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from lab.measured import records
from lab.mutants import figures, serving
from lab.mutants.figures import Figures, Survivor
from lab.mutants.rooms import ROOMS, ROOT, row_of, rows
from lab.mutants.trials import End, Outcome, Wanted, run

# Seconds of each room; and of a change, in all: with its grace it stays within a minute.
ROOM_SECONDS = 600
CHANGE_SECONDS = 45
# The part of the time in which tests are measured: a change has few mutants.
MEASURING = 0.5
WORKERS = os.cpu_count() or 1

_FILE = re.compile(r"\+\+\+ b/(.*)")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def main() -> None:
    """Try mutants, print survivors; without --changed, write the page."""
    parser = argparse.ArgumentParser(prog="python -m lab.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}")
    parser.add_argument("--changed", metavar="BASE..HEAD", help="only lines of these commits")
    parser.add_argument("--seconds", type=float, help="of each room; of a change, in all")
    given = parser.parse_args()
    if unknown := set(given.rooms) - set(ROOMS):
        parser.error(f"{', '.join(sorted(unknown))}: must be of {', '.join(ROOMS)}")
    with serving.started_everywhere():
        if given.changed:
            _change(given.changed, given.seconds or CHANGE_SECONDS)
        else:
            _rooms(given.rooms or ROOMS, given.seconds or ROOM_SECONDS)


def _rooms(rooms: tuple[str, ...] | list[str], seconds: float) -> None:
    for room in rooms:
        record = records.current(f"mutants {room}")
        if outcome := tried(Wanted(room, seconds, MEASURING, WORKERS)):
            records.keep(f"mutants {room}", record)
            figures.save({**figures.load(), room: _figures(outcome)})
            _say(room, outcome)
    known = figures.load()
    figures.PAGE.write_text(figures.render(known, figures.words()), "utf-8")
    for room, count in figures.unsaid(known).items():
        print(f"{room}: {count} survivors without a word in {figures.WORDS.relative_to(ROOT)}")


def _change(revisions: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    lines = changed_lines(revisions)
    changed = {row.room for file in lines if (row := row_of(Path(file)))}
    if not changed:
        print(f"no line of {revisions} is in {', '.join(ROOMS)}")
    for left, room in zip(range(len(changed), 0, -1), sorted(changed), strict=True):
        wanted = Wanted(room, (end - time.monotonic()) / left, MEASURING, WORKERS, lines)
        if (outcome := tried(wanted)) and outcome.mutants:
            _say(room, outcome)


def changed_lines(revisions: str, root: Path = ROOT) -> dict[str, set[int]]:
    """Return the lines, by file, that commits added or changed."""
    command = ("git", "diff", "--unified=0", "--no-color", "--find-renames", revisions)
    done = subprocess.run(
        [*command, "--", "*.py"], cwd=root, check=True, capture_output=True, text=True
    )
    return dict(_lines(done.stdout.splitlines()))


def _lines(diff: list[str]) -> Iterator[tuple[str, set[int]]]:
    lines: set[int] = set()
    for line in diff:
        if file := _FILE.fullmatch(line):
            lines = set()
            yield file[1], lines
        elif hunk := _HUNK.match(line):
            start = int(hunk[1])
            lines.update(range(start, start + int(hunk[2] or 1)))


def tried(wanted: Wanted) -> Outcome | None:
    """Try mutants in a process of their own; return None if it was not in time."""
    context = get_context("spawn")
    with _postgres(wanted.room), ProcessPoolExecutor(1, context) as pool:
        try:
            return pool.submit(run, wanted).result()
        except BrokenProcessPool:
            print(f"{wanted.room}: {wanted.seconds:.0f} seconds are too few to collect the tests")
            return None


@contextmanager
def _postgres(room: str) -> Iterator[None]:
    if "ESIM_TEST_POSTGRES" in os.environ or not any(row.postgres for row in rows(room)):
        yield
        return
    # Slow to import.
    from tests.service import postgres_server

    server = postgres_server.start()
    os.environ["ESIM_TEST_POSTGRES"] = server.get_uri()
    try:
        yield
    finally:
        del os.environ["ESIM_TEST_POSTGRES"]
        server.cleanup()


def _figures(outcome: Outcome) -> Figures:
    ends = [trial.end for trial in outcome.trials]
    survivors = [
        Survivor(
            *(trial.name.file, trial.name.function, trial.name.edit, trial.name.nth),
            reached=trial.end is End.SURVIVED,
            processes=trial.processes,
            cut=trial.cut,
        )
        for trial in outcome.trials
        if trial.end in (End.SURVIVED, End.UNREACHED)
    ]
    killed, timeouts = ends.count(End.KILLED), ends.count(End.TIMEOUT)
    return Figures(outcome.mutants, len(ends), killed, timeouts, survivors)


def _say(room: str, outcome: Outcome) -> None:
    row = _figures(outcome)
    counts = f"{row.killed} killed, {row.timeouts} timeouts, {len(row.survivors)} survive"
    print(
        f"{room}: {row.tried} of {row.mutants} mutants tried with {outcome.tests} tests in"
        f" {outcome.seconds:.0f} s: {counts} ({row.percent} % killed)"
    )
    said = figures.words()
    for trial in sorted(outcome.trials, key=lambda trial: (trial.name.file, trial.line)):
        if trial.end in (End.SURVIVED, End.UNREACHED):
            name = trial.name
            word = said.get((name.file, name.function, name.edit, name.nth), trial.end)
            print(f"  {name.file}:{trial.line} {name.function}: {name.edit} ({word})")
    for test in outcome.failing:
        print(f"  not used, as it fails without any edit: {test}")


if __name__ == "__main__":
    main()
