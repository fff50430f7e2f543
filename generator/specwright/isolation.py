"""Tasks in a process of their own, which may end badly without ending this one."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 300.0
_LEAST_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor time of tasks, and memory beside what is used already.

    Attributes:
        seconds: of processor time, which a busy machine gives more slowly and not less of.
        memory: in bytes.
        patience_seconds: by the clock, for each task: a last resort, as one that waits for ever
            uses no processor time.
    """

    seconds: float
    memory: int
    patience_seconds: float = PATIENCE_SECONDS


class Stopped(StrEnum):
    """Why a task has no result."""

    TIME = "it takes too long"
    CRASH = "it needs too much memory, or crashes a library"

    @classmethod
    def by(cls, signal_number: int) -> Stopped:
        return cls.TIME if signal_number in (signal.SIGPROF, signal.SIGALRM) else cls.CRASH


def isolated(tasks: Sequence[Callable[[], T]], limits: Limits) -> Iterator[T | Stopped]:
    """Give the result of each task in order, or why there is none.

    The tasks share the limits; each may use half of the time that those before it left. Their
    process is a copy of this one: what they change stays there, and only results come back.
    """
    if sys.platform == "win32":
        # Neither copies of a process nor limits are to be had.
        yield from (task() for task in tasks)
        return
    done, left = 0, limits.seconds
    while done < len(tasks):
        process = _Process(tasks[done:], replace(limits, seconds=left))
        try:
            for result in process.results():
                yield result
                done += 1
        finally:
            stopped, used = process.end()
        left -= used
        if done < len(tasks):
            yield stopped
            done += 1


class _Process:
    """A copy of this process that works on tasks until one of them ends it."""

    def __init__(self, tasks: Sequence[Callable[[], Any]], limits: Limits) -> None:
        reading, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(reading)
            _work(tasks, limits, writing)
        os.close(writing)
        self._output: BinaryIO = os.fdopen(reading, "rb")

    def results(self) -> Iterator[Any]:
        with suppress(EOFError, pickle.UnpicklingError):
            while True:
                yield pickle.load(self._output)

    def end(self) -> tuple[Stopped, float]:
        """Why the process ended, and the processor time that it used."""
        self._output.close()
        # Unless it has ended already, nobody wants the rest of its results.
        os.kill(self._pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._pid, 0)
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return Stopped.by(number), usage.ru_utime + usage.ru_stime


def _work(tasks: Sequence[Callable[[], Any]], limits: Limits, output: int) -> NoReturn:
    try:
        # The first process is interrupted, too, and ends this one.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # What libraries say as they crash is for nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        faulthandler.disable()
        limit_memory(limits.memory)
        with os.fdopen(output, "wb") as results:
            for task in tasks:
                limit_time((limits.seconds - time.process_time()) / 2, limits.patience_seconds)
                results.write(pickle.dumps(task()))
                results.flush()
    finally:
        # Nothing of the first process is to be closed or written here once more.
        os._exit(0)


def limit_time(seconds: float, patience_seconds: float = PATIENCE_SECONDS) -> None:
    """End this process, or the one that takes its place, by a signal when its time is used up.

    The timers are those of POSIX, on Linux as on macOS.

    Args:
        seconds: of processor time from now on, that of all threads together.
        patience_seconds: by the clock.
    """
    if sys.platform == "win32":
        return
    for timer, number, allowed in (
        (signal.ITIMER_PROF, signal.SIGPROF, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, patience_seconds),
    ):
        signal.signal(number, signal.SIG_DFL)
        signal.setitimer(timer, max(allowed, _LEAST_SECONDS))


def limit_memory(more: int) -> None:
    """Refuse this process more memory than it has now and so many bytes."""
    if sys.platform == "win32":
        return
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        # Other systems than Linux do not hold a process to such a limit.
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(
        resource.RLIMIT_AS, (limit if most == resource.RLIM_INFINITY else min(limit, most), most)
    )
