"""A report as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from collections import Counter

from specwright.findings import Finding, Level, Report
from specwright.report.outline import in_reading_order
from specwright.report.wording import counted, details
from specwright.text import visible

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}
# The number of annotations of each level.
_SHOWN = 10
_IN_MESSAGE = (("%", "%25"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def render(report: Report) -> str:
    """Return annotations for the worst findings of each level, and a folded list of all others.

    GitHub shows ten of each level for a step and drops the rest; those are in the log.
    """
    lines, further = [], []
    shown = Counter[Level]()
    for finding in in_reading_order(report):
        shown[finding.level] += 1
        if shown[finding.level] <= _SHOWN:
            lines.append(_command(finding))
        else:
            further.append(_plain(finding))
    if further:
        title = f"{counted(len(further), 'further finding')}, all in the job summary"
        lines += [f"::group::{title}", *further, "::endgroup::"]
    return "".join(f"{line}\n" for line in lines)


def _plain(finding: Finding) -> str:
    """Return a finding for the log; leading spaces keep it from being a command."""
    return visible(f"  {finding.location}: {finding.level} {finding.rule} {finding.words}")


def _command(finding: Finding) -> str:
    properties = {
        "file": finding.location.file,
        "line": str(finding.location.line),
        "col": str(finding.location.column),
        "title": finding.rule,
    }
    fields = ",".join(
        f"{name}={_escape(visible(value), _IN_PROPERTY)}" for name, value in properties.items()
    )
    message = "\n".join([visible(finding.words), *details(finding)])
    return f"::{_COMMANDS[finding.level]} {fields}::{_escape(message, _IN_MESSAGE)}"


def _escape(words: str, table: tuple[tuple[str, str], ...]) -> str:
    for character, escaped in table:
        words = words.replace(character, escaped)
    return words
