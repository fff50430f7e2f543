"""A report for people: one line per finding, and the line that it is about."""

from __future__ import annotations

from collections.abc import Iterator

import click

from specwright.findings import Finding, Level, Report
from specwright.report.details import details
from specwright.text import visible

# How wide a piece of a long line is shown.
WIDTH = 100
_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def render(report: Report) -> str:
    """All findings, then how many of each level there are."""
    lines = [line for finding in report.findings for line in _finding(finding, report)]
    return "\n".join([*lines, _summary(report)]) + "\n"


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    place, words = visible(str(finding.location)), visible(f"{finding.rule} {finding.message}")
    yield f"{place}: {_painted(finding.level, finding.level)} {words}"
    line = report.line(finding.location)
    if line is not None:
        yield from _snippet(line, finding)
    yield from (f"    {detail}" for detail in details(finding))


def _snippet(line: str, finding: Finding) -> Iterator[str]:
    column = finding.location.column - 1
    start = max(0, column - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[start : start + WIDTH].replace("\t", " ")
    if not start:
        indent = len(shown) - len(shown.lstrip())
        start, shown = indent, shown.lstrip()
    number = str(finding.location.line)
    left = max(0, column - start)
    before = visible(shown[:left].ljust(left))
    yield f"    {number} | {visible(shown.rstrip())}"
    yield f"    {' ' * len(number)} | {' ' * len(before)}{_painted(finding.level, '^')}"


def _summary(report: Report) -> str:
    counts = [
        f"{count} {level if count == 1 or level is Level.INFO else level + 's'}"
        for level in (Level.ERROR, Level.WARNING, Level.INFO)
        if (count := report.count(level))
    ]
    waived = f" ({len(report.waived)} waived)" if report.waived else ""
    return f"{visible(report.document)}: {', '.join(counts) or 'no findings'}{waived}"


def _painted(level: Level, words: str) -> str:
    # click takes the colours out again unless the output is a terminal.
    return click.style(words, fg=_COLOURS[level], bold=True)
