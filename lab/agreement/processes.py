"""The commands `mock` and `test` as processes of their own, over the loopback interface."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from lab.wire.judge import read

_COMMAND = (sys.executable, "-P", "-m", "specwright")
_SECONDS = 240
_NEVER_SUCCEEDED = 3
# What a server without a state, and without checks of requests, cannot do: by check and rule.
RULES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("exceptions.toml").read_text("utf-8")
)["rules"]


def key_of(file: Path) -> str:
    """Return a key for all schemes; with a colon, a token would be asked for elsewhere."""
    schemes = read(file).get("components", {}).get("securitySchemes", {}).values()
    is_basic = any(str(scheme.get("scheme")).lower() == "basic" for scheme in schemes)
    return "user:password" if is_basic else "token"


def complaints_of_test(file: Path, place: Path) -> Iterator[str]:
    """Test the mock of a document against it; yield the errors that a mock could avoid."""
    reports = place / "reports"
    mock = subprocess.Popen(
        [*_COMMAND, "mock", str(file), "--port", "0"],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert mock.stdout is not None
    try:
        url = mock.stdout.readline().partition(" ")[0]
        if not url:
            yield "the mock does not start"
            return
        done = subprocess.run(
            [
                *(*_COMMAND, "test", url, "--document", str(file), "--seed", "1"),
                *("--max-time", "10"),
                *("--report-dir", str(reports), "--api-key-env", "SPECWRIGHT_AGREEMENT_KEY"),
                "--quiet",
            ],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env={**os.environ, "SPECWRIGHT_AGREEMENT_KEY": key_of(file)},
        )
    finally:
        mock.kill()
        mock.communicate()
    if not (reports / "report.json").exists():
        *_, cause = done.stderr.splitlines() or [f"exit {done.returncode}"]
        yield f"no report: {cause}"
        return
    for finding in json.loads((reports / "report.json").read_text("utf-8"))["findings"]:
        if finding["level"] == "error" and finding["rule"] not in RULES["processes"]:
            yield f"{finding['rule']}: {finding['message']}"
    if done.returncode == _NEVER_SUCCEEDED:
        yield f"not reached: {' '.join(done.stdout.split())[-200:]}"
