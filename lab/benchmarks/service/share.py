"""A share of a core per process (Linux control groups), so that few cores behave like many."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

# So short that a throttled process waits no longer than for a disk.
_PERIOD = 10_000
_ROOTS = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))


def can_limit() -> bool:
    """Return whether this machine allows limits: they need root and a CPU controller."""
    return os.access(_root(), os.W_OK)


@contextlib.contextmanager
def limited(processes: Sequence[psutil.Process], share: float | None) -> Iterator[None]:
    """Limit each process to a share of a core; None means no limit."""
    with contextlib.ExitStack() as stack:
        for process in processes if share is not None else ():
            stack.enter_context(_group(process, round(_PERIOD * (share or 1))))
        yield


@contextlib.contextmanager
def _group(process: psutil.Process, quota: int) -> Iterator[None]:
    group = _root() / f"esim-bench-{process.pid}"
    group.mkdir()
    try:
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{quota} {_PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        (group / "cgroup.procs").write_text(str(process.pid))
        yield
    finally:
        (_root() / "cgroup.procs").write_text(str(process.pid))
        group.rmdir()


def _root() -> Path:
    return next(root for root in _ROOTS if root.is_dir())
