"""Find out which bugs of the servers are found: `python -m lab.tickets.judge`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lab.faults.judge import SPECWRIGHT, failures
from lab.measured import records
from lab.tickets.subjects import SUBJECTS, Subject
from lab.tickets.verdicts import ALONE, DECLARED, KINDS, PLAIN, Finding, load, save

NONE = "none"
SEED = "7"
# Only what hangs takes so long, on any machine.
PATIENCE_SECONDS = 900
ALONE_SECONDS = 30
SCHEMATHESIS = SPECWRIGHT.with_name("schemathesis")


def tested(subject: Subject, bug: str, document: Any, *more: str) -> tuple[int, Any]:
    """Run `specwright test` against a server with a bug, or with `none`.

    Args:
        more: further arguments of the command.

    Returns:
        its exit code and its report.

    Raises:
        RuntimeError: the server could not be tested.
    """
    variables = {option: f"KEY_{number}" for number, option in enumerate(subject.keys)}
    keys = {variables[option]: key for option, key in subject.keys.items()}
    named = [part for option, variable in variables.items() for part in (option, variable)]
    with subject.serving(bug) as url, tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "openapi.json")
        file.write_text(json.dumps(document), "utf-8")
        # As users begin: what is plain in the document becomes settings, such as pagination.
        init = [SPECWRIGHT, "init", file.name]
        subprocess.run(init, cwd=directory, check=True, capture_output=True)
        command = [SPECWRIGHT, "test", url, "--document", file, *named, *more]
        done = subprocess.run(
            [*command, "--seed", SEED, "--format", "json"],
            cwd=directory,
            env={**os.environ, **keys},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
    if not done.stdout:
        raise RuntimeError(f"the server with {bug} was not tested: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def findings_of(report: Any) -> list[Finding]:
    """Return the findings of a report, one for each place."""
    return [
        Finding(finding["rule"], finding["level"], place["pointer"], place["message"])
        for finding in report["findings"]
        for place in finding.get("occurrences") or [finding]
    ]


def alone(subject: Subject, bug: str, document: Any) -> list[Finding]:
    """Return the checks of schemathesis that fail."""
    with subject.serving(bug) as url, tempfile.TemporaryDirectory() as directory:
        file, report = Path(directory, "openapi.json"), Path(directory, "report.ndjson")
        file.write_text(json.dumps(document), "utf-8")
        command = [SCHEMATHESIS, "run", file, "--url", url, "--header", subject.header]
        limits = ["--max-time", str(ALONE_SECONDS), "--request-timeout", "5"]
        reports = ["--report", "ndjson", "--report-ndjson-path", report]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*command, "--seed", SEED, *limits, *reports],
                cwd=directory,
                capture_output=True,
                check=False,
                timeout=PATIENCE_SECONDS,
            )
        return [Finding(check, "error", place, "") for place, check in sorted(failures(report))]


def judge(name: str, bugs: list[str], kinds: tuple[str, ...]) -> None:
    """Judge bugs of a server, and store what was found after each."""
    subject, runs = SUBJECTS[name], load(name)
    documents = subject.documents()
    for kind in kinds:
        for bug in bugs:
            if kind == DECLARED and runs.last.get(bug, {}).get(PLAIN):
                continue
            began = time.monotonic()
            if kind == ALONE:
                findings = alone(subject, bug, documents[PLAIN])
            else:
                _, report = tested(subject, bug, documents[kind])
                findings = findings_of(report)
            if bug == NONE:
                runs.clean[kind] = findings
                told: object = runs.blamed()
            else:
                runs.enter(bug, kind, findings)
                told = runs.last[bug]
            save(name, runs)
            print(f"{name} {bug}, {kind}, {time.monotonic() - began:.0f} s: {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.tickets.judge", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="servers and bugs; all by default")
    parser.add_argument("--only", choices=KINDS, help="one kind of run")
    given = parser.parse_args()
    known = {NONE, *SUBJECTS}.union(*(subject.bugs for subject in SUBJECTS.values()))
    if unknown := set(given.names) - known:
        parser.error(f"there is no server or bug {', '.join(sorted(unknown))}")
    record = records.current("tickets")
    kinds = (given.only,) if given.only else KINDS
    for name in [name for name in SUBJECTS if name in given.names] or SUBJECTS:
        # What is found without a bug does not count with one.
        bugs = [NONE, *SUBJECTS[name].bugs]
        judge(name, [bug for bug in bugs if bug in given.names] or bugs, kinds)
    if not given.names and not given.only:
        records.keep("tickets", record)
    sys.exit(any(load(name).blamed() for name in SUBJECTS))


if __name__ == "__main__":
    main()
