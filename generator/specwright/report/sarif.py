"""A report as SARIF 2.1.0, the format of code scanning services."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from specwright import __version__
from specwright.check.lint.table import RULES
from specwright.findings import Finding, Level, Report

_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def render(report: Report) -> str:
    """One run; waived findings are there as suppressed results."""
    results = [_result(finding) for finding in report.findings]
    for waived in report.waived:
        suppression = {"kind": "external", "justification": waived.reason}
        results.append({**_result(waived.finding), "suppressions": [suppression]})
    rules = [{"id": rule.id, "shortDescription": {"text": rule.why}} for rule in RULES]
    driver = {"name": "specwright", "version": __version__, "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _result(finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.location.line, "startColumn": finding.location.column}
    artifact = {"uri": quote(PurePath(finding.location.file).as_posix())}
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": artifact, "region": region},
                "logicalLocations": [{"fullyQualifiedName": finding.pointer}],
            }
        ],
    }
