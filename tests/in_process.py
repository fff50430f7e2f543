"""What the toolkit runs in copies of its process, run in this one.

A copy of a process that has collected thousands of tests takes many times as long as the rule or
proof that it is made for. Folders whose tests are about results use this; those about limits and
crashes, and modules that define a fixture of this name themselves, have the copies.
"""

from __future__ import annotations

import pickle
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from specwright.check import checks
from specwright.compare.proofs import judgements
from specwright.isolation import TaskLimits
from specwright.render import formatting

T = TypeVar("T")


def _one_by_one(tasks: Sequence[Callable[[], T]], limits: TaskLimits) -> Iterator[T]:
    # Only what can be pickled comes back from another process.
    yield from (pickle.loads(pickle.dumps(task())) for task in tasks)


def _started(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    # A timer has to be set in a copy of this process; without one, ruff starts at once.
    del options["preexec_fn"]
    return subprocess.Popen(command, **options)


@pytest.fixture(scope="module", autouse=True)
def tasks_in_this_process() -> Iterator[None]:
    with ExitStack() as stack:
        for module in (checks, judgements):
            stack.enter_context(patch.object(module, "isolated", _one_by_one))
        stack.enter_context(
            patch.object(
                formatting, "subprocess", SimpleNamespace(Popen=_started, PIPE=subprocess.PIPE)
            )
        )
        yield
