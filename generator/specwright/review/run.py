"""Validation, comparison and generated package of a changed document in one report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from specwright.compare.acceptances import Acceptance
from specwright.compare.run import compare
from specwright.document.model import Document
from specwright.findings import Finding, Report, in_order
from specwright.review.package import Package
from specwright.review.rules import DESCRIPTIONS, NOT_GENERATED


def review(
    validation: Report,
    base: Document,
    revision: Document,
    package: Package | None,
    acceptances: Sequence[Acceptance] = (),
    *,
    today: date,
) -> Report:
    """Join what is known of the change from one upgraded document to another.

    Args:
        validation: the report on the revision.
        package: what is generated from both; None if the project has no package.
    """
    broken = package.broken() if package else []
    changes = compare(base, revision, acceptances, today=today, others=broken)
    table = package.table() if package else None
    return replace(
        changes,
        findings=in_order((*validation.findings, *changes.findings, *_of(package, validation))),
        waived=in_order((*validation.waived, *changes.waived)),
        rules=(*validation.rules, *changes.rules, *DESCRIPTIONS),
        facts=tuple(package.facts()) if package else (("Generated package", "none"),),
        tables=(table,) if table else (),
        command="review",
    )


def _of(package: Package | None, validation: Report) -> Iterator[Finding]:
    for finding in package.findings() if package else ():
        # The findings of an invalid document say why nothing can be made of it.
        if finding.rule != NOT_GENERATED.id or not validation.has_errors:
            yield finding
