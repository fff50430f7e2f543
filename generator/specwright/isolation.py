"""Tasks in a separate process, which can crash without ending this one."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
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
        process = ProcessCopy(partial(_do, tasks[done:], replace(limits, seconds=left)))
        try:
            for result in _results(process.output):
                yield result
                done += 1
        finally:
            # If it has not ended already, the rest of its results is not needed.
            process.kill()
            status, used = process.wait()
        left -= used
        if done < len(tasks):
            yield Stopped.by(-status)
            done += 1


def _do(tasks: Sequence[Callable[[], Any]], limits: TaskLimits, output: BinaryIO) -> None:
    limit_memory(limits.memory)
    for task in tasks:
        limit_time((limits.seconds - time.process_time()) / 2, limits.patience_seconds)
        output.write(pickle.dumps(task()))
        output.flush()


def _results(output: BinaryIO) -> Iterator[Any]:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(output)


class ProcessCopy:
    """A copy of this process that does some work, and ends.

    Attributes:
        output: what the work writes.
    """

    def __init__(self, work: Callable[[BinaryIO], None]) -> None:
        reading, writing = os.pipe()
        with interrupts_deferred():
            self._pid = os.fork()
            if self._pid == 0:
                os.close(reading)
                _run(work, writing)
        os.close(writing)
        self.output: BinaryIO = os.fdopen(reading, "rb")
        self._ended: tuple[int, float] | None = None

    def kill(self) -> None:
        """End it, unless it is known to have ended."""
        if self._ended is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> tuple[int, float]:
        """Return its exit code, or the negative number of its signal, and its processor time."""
        if self._ended is None:
            _, status, usage = os.wait4(self._pid, 0)
            self._ended = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            self.output.close()
        return self._ended


def _run(work: Callable[[BinaryIO], None], output: int) -> NoReturn:
    status = 1
    try:
        # The parent is interrupted, too, and ends this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The output of libraries, which may crash, is discarded.
        discarded = os.open(os.devnull, os.O_WRONLY)
        os.dup2(discarded, 1)
        os.dup2(discarded, 2)
        faulthandler.disable()
        with os.fdopen(output, "wb") as results:
            work(results)
        status = 0
    finally:
        # Nothing of the parent is to be closed or flushed a second time.
        os._exit(status)


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Have an interrupt wait while this process is copied.

    Hooks of libraries run then, and Python ignores what is raised in them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: interrupts.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for interrupt in interrupts[:1]:
            signal.raise_signal(interrupt)


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
