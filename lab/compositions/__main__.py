"""Try random documents for some time; write each kind of fault as a small document."""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path

from lab.compositions.grammar import document
from lab.compositions.trial import Json, fault, shrunk
from specwright.isolation import TaskLimits, isolated

FAULTS = Path(__file__).parents[2] / ".nox" / "compositions"


_PROGRESS = 500
# A trial takes a second, and mypy some more.
_LIMITS = TaskLimits(seconds=240, memory=2**30)


def _fault(document: Json, *, with_types: bool, with_values: bool) -> str:
    """Return the kind of fault of a trial in a process of its own, which keeps no memory."""
    trial = partial(fault, document, with_types=with_types, with_values=with_values)
    return next(isolated([trial], _LIMITS))


def _has(kind: str, candidate: Json) -> bool:
    return _fault(candidate, with_types=kind.startswith("mypy"), with_values=True) == kind


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.compositions", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--types", type=int, default=25, help="mypy checks one package in so many")
    parser.add_argument("--values", type=int, default=1, help="one in so many is called")
    options = parser.parse_args()
    # What this trial loads and compiles, the copies of this process have.
    fault(document(0), with_types=True)
    begun, seed, kinds = time.monotonic(), options.seed, dict[str, int]()
    while time.monotonic() - begun < options.seconds:
        kind = _fault(
            document(seed),
            with_types=seed % options.types == 0,
            with_values=seed % options.values == 0,
        )
        if kind and kind not in kinds:
            kinds[kind] = seed
            small = shrunk(document(seed), partial(_has, kind))
            FAULTS.mkdir(parents=True, exist_ok=True)
            file = FAULTS / f"{seed}.json"
            file.write_text(json.dumps(small, indent=2) + "\n", "utf-8")
            print(f"seed {seed}: {kind}: {file}", flush=True)
        seed += 1
        if (seed - options.seed) % _PROGRESS == 0:
            print(f"{seed - options.seed} documents", flush=True)
    print(f"{seed - options.seed} documents, {len(kinds)} kinds of faults")
    return int(bool(kinds))


if __name__ == "__main__":
    raise SystemExit(main())
