"""A report as text: one line per finding, and the source line that it is about."""

from __future__ import annotations

from collections.abc import Iterator

import click

from specwright.findings import Finding, Level, Report, Table
from specwright.report.excerpt import LONGEST_SOURCE, excerpt
from specwright.report.outline import causes, in_reading_order, rule_counts
from specwright.report.wording import counted, details, finding_counts, listed
from specwright.text import visible

# The lines of a terminal: the beginning of a longer report is not seen at first.
_SCREEN = 24
# The numbers of operations, and of causes, in the summary.
_FEW, _FIRST = 2, 5
_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def render(report: Report, most: int | None = None) -> str:
    """Return the findings, the worst first, the measurements, then the outcome.

    `most` is the number of findings to show; None for all.
    """
    findings = in_reading_order(report)
    lines = [line for finding in findings[:most] for line in _finding(finding, report)]
    if most is not None and len(findings) > most:
        lines.append(f"… and {counted(len(findings) - most, 'further finding')}")
    lines += _never_succeeded(report)
    lines += [line for table in report.tables for line in _table(table)]
    lines += [visible(f"{label}: {value}") for label, value in report.facts]
    if len(lines) > _SCREEN:
        lines += _summary(report)
    if report.unchecked:
        lines.append(visible(f"Not checked: {'; '.join(report.unchecked)}"))
    return "\n".join([*lines, outcome(report)]) + "\n"


def _summary(report: Report) -> Iterator[str]:
    """Yield breaks, callers affected, and the way to the remedies, as the end is read first."""
    counts, fixes = rule_counts(report), causes(report)
    if counts:
        rows = [
            (str(len(entry.findings)), entry.rule.id, listed(entry.operations, _FEW))
            for entry in counts
        ]
        note = "`specwright explain RULE` has a way without a break for each rule"
        yield from _table(Table("What breaks, and for whom", ("", "rule", "in"), tuple(rows), note))
    if fixes:
        yield "What to fix first:"
        yield from (visible(f"    {finding.rule} {finding.message}") for finding in fixes[:_FIRST])
        if len(fixes) > _FIRST:
            yield f"    … and {counted(len(fixes) - _FIRST, 'further cause')} above"
        yield "    `specwright explain RULE` has the remedy of each rule"


def outcome(report: Report) -> str:
    """Return the last line: the document, and the outcome."""
    words = "; ".join(filter(None, (report.headline, finding_counts(report))))
    return visible(f"{report.document}: {words}")


def _never_succeeded(report: Report) -> Iterator[str]:
    """Yield the operations that never succeeded, so that only their errors were tested."""
    summaries = [summary for summary in report.operation_summaries if not summary.successes]
    if summaries:
        yield "Never succeeded:"
    for summary in summaries:
        yield visible(f"    {summary.operation}: {summary.outcome or 'not called'}; {summary.hint}")


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    place, words = visible(str(finding.location)), visible(f"{finding.rule} {finding.words}")
    yield f"{place}: {_coloured(finding.level, finding.level)} {words}"
    line = report.line(finding.location)
    if line is not None and len(line) <= LONGEST_SOURCE:
        yield from _snippet(line, finding)
    yield from (f"    {detail}" for detail in details(finding))


def _snippet(line: str, finding: Finding) -> Iterator[str]:
    piece = excerpt(line, finding.location.column)
    number = str(finding.location.line)
    shown = f"{piece.before}{piece.at}{piece.after}".rstrip(" ")
    yield f"    {number} | {shown}"
    yield f"    {' ' * len(number)} | {' ' * len(piece.before)}{_coloured(finding.level, '^')}"


def _table(table: Table) -> Iterator[str]:
    cells = [[visible(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield f"{visible(table.title)}:"
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"    {'  '.join(padded)}".rstrip(" ")
    if table.note:
        yield f"    {visible(table.note)}"


def _coloured(level: Level, words: str) -> str:
    # click removes the colours unless the output is a terminal.
    return click.style(words, fg=_COLOURS[level], bold=True)
