"""A report for Code Quality of GitLab, which merge requests show on the changed lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import PurePath
from typing import Any

from specwright.findings import Finding, Level, Report
from specwright.report.outline import in_reading_order
from specwright.report.wording import listed
from specwright.text import visible

_OPERATIONS, _LONGEST, _SHOWN_HASH = 3, 300, 12
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
_SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.INFO: "info"}


def render(report: Report) -> str:
    """Return a list of issues in ASCII, without the findings that are waived.

    GitLab takes issues with the same fingerprint for one: those after the first have a number.
    """
    counts = Counter[str]()
    issues = []
    for finding in in_reading_order(report):
        counts[finding.fingerprint] += 1
        issues.append(_issue(finding, counts[finding.fingerprint]))
    return json.dumps(issues, indent=2) + "\n"


def _description(finding: Finding) -> str:
    """Return the one line that a widget has for an issue."""
    parts = [finding.words]
    if finding.counterexample is not None:
        parts.append(f"counterexample: {finding.counterexample}")
    if finding.operations:
        parts.append(f"operations: {listed(finding.operations, _OPERATIONS)}")
    line = " ".join("; ".join(parts).split())
    line = _COMMIT.sub(lambda match: match[0][:_SHOWN_HASH], line)
    return visible(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")


def _issue(finding: Finding, number: int) -> dict[str, Any]:
    return {
        "description": _description(finding),
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint + (f"-{number}" if number > 1 else ""),
        "severity": _SEVERITIES[finding.level],
        "location": {
            "path": visible(PurePath(finding.location.file).as_posix()),
            "lines": {"begin": finding.location.line},
        },
    }
