"""Try random documents for some time; write each kind of fault as a small document."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from lab.compositions.grammar import document
from lab.compositions.trial import Json, fault, shrunk
from specwright.isolation import TaskLimits, isolated

FAULTS = Path(__file__).parents[2] / ".nox" / "compositions"


# A process keeps memory of each package that it imports, and a new one takes half of a second.
_TOGETHER = 20
_PROGRESS = 500
# A trial takes a second, and mypy some more.
_LIMITS = TaskLimits(seconds=240, memory=2**30)
Trial = Callable[[], str]


def _has(kind: str, candidate: Json) -> bool:
    trial = partial(fault, candidate, with_types=kind.startswith("mypy"))
    return next(isolated([trial], _LIMITS)) == kind


def _trials(seeds: Sequence[int], options: argparse.Namespace) -> list[tuple[int, str]]:
    """Return seeds with the kinds of their faults; the trials have a process of their own.

    All of them have ended then, as other trials use the same directory.
    """
    trials: list[Trial] = [
        partial(
            fault,
            document(seed),
            with_types=seed % options.types == 0,
            with_values=seed % options.values == 0,
        )
        for seed in seeds
    ]
    return list(zip(seeds, isolated(trials, _LIMITS), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.compositions", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--types", type=int, default=25, help="mypy checks one package in so many")
    parser.add_argument("--values", type=int, default=1, help="one in so many is called")
    options = parser.parse_args()
    # What this trial loads and compiles, the copies of this process have.
    fault(document(0), with_types=True)
    begun, kinds, tried = time.monotonic(), set[str](), 0
    while time.monotonic() - begun < options.seconds:
        first = options.seed + tried
        for seed, kind in _trials(range(first, first + _TOGETHER), options):
            if kind and kind not in kinds:
                kinds.add(kind)
                small = shrunk(document(seed), partial(_has, kind))
                FAULTS.mkdir(parents=True, exist_ok=True)
                file = FAULTS / f"{seed}.json"
                file.write_text(json.dumps(small, indent=2) + "\n", "utf-8")
                print(f"seed {seed}: {kind}: {file}", flush=True)
        tried += _TOGETHER
        if tried % _PROGRESS == 0:
            print(f"{tried} documents", flush=True)
    print(f"{tried} documents, {len(kinds)} kinds of faults")
    return int(bool(kinds))


if __name__ == "__main__":
    raise SystemExit(main())
