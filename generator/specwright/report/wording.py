"""The outcome of a report in a few words."""

from __future__ import annotations

from collections.abc import Sequence

from specwright.findings import WORST_FIRST, Level, Report


def headline(report: Report) -> str:
    """Return the outcome in one line: the headline, or else the number of findings."""
    return report.headline or verdict(report)


def verdict(report: Report) -> str:
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
