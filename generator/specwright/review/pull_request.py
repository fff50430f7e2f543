"""Validation, comparison and generated package of a changed document in one report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from specwright import pipeline
from specwright.check.checks import examine
from specwright.compare.comparison import compare
from specwright.compare.verdicts.acceptances import Acceptance
from specwright.config import PackageOptions
from specwright.document.model import Document
from specwright.document.sources.git import Commit
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding, Level, Report, in_order, worst_first
from specwright.policy import Settings
from specwright.report.wording import counted
from specwright.review.package import DESCRIPTIONS, NOT_GENERATED, RegeneratedPackage
from specwright.review.regeneration import ExaminedDocument, generate_packages
from specwright.review.validity import validity_findings

_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A change of a document in a working tree, and the settings to review it with.

    Attributes:
        commit: the commit that it is compared with.
        base: the document of the commit, upgraded.
        revision: the document of the working tree, as it was read.
        settings: the settings of the checks.
        acceptances: the changes that the project accepts.
        prefixes: path prefixes to ignore when operations are paired.
    """

    commit: Commit
    base: Document
    revision: Document
    settings: Settings
    acceptances: Sequence[Acceptance] = ()
    prefixes: Sequence[str] = ()


def review(
    change: DocumentChange,
    options: PackageOptions,
    output: Path,
    *,
    today: date,
    progress: Callable[[str], None] = lambda step: None,
) -> Report:
    """Join the findings of both documents, their comparison and their packages.

    Args:
        options: the options that the package of the working tree is generated with.
        output: the directory of the package.
        progress: called with the name of each step as it begins.
    """
    progress("checking the documents")
    # One examination serves `validate` and `generate`.
    settings = change.settings, pipeline.needed(options)
    base = examine(change.base, *settings)
    revision = examine(upgrade(change.revision), *settings)
    progress("generating the packages")
    package = generate_packages(
        output,
        options,
        change.commit,
        ExaminedDocument(change.base, base),
        ExaminedDocument(change.revision, revision),
        today=today,
    )
    progress("comparing the documents")
    validations = base.report(change.settings), revision.report(change.settings)
    documents = base.document, revision.document
    report = join_reports(
        validations,
        documents,
        package,
        change.acceptances,
        today=today,
        settings=change.settings,
        prefixes=change.prefixes,
    )
    invalid = validity_findings(base.document)
    return replace(report, findings=worst_first((*report.findings, *invalid)))


def review_alone(revision: Document, settings: Settings, comparison: Report) -> Report:
    """Return the review of a document that the base does not have.

    Args:
        comparison: the report of the comparison with nothing.
    """
    report = examine(upgrade(revision), settings).report(settings)
    return replace(
        report,
        findings=worst_first((*report.findings, *_with_levels(comparison, settings))),
        rules=(*report.rules, *comparison.rules),
        facts=comparison.facts,
        command="review",
        headline=comparison.headline,
        breaking=comparison.breaking,
    )


def _with_levels(comparison: Report, settings: Settings) -> Iterator[Finding]:
    levels = {rule.id: settings.level(rule) for rule in comparison.rules}
    for finding in comparison.findings:
        if levels[finding.rule] is not Level.OFF:
            yield replace(finding, level=levels[finding.rule])


def join_reports(
    validations: tuple[Report, Report],
    documents: tuple[Document, Document],
    package: RegeneratedPackage | None,
    acceptances: Sequence[Acceptance] = (),
    *,
    today: date,
    settings: Settings = _DEFAULTS,
    prefixes: Sequence[str] = (),
) -> Report:
    """Join the reports on the change from one upgraded document to another.

    Args:
        validations: the reports on both documents.
        package: the package generated from both; None if the project does not have one.
        settings: the rule levels of the project, and its notice period for removals.
        prefixes: path prefixes to ignore when operations are paired.
    """
    broken = package.broken() if package else []
    changes = compare(
        *documents, acceptances, today=today, others=broken, settings=settings, prefixes=prefixes
    )
    base, revision = validations
    findings = _new_findings(base, revision)
    facts = [*changes.facts, *(package.facts() if package else [("Generated package", "none")])]
    if len(findings) < len(revision.findings):
        facts.append(("Not listed", _unlisted_words(len(revision.findings) - len(findings))))
    table = package.table() if package else None
    return replace(
        changes,
        findings=worst_first((*findings, *changes.findings, *_package_findings(package, revision))),
        waived=in_order((*revision.waived, *changes.waived)),
        rules=(*revision.rules, *changes.rules, *DESCRIPTIONS),
        facts=tuple(facts),
        tables=(table,) if table else (),
        command="review",
        unchecked=(*changes.unchecked, *_unchecked(package)),
    )


def _unchecked(package: RegeneratedPackage | None) -> Iterator[str]:
    if package is not None and not package.is_compared:
        yield "code that uses the generated package, which one side lacks"


def _new_findings(base: Report, revision: Report) -> Sequence[Finding]:
    """Return the errors of a document, and its other findings that the base does not have."""
    known = {(finding.rule, finding.pointer, finding.message) for finding in base.findings}
    return [
        finding
        for finding in revision.findings
        if finding.level is Level.ERROR
        or (finding.rule, finding.pointer, finding.message) not in known
    ]


def _unlisted_words(count: int) -> str:
    return f"{counted(count, 'finding')} of validate below errors that the base also has"


def _package_findings(package: RegeneratedPackage | None, validation: Report) -> Iterator[Finding]:
    for finding in package.findings() if package else ():
        # The findings of an invalid document already explain why generation fails.
        if finding.rule != NOT_GENERATED.id or not validation.has_errors:
            yield finding
