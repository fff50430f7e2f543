"""The entries of a changelog, from the versions of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from specwright.compare.changelog import (
    ChangelogEntry,
    DocumentVersion,
    changelog_entry,
    version_steps,
)
from specwright.compare.comparison import compare
from specwright.compare.verdicts.change_rule import DIFF_INCOMPLETE
from specwright.review.validity import validity_findings


def entries(
    versions: Sequence[DocumentVersion], today: date, tell: Callable[[str], object]
) -> Iterator[ChangelogEntry]:
    """Yield the changes of each version, the newest first.

    Args:
        versions: in chronological order, starting with the base of the comparison.
        tell: called with a line about each document that cannot be compared as a whole.
    """
    for before, after in version_steps(versions):
        base, revision = before.document, after.document
        # What was released early stays so, however late the changelog is written.
        day = date.fromisoformat(after.day) if after.day else today
        report = compare(base, revision, today=day)
        unsure = [finding for finding in report.findings if finding.rule == DIFF_INCOMPLETE]
        for finding in (*validity_findings(base), *validity_findings(revision), *unsure):
            tell(f"{finding.location}: {finding.level} {finding.rule} {finding.message}")
        yield changelog_entry(report, base, revision, after.day)
