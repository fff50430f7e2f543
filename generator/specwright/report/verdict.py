"""The outcome of a report in a few words."""

from __future__ import annotations

from specwright.findings import WORST_FIRST, Level, Report


def verdict(report: Report) -> str:
    """How many findings of each level there are, and how many are waived."""
    counts = [counted(count, level) for level in WORST_FIRST if (count := report.count(level))]
    waived = f" ({len(report.waived)} waived)" if report.waived else ""
    return f"{', '.join(counts) or 'no findings'}{waived}"


def counted(count: int, noun: str) -> str:
    """A number and the noun that it counts; infos are counted as the JSON report names them."""
    return f"{count} {noun if count == 1 or noun == Level.INFO else noun + 's'}"
