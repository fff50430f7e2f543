"""Test implementations that are right under many seeds: `python -m lab.seeds`.

Each finding is a false alarm of `specwright test`, or a bug of the implementation.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from lab.faults.judge import DOCUMENT, ROOT, SPECWRIGHT, Served
from lab.seeds.implementations import IMPLEMENTATIONS, given
from specwright.conformance.run import RunProfile

_SAMPLE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of `specwright test`.

    Attributes:
        cpu: seconds of all its processes.
        memory: the most that all its processes had at once, in MB.
        statuses: declared statuses that were reached, in percent.
    """

    exit_code: int
    findings: tuple[str, ...]
    seconds: float
    cpu: float
    memory: float
    requests: int
    statuses: int


def run(served: Served, profile: str, seed: int) -> Outcome:
    """Test an implementation once."""
    variables, options = given(served)
    command = [SPECWRIGHT, "test", served.base_url, "--document", DOCUMENT, *options]
    command += ["--receiver-authority", served.authority, "--retry-scale", served.retry_scale]
    command += ["--profile", profile, "--seed", str(seed), "--format", "json"]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **variables}, stdout=out, stderr=said
        )
        memory = _Memory(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        most = memory.stop()
        for file in (out, said):
            file.seek(0)
        written, complaint = out.read(), said.read()
    if not written:
        raise RuntimeError(f"specwright test ended with {process.returncode}: {complaint}")
    report = json.loads(written)
    facts = {fact["label"]: fact["value"] for fact in report["facts"]}
    return Outcome(
        process.returncode,
        tuple(f"{finding['rule']}: {finding['message']}" for finding in report["findings"]),
        seconds,
        used.ru_utime + used.ru_stime,
        most,
        int(facts["Requests"].replace(",", "")),
        _share(report, "status"),
    )


def _share(report: dict[str, Any], kind: str) -> int:
    """Return the share of the declarations of a kind that was reached, in percent."""
    rows = next(
        table["rows"] for table in report["tables"] if table["title"].startswith("Coverage")
    )
    return next(100 * int(reached) // int(of) for name, reached, of, *_ in rows if name == kind)


class _Memory:
    """Watches the memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self._most = 0.0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> float:
        """The most that there was at once, in MB."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        while not self._ended.wait(_SAMPLE_SECONDS):
            self._most = max(self._most, sum(self._each()) / 1e6)

    def _each(self) -> Iterator[int]:
        try:
            family = [self._process, *self._process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        for process in family:
            try:
                # What processes share is counted once: each has its part of it.
                yield process.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue


def summary(name: str, profile: str, outcomes: Sequence[Outcome]) -> str:
    """One line about the runs of a profile against an implementation."""

    def spread(values: Sequence[float]) -> str:
        return f"{statistics.median(values):.0f} (at most {max(values):.0f})"

    wrong = sum(1 for outcome in outcomes if outcome.findings)
    return (
        f"{name} {profile}: findings in {wrong} of {len(outcomes)} runs; "
        f"seconds {spread([outcome.seconds for outcome in outcomes])}, "
        f"of CPU {spread([outcome.cpu for outcome in outcomes])}; "
        f"MB {spread([outcome.memory for outcome in outcomes])}; "
        f"requests {spread([outcome.requests for outcome in outcomes])}; "
        f"statuses {min(outcome.statuses for outcome in outcomes)} % at least"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.seeds", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *IMPLEMENTATIONS], metavar="NAME")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument(
        "--profile", action="append", choices=[run_profile.value for run_profile in RunProfile]
    )
    options = parser.parse_args()
    wrong = False
    for name in options.names or IMPLEMENTATIONS:
        for profile in options.profile or [run_profile.value for run_profile in RunProfile]:
            outcomes = []
            for seed in range(options.first, options.first + options.seeds):
                with IMPLEMENTATIONS[name]() as served:
                    outcome = run(served, profile, seed)
                outcomes.append(outcome)
                print(
                    f"{name} {profile} {seed}: exit code {outcome.exit_code}, "
                    f"{outcome.seconds:.1f} s, {outcome.cpu:.1f} s of CPU, "
                    f"{outcome.memory:.0f} MB, {outcome.requests} requests, "
                    f"{outcome.statuses} % of statuses",
                    *outcome.findings,
                    sep="\n    ",
                    flush=True,
                )
            print(summary(name, profile, outcomes), flush=True)
            wrong |= any(outcome.findings for outcome in outcomes)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
