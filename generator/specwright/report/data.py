"""A report as JSON, in the shape that docs/reference/report.schema.json describes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from specwright import __version__
from specwright.errors import Location
from specwright.findings import Evidence, Finding, Level, Occurrence, Report, Table

# The version of the shape; new members keep it, removals and changes of meaning raise it.
VERSION = 1

_Object = dict[str, Any]


def render(report: Report) -> str:
    """Return the report as one JSON object, in ASCII."""
    data: _Object = {
        "version": VERSION,
        "tool": {"name": "specwright", "version": __version__},
        "document": report.document,
        **({"headline": report.headline} if report.headline else {}),
        "summary": {
            "errors": report.count(Level.ERROR),
            "warnings": report.count(Level.WARNING),
            "infos": report.count(Level.INFO),
            "waived": len(report.waived),
            **({} if report.breaking is None else {"breaking": report.breaking}),
        },
        **({"called_for": report.version} if report.version else {}),
        "findings": [_finding(finding) for finding in report.findings],
        "waived": [_finding(finding) for finding in report.waived],
    }
    if report.unchecked:
        data["not_checked"] = report.unchecked
    if report.facts:
        data["facts"] = [{"label": label, "value": value} for label, value in report.facts]
    if report.tables:
        data["tables"] = [_table(table) for table in report.tables]
    return json.dumps(data, indent=2) + "\n"


def _finding(finding: Finding) -> _Object:
    data: _Object = {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule,
        "level": finding.level.value,
        **_place(finding.location),
        "pointer": finding.pointer,
        "message": finding.message,
        "subject": finding.affected.subject or None if finding.affected else None,
        "operations": finding.operations or None,
        "related": _related(finding),
        "evidence": _evidence(finding.evidence) or None,
        "cause": finding.cause or None,
        "occurrences": [_occurrence(occurrence) for occurrence in finding.occurrences] or None,
        "reason": finding.waived,
    }
    data = {name: value for name, value in data.items() if value is not None}
    # Here null is a value.
    if finding.counterexample is not None:
        data["counterexample"] = json.loads(finding.counterexample)
    return data


def _occurrence(occurrence: Occurrence) -> _Object:
    return {
        "id": occurrence.id,
        **({"operation": occurrence.operation} if occurrence.operation else {}),
        **_place(occurrence.location),
        "pointer": occurrence.pointer,
        "message": occurrence.message,
        "evidence": _evidence(occurrence.evidence),
    }


def _evidence(evidence: Sequence[Evidence]) -> list[_Object]:
    return [
        {"label": item.label, "text": item.text}
        | ({} if item.http is None else {"http": item.http.as_json()})
        for item in evidence
    ]


def _related(finding: Finding) -> _Object | None:
    if finding.related is None:
        return None
    pointer = finding.related_pointer
    return _place(finding.related) | ({} if pointer is None else {"pointer": pointer})


def _table(table: Table) -> _Object:
    data: _Object = {"title": table.title, "columns": table.columns, "rows": table.rows}
    return data | ({"note": table.note} if table.note else {})


def _place(location: Location) -> _Object:
    return {"file": location.file, "line": location.line, "column": location.column}
