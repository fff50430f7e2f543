"""The trial of the mutants of one room, in copies of a process that has collected its tests.

The process forks. A copy measures the tests of one file, or mutates the functions it has and runs
the tests that reach the edit, until one fails. What runs at import is tried by a new process.
"""

from __future__ import annotations

import gc
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from json import dumps, loads
from pathlib import Path
from types import FunctionType

import pytest
from coverage import Coverage
from hypothesis import settings

from lab.mutants import serving
from lab.mutants.mutants import Edit, Mutant, mutants, sampled
from lab.mutants.reach import Measuring, Reach
from lab.mutants.rooms import ROOT, Row, files, rows

# A mutant may cost so many seconds of the processor in tests, which are the same under load; those
# of the cheapest files come first.
_COST = 20.0
_PATIENCE = 4
_LEAST_SECONDS = 40.0
_MEMORY = 4 << 30
# The part of the time that what is running at its end may still take.
_GRACE = 0.05
_POLL_SECONDS = 0.01
_NOT_TRIED = 99


class End(StrEnum):
    """How the trial of a mutant ended."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True)
class Trial:
    """The end of a mutant.

    Attributes:
        processes: whether tests reach it only in processes that they start.
        cut: whether more tests may reach it than there was time for.
    """

    name: Edit
    line: int
    end: End
    processes: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run over a room.

    Attributes:
        mutants: how many there are, tried or not.
        failing: tests that fail without any edit, and were left out.
    """

    mutants: int
    trials: list[Trial]
    failing: list[str]
    tests: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """The selection of mutants to try.

    Attributes:
        lines: by file, if only these are of interest; tests among these files come first.
        share: of the seconds that measuring may take.
    """

    room: str
    seconds: float
    share: float
    workers: int
    lines: dict[str, set[int]] | None = None


