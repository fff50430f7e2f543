"""A report as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from specwright.findings import Finding, Level, Report
from specwright.report.details import details
from specwright.report.outline import ranked
from specwright.text import visible

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}
_IN_MESSAGE = (("%", "%25"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def render(report: Report) -> str:
    """One command per finding, the worst first: GitHub shows the first ten of each kind.

    The log has them all.
    """
    return "".join(f"{_command(finding)}\n" for finding in ranked(report))


def _command(finding: Finding) -> str:
    properties = {
        "file": finding.location.file,
        "line": str(finding.location.line),
        "col": str(finding.location.column),
        "title": finding.rule,
    }
    listed = ",".join(
        f"{name}={_escape(visible(value), _IN_PROPERTY)}" for name, value in properties.items()
    )
    message = "\n".join([visible(finding.words), *details(finding)])
    return f"::{_COMMANDS[finding.level]} {listed}::{_escape(message, _IN_MESSAGE)}"


def _escape(words: str, table: tuple[tuple[str, str], ...]) -> str:
    for character, written in table:
        words = words.replace(character, written)
    return words
