"""Validation, comparison and generated package of a changed document in one report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from specwright.compare.comparison import compare
from specwright.compare.verdicts.acceptances import Acceptance
from specwright.document.model import Document
from specwright.findings import Finding, Level, Report, in_order
from specwright.report.verdict import counted
from specwright.review.package import Package
from specwright.review.package_rules import DESCRIPTIONS, NOT_GENERATED


def review(
    validations: tuple[Report, Report],
    documents: tuple[Document, Document],
    package: Package | None,
    acceptances: Sequence[Acceptance] = (),
    *,
    today: date,
) -> Report:
    """Join what is known of the change from one upgraded document to another.

    Args:
        validations: the reports on both documents.
        package: what is generated from both; None if the project has no package.
    """
    broken = package.broken() if package else []
    changes = compare(*documents, acceptances, today=today, others=broken)
    old, new = validations
    listed = _news(old, new)
    facts = list(package.facts()) if package else [("Generated package", "none")]
    if len(listed) < len(new.findings):
        facts.append(("Not listed", _as_before(len(new.findings) - len(listed))))
    table = package.table() if package else None
    return replace(
        changes,
        findings=in_order((*listed, *changes.findings, *_of(package, new))),
        waived=in_order((*new.waived, *changes.waived)),
        rules=(*new.rules, *changes.rules, *DESCRIPTIONS),
        facts=tuple(facts),
        tables=(table,) if table else (),
        command="review",
    )


def _news(old: Report, new: Report) -> Sequence[Finding]:
    """The errors of a document, and whatever else its base does not have."""
    known = {(each.rule, each.pointer, each.message) for each in old.findings}
    return [
        each
        for each in new.findings
        if each.level is Level.ERROR or (each.rule, each.pointer, each.message) not in known
    ]


def _as_before(count: int) -> str:
    return f"{counted(count, 'finding')} of validate below errors that the base has, too"


def _of(package: Package | None, validation: Report) -> Iterator[Finding]:
    for finding in package.findings() if package else ():
        # The findings of an invalid document say why nothing can be made of it.
        if finding.rule != NOT_GENERATED.id or not validation.has_errors:
            yield finding
