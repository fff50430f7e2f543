"""Merge the reports of several documents into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from specwright.errors import Location
from specwright.findings import Affected, Finding, Level, Report, in_order, worst_first
from specwright.report.wording import counted, headline


def merge_reports(reports: Sequence[Report]) -> Report:
    """Merge reports of the same command; each operation names its document.

    Args:
        reports: at least one, of documents with different names.
    """
    if len(reports) == 1:
        return reports[0]

    def line(location: Location) -> str | None:
        lines = (report.line(location) for report in reports)
        return next((text for text in lines if text is not None), None)

    compared = [report.breaking for report in reports if report.breaking is not None]
    broken = sum(any(map(_breaks, report.findings)) for report in reports)
    return Report(
        counted(len(reports), "document"),
        worst_first(
            _with_document(finding, report) for report in reports for finding in report.findings
        ),
        in_order(
            _with_document(finding, report) for report in reports for finding in report.waived
        ),
        tuple({rule.id: rule for report in reports for rule in report.rules}.values()),
        line,
        tuple(fact for report in reports for fact in _facts(report)),
        tuple(
            replace(table, title=f"{report.document}: {table.title}")
            for report in reports
            for table in report.tables
        ),
        reports[0].command,
        f"breaking changes in {broken} of {counted(len(reports), 'document')}" if compared else "",
        sum(compared) if compared else None,
        unchecked=tuple(
            f"{report.document}: {part}" for report in reports for part in report.unchecked
        ),
    )


def _breaks(finding: Finding) -> bool:
    return finding.affected is not None and finding.level is Level.ERROR


def _facts(report: Report) -> Sequence[tuple[str, str]]:
    own = ((f"{report.document}: {label}", value) for label, value in report.facts)
    return (report.document, headline(report)), *own


def _with_document(finding: Finding, report: Report) -> Finding:
    if finding.affected is None:
        return finding
    operations = tuple(
        f"{operation} ({report.document})" for operation in finding.affected.operations
    )
    return replace(finding, affected=Affected(finding.affected.subject, operations))
