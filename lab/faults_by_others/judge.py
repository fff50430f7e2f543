"""Find out which of these faults are found: `python -m lab.faults_by_others.judge`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

from lab.faults.judge import SEEDS, judge, serving
from lab.faults_by_others.table import FAULTS
from lab.faults_by_others.verdicts import Verdict, Verdicts, load, save
from lab.measured import records

AT_A_TIME = 2


def _rules(name: str, profile: str) -> tuple[str, ...]:
    """The rules that find a fault."""
    with serving(name) as served:
        return judge(served, SEEDS[0], profile)


def judged(names: Sequence[str]) -> Iterator[tuple[str, Verdict]]:
    """Judge faults by the quick profile, then those that it has missed by the full one."""
    missed: list[str] = []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for name, quick in zip(names, pool.map(_rules, names, repeat("quick")), strict=True):
            if quick:
                yield name, Verdict(quick, None)
            else:
                missed.append(name)
        for name, full in zip(missed, pool.map(_rules, missed, repeat("full")), strict=True):
            yield name, Verdict((), full)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.faults_by_others.judge", description=__doc__
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; all of them by default")
    chosen = parser.parse_args().names
    names = chosen or list(FAULTS)
    if unknown := set(names) - FAULTS.keys():
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    record = records.current("faults_by_others")
    ((_, right),) = judged(["none"])
    print(f"without a fault: {right if right.is_found else 'no finding'}", flush=True)
    verdicts = load()
    for name, verdict in judged(names):
        # What was found first stays, whatever is found later.
        first = verdicts[name].first if name in verdicts else verdict
        verdicts[name] = Verdicts(first, verdict)
        save(verdicts)
        print(f"{FAULTS[name].kind:14} {name:40} {verdict}", flush=True)
    if not chosen:
        records.keep("faults_by_others", record)
    sys.exit(1 if right.is_found else 0)


if __name__ == "__main__":
    main()
