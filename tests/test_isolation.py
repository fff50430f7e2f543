"""Tasks in a process of their own give results, or a reason, and leave this process alone."""

from __future__ import annotations

import ctypes
import itertools
import os
import resource
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import pytest

from specwright.isolation import Stopped, TaskLimits, isolated

LIMITS = TaskLimits(seconds=0.6, memory=256 * 2**20)


def one() -> int:
    return 1


def for_ever() -> int:
    deque(itertools.count(), maxlen=0)
    return 0


def asleep() -> int:
    signal.pause()
    return 0


def segfault() -> int:
    return len(ctypes.string_at(0))


def hungry() -> int:
    return len(bytearray(2**30))


def mistaken() -> int:
    raise AssertionError


def unspeakable() -> Callable[[], int]:
    return lambda: 1


def talkative() -> int:
    os.write(1, b"from a library")
    return 1


def test_what_a_library_prints_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(isolated([talkative], LIMITS)) == [1]
    assert capfd.readouterr().out == ""


def test_an_interrupt_during_the_copy_is_not_lost() -> None:
    # The hook of a library, in which Python ignores what is raised.
    program = """
import os, signal
from specwright.isolation import TaskLimits, isolated

os.register_at_fork(after_in_parent=lambda: signal.raise_signal(signal.SIGTERM))
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    list(isolated([int], TaskLimits(1, 2**28)))
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (for_ever, Stopped.TIME),
        (segfault, Stopped.CRASH),
        (os.abort, Stopped.CRASH),
        (hungry, Stopped.CRASH),
        (mistaken, Stopped.CRASH),
        (unspeakable, Stopped.CRASH),
    ],
)
def test_the_tasks_around_one_that_ends_badly_have_their_results(task, reason: Stopped) -> None:
    assert list(isolated([one, task, one], LIMITS)) == [1, reason, 1]


def test_a_task_that_waits_for_ever_ends_when_patience_does() -> None:
    limits = replace(LIMITS, patience_seconds=1)
    assert list(isolated([one, asleep, one], limits)) == [1, Stopped.TIME, 1]


def test_time_without_a_processor_does_not_count() -> None:
    limits = TaskLimits(seconds=0.1, memory=2**28)

    def starved() -> int:
        time.sleep(10 * limits.seconds)
        return 1

    assert list(isolated([starved], limits)) == [1]


def busy() -> int:
    while time.process_time() < 0.05:
        pass
    return 2


def test_no_task_takes_the_time_of_those_after_it() -> None:
    assert list(isolated([for_ever, busy], LIMITS)) == [Stopped.TIME, 2]


def test_all_tasks_together_keep_to_the_limit_and_short_ones_are_done_even_then() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    results = list(isolated([*[for_ever] * 12, one], LIMITS))
    assert results == [*[Stopped.TIME] * 12, 1]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2 * LIMITS.seconds


def test_what_a_task_changes_or_prints_as_it_crashes_stays_there(
    capfd: pytest.CaptureFixture[str],
) -> None:
    changed: list[int] = []

    def change() -> int:
        changed.append(1)
        os.write(2, b"thread panicked")
        return len(changed)

    assert list(isolated([change, change], LIMITS)) == [1, 2]
    assert changed == []
    assert capfd.readouterr() == ("", "")


def test_whoever_stops_asking_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, made = os.fork, list[int]()

    def noted() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)
    results = isolated([one, for_ever], TaskLimits(seconds=600, memory=2**28))
    assert next(results) == 1
    results.close()  # type: ignore[attr-defined]
    assert made
    for process in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def test_an_interrupted_task_is_left_to_the_first_process() -> None:
    def interrupted() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 2

    assert list(isolated([interrupted], LIMITS)) == [2]
