"""Try random documents for some time; write each kind of fault as a small document."""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path

from lab.compositions.grammar import document
from lab.compositions.trial import Json, fault, shrunk

FAULTS = Path(__file__).parents[2] / ".nox" / "compositions"


# One in so many is checked by mypy.
_TYPES = 25


def _has(kind: str, candidate: Json) -> bool:
    return fault(candidate, with_types=kind.startswith("mypy")) == kind


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.compositions", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    options = parser.parse_args()
    begun, seed, kinds = time.monotonic(), options.seed, dict[str, int]()
    while time.monotonic() - begun < options.seconds:
        kind = fault(document(seed), with_types=seed % _TYPES == 0)
        if kind and kind not in kinds:
            kinds[kind] = seed
            small = shrunk(document(seed), partial(_has, kind))
            FAULTS.mkdir(parents=True, exist_ok=True)
            file = FAULTS / f"{seed}.json"
            file.write_text(json.dumps(small, indent=2) + "\n", "utf-8")
            print(f"seed {seed}: {kind}: {file}", flush=True)
        seed += 1
    print(f"{seed - options.seed} documents, {len(kinds)} kinds of faults")
    return int(bool(kinds))


if __name__ == "__main__":
    raise SystemExit(main())
