"""CPU time of small calls, sampled in turns so that a busy machine disturbs all alike; memory."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

Call = Callable[[], object]


def cost_of(call: Call, repeat: int) -> float:
    """Return the CPU time per call in microseconds."""
    started = time.process_time()
    for _ in range(repeat):
        call()
    return (time.process_time() - started) / repeat * 1e6


def in_turns(calls: dict[str, Call], *, rounds: int, repeat: int) -> None:
    """Print the samples of each call."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        cost_of(call, repeat // 4 + 1)
    for _ in range(rounds):
        for name, call in calls.items():
            samples[name].append(cost_of(call, repeat))
    print(json.dumps(samples))


def peak_memory() -> float:
    """Return the most memory that this process held, in MB.

    `getrusage` counts what its parent held, too, as long as both were one process.
    """
    status = Path("/proc/self/status").read_text("utf-8")
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    return int(peak[1]) / 1024
