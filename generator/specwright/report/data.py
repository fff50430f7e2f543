"""A report as JSON, in a shape that is documented and kept."""

from __future__ import annotations

import json

from specwright import __version__
from specwright.findings import Finding, Level, Report


def render(report: Report) -> str:
    """The report as one JSON object."""
    return (
        json.dumps(
            {
                "tool": {"name": "specwright", "version": __version__},
                "document": report.document,
                "summary": {
                    "errors": report.count(Level.ERROR),
                    "warnings": report.count(Level.WARNING),
                    "infos": report.count(Level.INFO),
                    "waived": len(report.waived),
                },
                "findings": [_finding(finding) for finding in report.findings],
                "waived": [
                    {**_finding(waived.finding), "reason": waived.reason}
                    for waived in report.waived
                ],
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _finding(finding: Finding) -> dict[str, str | int]:
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "file": finding.location.file,
        "line": finding.location.line,
        "column": finding.location.column,
        "pointer": finding.pointer,
        "message": finding.message,
    }