def run(wanted: Wanted) -> Outcome:
    """Try mutants of a room until the time is over.

    Collecting the tests cannot be stopped otherwise: a process that is late ends, without a result.
    """
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, (1 + 2 * _GRACE) * wanted.seconds)
    os.chdir(ROOT)
    found = sampled(list(_mutants(wanted)))
    parts = [row for row in rows(wanted.room) if any(_of(row, mutant, wanted) for mutant in found)]
    if not parts:
        return Outcome(0, [], [], 0, 0.0)
    arguments = list(dict.fromkeys(test for row in parts for test in row.tests))
    directory = Path(tempfile.mkdtemp(prefix="mutation-"))
    settings.register_profile("mutation", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutation")
    trials = _Trials(wanted, found, directory, start)
    try:
        quiet = ("-q", "--no-header", "-s", "-p", "no:cacheprovider", "-p", "no:xdist")
        with Path(os.devnull).open("w") as null:
            said, sys.stdout = sys.stdout, null
            code = pytest.main([*quiet, "--hypothesis-profile=mutation", *arguments], [trials])
            sys.stdout = said
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(f"pytest ends with {code!r}") from trials.error
        return trials.outcome()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        shutil.rmtree(directory, ignore_errors=True)


def _mutants(wanted: Wanted) -> Iterator[Mutant]:
    for path in files(wanted.room):
        lines = None if wanted.lines is None else wanted.lines.get(path.as_posix(), set())
        if lines != set():
            for mutant in mutants(path, ROOT):
                if lines is None or lines.intersection(mutant.lines):
                    yield mutant


def _of(row: Row, mutant: Mutant, wanted: Wanted) -> bool:
    path = Path(mutant.name.file)
    return next(candidate for candidate in rows(wanted.room) if candidate.holds(path)) is row


@dataclass(slots=True)
class _Task:
    """Work for a copy of the process."""

    work: Callable[[], int]
    limit: float
    mutant: Mutant | None = None
    pid: int = 0
    begun: float = 0.0


class _Trials:
    """A plugin of pytest that has collected all tests, and runs them as it likes."""

    def __init__(
        self, wanted: Wanted, found: Sequence[Mutant], directory: Path, start: float
    ) -> None:
        self._wanted = wanted
        self._found = found
        self._directory = directory
        self._start = start
        self._measuring = Measuring(rows(wanted.room), directory / "reach")
        self._imports = self._measuring.here("imported")
        self._coverage: Coverage | None = None
        self._seconds: dict[str, float] = defaultdict(float)
        self._costs: dict[str, float] = defaultdict(float)
        self._bad: set[str] = set()
        self._trials: list[Trial] = []
        self.error: BaseException | None = None
        self._imports.start()

    def outcome(self) -> Outcome:
        """Return the result of the run."""
        took = time.monotonic() - self._start
        failing = sorted(self._bad)
        return Outcome(len(self._found), self._trials, failing, len(self._seconds), took)

    # Collected: now the rest happens in copies.

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._imports.stop()
        self._imports.save()
        try:
            self._run(session)
        except BaseException as error:
            self.error = error
            raise
        return True

    def _run(self, session: pytest.Session) -> None:
        by_file: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            by_file[_file(item)].append(item)
        end = self._start + self._wanted.seconds * self._wanted.share
        measured = (
            _Task(lambda file=file, items=items: self._measure(session, file, items), 600.0)
            for file, items in sorted(by_file.items(), key=self._distance)
        )
        for _ in self._in_copies(measured, end):
            pass
        for path in sorted(self._directory.glob("seconds-*")):
            seconds, costs, bad = loads(path.read_text("utf-8"))
            self._seconds.update(seconds)
            self._costs.update(costs)
            self._bad.update(bad)
        reach = self._measuring.reach(self._seconds.keys() - self._bad)
        items = {item.nodeid: item for item in session.items}
        self._functions = self._living()
        # Copies share the memory of what they do not touch.
        gc.freeze()
        self._try_all(session, items, reach)

    def _distance(self, tests: tuple[str, object]) -> int:
        """Return how far the tests of a file are from a change: in it, about it, or neither."""
        lines = self._wanted.lines or {}
        if tests[0] in lines:
            return 0
        text = (ROOT / tests[0]).read_text("utf-8")
        return 2 - any(re.search(rf"\b{Path(file).stem}\b", text) for file in lines)

    def _try_all(
        self, session: pytest.Session, items: dict[str, pytest.Item], reach: Reach
    ) -> None:
        of_file: dict[str, set[str]] = defaultdict(set)
        for (file, _), tests in reach.tests.items():
            of_file[file] |= tests
        own_files = {file for file, _ in reach.own}
        usable = self._seconds.keys() - self._bad
        # There was no time to measure all tests.
        unknown = len(self._seconds) < len(items)
        told: dict[Edit, tuple[bool, bool]] = {}

        def tasks() -> Iterator[_Task]:
            for mutant in self._found:
                lines = [(mutant.name.file, line) for line in mutant.lines]
                once = not mutant.inside or any(line in reach.imported for line in lines)
                tests = {test for line in lines for test in reach.tests.get(line, ())}
                if once:
                    # A table that is read from elsewhere is reached by no test of its own.
                    tests |= of_file[mutant.name.file] or usable
                own = any(line in reach.own for line in lines)
                own |= once and mutant.name.file in own_files
                told[mutant.name] = (not own, False)
                if not tests:
                    if not unknown:
                        self._add(mutant, End.UNREACHED, told)
                    continue
                chosen = self._chosen([items[test] for test in tests])
                told[mutant.name] = (not own, unknown or len(chosen) < len(tests))
                expected = sum(self._seconds[item.nodeid] for item in chosen)
                limit = _LEAST_SECONDS + _PATIENCE * expected
                yield _Task(self._trial(session, mutant, chosen, once), limit, mutant)

        end = self._start + self._wanted.seconds
        self._check(session, items, end)
        for task, code in self._in_copies(tasks(), end):
            assert task.mutant is not None
            if code == _NOT_TRIED:
                raise RuntimeError(f"no trial of {task.mutant.name}")
            ends = {None: End.TIMEOUT, 0: End.SURVIVED}
            self._add(task.mutant, ends.get(code, End.KILLED), told)

    def _check(self, session: pytest.Session, items: dict[str, pytest.Item], end: float) -> None:
        """Try an edit that changes nothing, in both ways; if it is killed, no figure is true."""
        quick = sorted(self._seconds.keys() - self._bad, key=self._seconds.__getitem__)[:1]
        none = self._found[0].undone()
        both = (
            _Task(
                self._trial(session, none, [items[test] for test in quick], once),
                2 * _LEAST_SECONDS,
            )
            for once in (False, True)
            if quick
        )
        for _, code in self._in_copies(both, end):
            if code:
                raise RuntimeError(f"an edit that changes nothing ends {quick} with {code}")

    def _add(self, mutant: Mutant, end: End, told: dict[Edit, tuple[bool, bool]]) -> None:
        trial = Trial(mutant.name, mutant.lines.start, end, *told[mutant.name])
        self._trials.append(trial)

    def _chosen(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Sort tests by the cost of their files, and take as many as a mutant may cost."""
        cost: Counter[str] = Counter()
        for item in items:
            cost[_file(item)] += max(1, int(self._costs[item.nodeid] * 1000))
        items.sort(key=lambda item: (cost[_file(item)], item.nodeid))
        chosen, left = [], _COST
        for item in items:
            left -= self._costs[item.nodeid]
            if chosen and left < 0:
                break
            chosen.append(item)
        return chosen

    # What copies of this process do.

    def _measure(self, session: pytest.Session, file: str, items: list[pytest.Item]) -> int:
        self._coverage = coverage = self._measuring.here("own")
        with self._measuring.processes():
            coverage.start()
            _run_items(session, items, self._place(), stop=False)
            coverage.stop()
            coverage.save()
        measured = (self._seconds, self._costs)
        tables = [{item.nodeid: table[item.nodeid] for item in items} for table in measured]
        text = dumps([*tables, [*self._bad]])
        (self._directory / f"seconds-{os.getpid()}").write_text(text, "utf-8")
        return 0

    def _trial(
        self, session: pytest.Session, mutant: Mutant, items: list[pytest.Item], once: bool
    ) -> Callable[[], int]:
        def work() -> int:
            place = self._place()
            path = Path(mutant.name.file)
            serving.keep(place, path.name, (ROOT / path).read_text("utf-8"), mutant.source())
            os.environ[serving.VARIABLE] = str(place)
            if once:
                listing = place / "tests"
                listing.write_text("".join(f"{item.nodeid}\n" for item in items), "utf-8")
                quiet = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
                base = f"--basetemp={place / 'tmp'}"
                command = ("-m", "pytest", *quiet, base, f"@{listing}")
                os.execv(sys.executable, (sys.executable, *command))
            serving.replace(self._functions, serving.serve(place))
            return int(_run_items(session, items, place, stop=True) > 0)

        return work

    def _place(self) -> Path:
        """Return the directory of this copy, which goes when it ends."""
        return self._directory / str(os.getpid())

    def _living(self) -> list[FunctionType]:
        names = {Path(mutant.name.file).name for mutant in self._found}
        return [
            object_
            for object_ in gc.get_objects()
            if type(object_) is FunctionType and Path(object_.__code__.co_filename).name in names
        ]

    # The tests as they run in a copy.

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._phase(item, "call"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._phase(item, "teardown"))

    def _phase(self, item: pytest.Item, phase: str) -> Generator[None, object, object]:
        if self._coverage is not None:
            self._coverage.switch_context(f"{item.nodeid} ({phase})")
        before = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self._costs[item.nodeid] += sum(os.times()[:4]) - before

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._bad.add(report.nodeid)

    # Copies of this process.

    def _in_copies(self, tasks: Iterable[_Task], end: float) -> Iterator[tuple[_Task, int | None]]:
        """Do tasks until a moment; yield each with its exit code, or None if it took too long."""
        waiting, running = iter(tasks), list[_Task]()
        more = True
        try:
            while more or running:
                while more and len(running) < self._wanted.workers:
                    task = next(waiting, None) if time.monotonic() < end else None
                    if task is None:
                        more = False
                    else:
                        self._begin(task)
                        running.append(task)
                time.sleep(_POLL_SECONDS)
                for task in list(running):
                    done, status = os.waitpid(task.pid, os.WNOHANG)
                    used = time.monotonic() - task.begun
                    over = time.monotonic() > end + _GRACE * self._wanted.seconds
                    if done:
                        running.remove(task)
                        self._clear(task)
                        yield task, os.waitstatus_to_exitcode(status)
                    elif used > task.limit or over:
                        self._kill(task)
                        running.remove(task)
                        if not over:
                            yield task, None
        finally:
            for task in running:
                self._kill(task)

    def _begin(self, task: _Task) -> None:
        task.begun = time.monotonic()
        task.pid = os.fork()
        if task.pid == 0:
            code = _NOT_TRIED
            try:
                os.setsid()
                null = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(null, stream)
                resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
                code = task.work()
            except BaseException as error:
                (self._directory / f"error-{os.getpid()}").write_text(repr(error), "utf-8")
            finally:
                os._exit(code)

    def _kill(self, task: _Task) -> None:
        try:
            os.killpg(task.pid, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(task.pid, signal.SIGKILL)
        os.waitpid(task.pid, 0)
        self._clear(task)

    def _clear(self, task: _Task) -> None:
        # What the tests started and left is in the session of the copy.
        with suppress(ProcessLookupError):
            os.killpg(task.pid, signal.SIGKILL)
        shutil.rmtree(self._directory / str(task.pid), ignore_errors=True)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _run_items(session: pytest.Session, items: list[pytest.Item], place: Path, stop: bool) -> int:
    """Run tests in this copy, with a directory of its own for theirs; return how many fail."""
    (place / "tmp").mkdir(parents=True)
    session.config._tmp_path_factory._basetemp = place / "tmp"  # type: ignore[attr-defined]
    session.testsfailed = 0
    for item, following in zip(items, [*items[1:], None], strict=True):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if stop and session.testsfailed:
            break
    session._setupstate.teardown_exact(None)
    return session.testsfailed
