"""The package on both sides of a change, generated in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from shlex import quote

from specwright import pipeline
from specwright.check.checks import Examination
from specwright.config import PackageOptions, configs_as_of, of_document, project_of
from specwright.document.model import Document
from specwright.document.sources.git import Commit
from specwright.emit.drift import compare
from specwright.emit.fileset import FileSet
from specwright.emit.manifest import LOCK, read_lock
from specwright.errors import InputError, SpecwrightError
from specwright.findings import Report
from specwright.internal_errors import INTERNAL_ERROR
from specwright.models.background import ModelWorker
from specwright.review.package import PackageFailure, RegeneratedPackage


@dataclass(frozen=True, slots=True)
class ExaminedDocument:
    """A document as it was read, and its examination by the rules."""

    document: Document
    examination: Examination


def generate_packages(
    target: Path,
    options: PackageOptions,
    commit: Commit,
    base: ExaminedDocument,
    revision: ExaminedDocument,
    *,
    today: date,
) -> RegeneratedPackage | None:
    """Generate the package of both documents with the templates of the working tree.

    Args:
        target: the directory of the package.
        options: the options of the working tree.
        commit: the commit with the base, and with the options of its package.
        today: the day on which old names are removed, on both sides: they were announced.

    Returns:
        None for a project without a package, both now and in the commit.
    """
    if read_lock(target).package is None and not _had_package(commit, target):
        return None
    with ModelWorker() as first, ModelWorker() as second:
        document = Path(revision.document.path)
        new = _generate(options.on(today), revision, first)
        old = _generate_base(commit, options, base, document, second, today=today)
    drift = () if isinstance(new, PackageFailure) else compare(new, target)
    return RegeneratedPackage(target, old, new, drift, _command(document))


def _command(document: Path) -> str:
    """Return the command that generates the package again, also from another project."""
    is_own = project_of(document) == project_of()
    return "specwright generate" if is_own else f"specwright generate {quote(str(document))}"


def _had_package(commit: Commit, target: Path) -> bool:
    try:
        return bool(commit.read(commit.name_of(target / LOCK)))
    except OSError:
        return False


def _generate_base(
    commit: Commit,
    options: PackageOptions,
    base: ExaminedDocument,
    document: Path,
    worker: ModelWorker,
    *,
    today: date,
) -> FileSet | PackageFailure:
    try:
        return _generate(_options_of(commit, options, document).on(today), base, worker)
    except InputError as error:
        return PackageFailure(f"its settings are invalid: {error.message}")


def _options_of(commit: Commit, options: PackageOptions, document: Path) -> PackageOptions:
    """Return the options at a commit; those of the working tree if it has no project settings."""
    file = project_of(document)
    if file is None:
        return options
    try:
        configs = configs_as_of(file, commit.read(commit.name_of(file)))
    except OSError:
        return options
    config = of_document(configs, document)
    return replace(config.options, templates=options.templates) if config else options


def _generate(
    options: PackageOptions, side: ExaminedDocument, worker: ModelWorker
) -> FileSet | PackageFailure:
    reports: list[Report] = []
    try:
        files = pipeline.generate(
            side.document,
            options,
            examination=side.examination,
            tell=reports.append,
            begin_models=worker.begin,
        )
    except SpecwrightError as error:
        return PackageFailure(error.lines[0])
    for finding in (finding for report in reports for finding in report.findings):
        # A package without a part cannot tell which names the change removes.
        if finding.rule == INTERNAL_ERROR.id:
            return PackageFailure(f"{finding.location}: {finding.message}")
    return files
