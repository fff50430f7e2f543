"""A report for people: one line per finding, and the line that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specwright.document.model import Document
from specwright.findings import Finding, Level, Report

# How wide a piece of a long line is shown.
WIDTH = 100

Paint = Callable[[Level, str], str]


def plain(level: Level, words: str) -> str:
    """No colours."""
    return words


def render(report: Report, document: Document, paint: Paint = plain) -> str:
    """All findings, then how many of each level there are."""
    lines = [line for finding in report.findings for line in _finding(finding, document, paint)]
    return "\n".join([*lines, _summary(report)]) + "\n"


def _finding(finding: Finding, document: Document, paint: Paint) -> Iterator[str]:
    level = paint(finding.level, finding.level)
    yield f"{finding.location}: {level} {finding.rule} {finding.message}"
    line = document.line(finding.location)
    if line is not None:
        yield from _snippet(line, finding, paint)


def _snippet(line: str, finding: Finding, paint: Paint) -> Iterator[str]:
    column = finding.location.column - 1
    start = max(0, column - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[start : start + WIDTH].replace("\t", " ")
    if not start:
        indent = len(shown) - len(shown.lstrip())
        start, shown = indent, shown.lstrip()
    number = str(finding.location.line)
    yield f"    {number} | {shown.rstrip()}"
    yield f"    {' ' * len(number)} | {' ' * (column - start)}{paint(finding.level, '^')}"


def _summary(report: Report) -> str:
    counts = [
        f"{count} {level if count == 1 or level is Level.INFO else level + 's'}"
        for level in (Level.ERROR, Level.WARNING, Level.INFO)
        if (count := report.count(level))
    ]
    waived = f" ({len(report.waived)} waived)" if report.waived else ""
    return f"{report.document}: {', '.join(counts) or 'no findings'}{waived}"
