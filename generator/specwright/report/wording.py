"""The words that several formats share: counts, the outcome of a report, details of a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specwright.findings import WORST_FIRST, Finding, Level, Occurrence, Report
from specwright.http_messages import RequestMessage
from specwright.text import shorten, visible

_OPERATIONS = 10
# The most further requests to show for one finding.
_FURTHER = 20


def headline(report: Report) -> str:
    """Return the outcome in one line: the headline, or else the number of findings."""
    return report.headline or finding_counts(report)


def unchecked(report: Report) -> str:
    """Return the parts that were not checked: this time, and by commands that only read."""
    server = [] if report.rule_runs else ["whether the server does what the document says"]
    return "; ".join((*report.unchecked, *server)) or "nothing"


def finding_counts(report: Report) -> str:
    """Return the number of findings of each level, and of waived ones."""
    counts = [counted(count, level) for level in WORST_FIRST if (count := report.count(level))]
    waived = f" ({len(report.waived)} waived)" if report.waived else ""
    return f"{', '.join(counts) or 'no findings'}{waived}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed; the level `info` has no plural."""
    return f"{count} {noun if count == 1 or noun == Level.INFO else noun + 's'}"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names, and the number of further ones."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def details(finding: Finding) -> Iterator[str]:
    """Yield the related place, the counterexample, the operations and the evidence, if any."""
    if finding.related is not None:
        yield visible(f"see also {finding.related}")
    if finding.counterexample is not None:
        yield visible(shorten(f"counterexample: {finding.counterexample}"))
    if finding.operations and (finding.affected is not None or len(finding.operations) > 1):
        yield visible(f"operations: {listed(finding.operations, _OPERATIONS)}")
    if finding.affected is not None:
        yield f"change: {finding.fingerprint}"
    for evidence in finding.evidence:
        yield visible(f"{evidence.label}:")
        yield from (f"  {visible(line)}" for line in evidence.text.split("\n"))
    # Without evidence, as in reports that last, there are no requests to compare.
    shown = finding.occurrences[1:] if finding.evidence else ()
    others = [line for occurrence in shown for line in _also(occurrence)]
    if others:
        yield "also:"
        yield from (f"  {line}" for line in others[:_FURTHER])
    if len(others) > _FURTHER:
        yield f"  and {len(others) - _FURTHER} more, which the other formats have"


def _also(occurrence: Occurrence) -> Iterator[str]:
    """Yield a line about an occurrence beside the first one, if a request shows it."""
    requests = [item for item in occurrence.evidence if isinstance(item.http, RequestMessage)]
    if requests:
        words = f"{occurrence.id} {occurrence.message}: {requests[-1].text}"
        yield shorten(visible(words))
