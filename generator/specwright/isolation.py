"""Tasks in a separate process, which can crash without ending this one."""

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
class TaskLimits:
    """TaskLimits of tasks: processor time, and memory beyond the present use.

    Attributes:
        seconds: processor time, which the load of the machine does not change.
        memory: bytes.
        patience_seconds: wall-clock time for each task: a last resort, as a task that waits
            forever uses no processor time.
    """

    seconds: float
    memory: int
    patience_seconds: float = PATIENCE_SECONDS


class Stopped(StrEnum):
    """The reason why a task has no result."""

    TIME = "it takes too long"
    CRASH = "it needs too much memory, or crashes a library"

    @classmethod
    def by(cls, signal_number: int) -> Stopped:
        return cls.TIME if signal_number in (signal.SIGPROF, signal.SIGALRM) else cls.CRASH


def isolated(tasks: Sequence[Callable[[], T]], limits: TaskLimits) -> Iterator[T | Stopped]:
    """Yield the result of each task in order, or the reason why it has none.

    The tasks share the limits; each may use half of the time that those before it left. Their
    process is a copy of this one: changes stay there, and only results come back.
    """
    if sys.platform == "win32":
        # Windows can neither fork a process nor limit it.
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
    """A copy of this process that runs tasks until one of them ends it."""

    def __init__(self, tasks: Sequence[Callable[[], Any]], limits: TaskLimits) -> None:
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
        """End the process; return the reason and the processor time that it used."""
        self._output.close()
        # If it has not ended already, the rest of its results is not needed.
        os.kill(self._pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._pid, 0)
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return Stopped.by(number), usage.ru_utime + usage.ru_stime


def _work(tasks: Sequence[Callable[[], Any]], limits: TaskLimits, output: int) -> NoReturn:
    try:
        # The parent is interrupted, too, and ends this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The output of crashing libraries is discarded.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        faulthandler.disable()
        limit_memory(limits.memory)
        with os.fdopen(output, "wb") as results:
            for task in tasks:
                limit_time((limits.seconds - time.process_time()) / 2, limits.patience_seconds)
                results.write(pickle.dumps(task()))
                results.flush()
    finally:
        # Nothing of the parent is to be closed or flushed a second time.
        os._exit(0)


def limit_time(seconds: float, patience_seconds: float = PATIENCE_SECONDS) -> None:
    """Kill the process when its time limit expires.

    The timers are those of POSIX, on Linux as on macOS.

    Args:
        seconds: processor time from now on, of all threads together.
        patience_seconds: wall-clock time.
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
    """Limit the memory of this process to its present use and this many bytes more."""
    if sys.platform == "win32":
        return
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        # Systems other than Linux do not enforce such a limit.
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(
        resource.RLIMIT_AS, (limit if most == resource.RLIM_INFINITY else min(limit, most), most)
    )
