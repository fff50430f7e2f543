"""Find out which faults `specwright test` finds: `python -m lab.faults.judge`."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.faults.faulty import RIGHT
from lab.faults.table import FAULTS
from lab.faults.verdicts import ALONE_SECONDS, Verdict, load, save
from lab.measured import records
from specwright.conformance.checks.webhooks.authority import Authority

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "spec" / "openapi.json"
SPECWRIGHT = Path(sys.executable).with_name("specwright")
VARIABLES = ("MAIN_KEY", "OTHER_KEY", "LIMITED_KEY", "SUSPENDED_KEY", "LIVE_MODE_KEY")
OPTIONS = (
    "--api-key-env",
    "--other-tenant-api-key-env",
    "--limited-api-key-env",
    "--suspended-api-key-env",
    "--live-mode-api-key-env",
)
SEEDS = (1, 2, 3)
# A run waits more than it works.
AT_A_TIME = 2
# Only what hangs takes so long, on any machine.
PATIENCE_SECONDS = 900
# A minute becomes two seconds: even by a clock of whole seconds, no attempt comes too early.
RETRY_SCALE = "0.034"
# How `specwright test` may end without a finding, and what it says by that.
ENDS: dict[int, tuple[str, ...]] = {0: (), 1: (), 2: ("target-lost",), 3: ("never-succeeded",)}
# It takes requests that keep the schema for requests that must succeed.
WRONG = "positive_data_acceptance"


@dataclass(frozen=True, slots=True)
class Served:
    """An implementation, on this machine.

    Attributes:
        authority: the directory of the authority that it trusts.
        retry_scale: what it multiplies the declared pauses with.
    """

    base_url: str
    keys: tuple[str, ...] = field(repr=False)
    authority: Path = field(repr=False)
    retry_scale: str = RETRY_SCALE


@contextlib.contextmanager
def serving(name: str, **settings: str) -> Iterator[Served]:
    """Serve with a fault, or with `none`, for the time of the context."""
    with (
        tempfile.TemporaryDirectory() as directory,
        subprocess.Popen(
            [sys.executable, "-m", "lab.faults.faulty", name],
            cwd=ROOT,
            # What it leaves when it is killed goes with the directory.
            env={
                **os.environ,
                "TMPDIR": directory,
                "ESIM_WEBHOOK_CA_FILE": str(Authority.at(Path(directory)).file),
                "ESIM_WEBHOOK_RETRY_SCALE": RETRY_SCALE,
                **settings,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            *keys, address = (process.stdout.readline().strip() for _ in range(len(VARIABLES) + 1))
            if not address:
                raise RuntimeError(f"the service does not start with the fault {name}")
            yield Served(address.split()[-1], tuple(keys), Path(directory))
        finally:
            process.kill()


def judge(
    served: Served,
    seed: int,
    profile: str = "quick",
    patience: float = PATIENCE_SECONDS,
    more: Sequence[str] = (),
) -> tuple[str, ...]:
    """The rules that `specwright test` finds broken; or why the run ended otherwise."""
    given = dict(zip(VARIABLES, served.keys, strict=False))
    named = [part for pair in zip(OPTIONS, given, strict=False) for part in pair]
    command = [SPECWRIGHT, "test", served.base_url, "--live", "--document", DOCUMENT, *named]
    receiving = ["--receiver-authority", served.authority, "--retry-scale", served.retry_scale]
    try:
        done = subprocess.run(
            [
                *(*command, *receiving, "--seed", str(seed), "--format", "json"),
                *("--profile", profile, *more),
            ],
            cwd=ROOT,
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            check=False,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return ()
    if not done.stdout or done.returncode not in ENDS:
        raise RuntimeError(f"specwright test ended with {done.returncode}: {done.stderr}")
    # Findings that do not fail a run do not count.
    found = (
        finding for finding in json.loads(done.stdout)["findings"] if finding["level"] == "error"
    )
    rules = tuple(sorted({each["rule"] for each in found}))
    return rules or ENDS[done.returncode]


def alone(served: Served, program: str) -> frozenset[tuple[str, str]]:
    """Return the checks of schemathesis that failed, each with its operation."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory, "report.ndjson")
        command = [program, "run", DOCUMENT, "--url", served.base_url, "--seed", "1"]
        limits = ["--max-time", str(ALONE_SECONDS), "--request-timeout", "5"]
        key = ["--header", f"Authorization: Bearer {served.keys[0]}"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*command, *limits, *key, "--report", "ndjson", "--report-ndjson-path", report],
                cwd=directory,
                capture_output=True,
                check=False,
                timeout=PATIENCE_SECONDS,
            )
        return failures(report)


def failures(report: Path) -> frozenset[tuple[str, str]]:
    """Return the checks of schemathesis that failed by its report, with their operation."""
    lines = report.read_text("utf-8").splitlines() if report.exists() else []
    return frozenset(failed for line in lines for failed in _failed(json.loads(line)))


def _failed(event: dict[str, dict[str, object]]) -> Iterator[tuple[str, str]]:
    recorder = event.get("ScenarioFinished", {}).get("recorder")
    if isinstance(recorder, dict):
        for case_id, checks in recorder.get("checks", {}).items():
            case = recorder["cases"][case_id]["value"]
            for check in checks:
                if check["status"] != "success" and check["name"] != WRONG:
                    yield f"{case['method']} {case['path']}", check["name"]


def tried(name: str) -> tuple[tuple[str, ...], float]:
    """Return the rules that find a fault, and the seconds of the run."""
    with serving(name) as served:
        started = time.monotonic()
        rules = judge(served, SEEDS[0])
        return rules, round(time.monotonic() - started, 1)


def tried_alone(program: str, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the checks of schemathesis that fail with each fault, and not without one."""

    def checks(name: str) -> frozenset[tuple[str, str]]:
        with serving(name) as served:
            return alone(served, program)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        noise = frozenset[tuple[str, str]]().union(*pool.map(checks, [*RIGHT] * len(SEEDS)))
        for failed in pool.map(checks, names):
            yield tuple(sorted({check for _, check in failed - noise}))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.faults.judge", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; all of them by default")
    parser.add_argument(
        "--schemathesis", action="store_true", help="judge it again, too; else its verdicts stay"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - FAULTS.keys():
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    record = records.current("faults")
    false: list[str] = []
    for name, seed in itertools.product(RIGHT, SEEDS):
        with serving(name) as served:
            false += judge(served, seed)
    print(f"without a fault: {', '.join(false) or 'no finding'}", flush=True)
    verdicts = load()
    names = options.names or list(FAULTS)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for name, (rules, seconds) in zip(names, pool.map(tried, names), strict=True):
            known = verdicts[name].alone if name in verdicts else None
            verdicts[name] = Verdict(rules, seconds, known)
            save(verdicts)
            print(f"{FAULTS[name].kind:14} {name:34} {verdicts[name]}", flush=True)
    if options.schemathesis:
        program = str(SPECWRIGHT.with_name("schemathesis"))
        for name, checks in zip(names, tried_alone(program, names), strict=True):
            verdicts[name] = replace(verdicts[name], alone=checks)
            save(verdicts)
            print(f"{FAULTS[name].kind:14} {name:34} {verdicts[name]}", flush=True)
    if not options.names:
        records.keep("faults", record)
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
