"""An error that stops a command, as a report for programs that read its output."""

from __future__ import annotations

from specwright.errors import Location, SpecwrightError
from specwright.findings import Finding, Level, Report, RuleDescription

UNUSABLE = RuleDescription(
    "unusable-input",
    "Checks",
    "A command that cannot use its input exits with 2 and checks nothing else. In formats for "
    "programs, the error is a finding, so that they are valid then, too.",
    "",
    "",
    Level.ERROR,
    Level.ERROR,
    instead="Correct the input as the message says.",
)
# Of an error that is not about a file.
_HERE = Location(".", 1, 1)


def error_report(error: SpecwrightError, command: str) -> Report:
    """Return a report of a command with an error as its only finding."""
    place = error.location or _HERE
    message = "; ".join(filter(None, (error.message, *error.details, error.hint)))
    finding = Finding(UNUSABLE.id, Level.ERROR, place, None, message)
    return Report(place.file, (finding,), rules=(UNUSABLE,), command=command)
