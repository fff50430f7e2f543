"""CPU time of small calls, sampled in turns so that a busy machine disturbs all alike."""

import json
import time
from collections.abc import Callable

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
