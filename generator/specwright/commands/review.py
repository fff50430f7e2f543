"""`specwright review`: all effects of a pull request on the contract, in one report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import click

from specwright import policy
from specwright.arguments.document_names import documents_argument, local
from specwright.arguments.documents import (
    accepted,
    accepted_in,
    lint_settings,
    lint_settings_in,
    read_document,
    read_side,
)
from specwright.arguments.output import fail_on_level, output_format
from specwright.arguments.project import (
    all_configured,
    allow_refs_from,
    chosen_document,
    chosen_output,
    configured,
    strip_prefix,
)
from specwright.compare.verdicts.acceptances import Acceptance, entries_in_base, levels_pending
from specwright.config import Config, PackageOptions
from specwright.document.model import Document
from specwright.document.sources.git import Commit, default_branch
from specwright.files import is_directory
from specwright.findings import Finding, Level, Report, worst_first
from specwright.policy import Settings
from specwright.report.directory import write
from specwright.report.formats import FORMATS
from specwright.report.progress import REVIEW, Progress
from specwright.report.terminal import progress, show
from specwright.review.added_removed import (
    added_document,
    document_without_base,
    removed_document,
    untracked_document,
)
from specwright.review.documents import (
    documents_in,
    former_document,
    former_documents,
    former_path,
    removed_since,
)
from specwright.review.merge import merge_reports
from specwright.review.pull_request import DocumentChange, review_alone
from specwright.review.pull_request import review as review_of

_SHOWN_HASH = 12


@click.command(
    epilog="""
\b
Examples:
  specwright review --base origin/main
  specwright review --base HEAD^1 --format markdown > comment.md
  specwright review --base v1.4.0 --format github --report-dir reports

Exit codes: 0 if no finding has the level of --fail-on, 1 if one does, 2 if the base, the document
or a setting cannot be used.
"""
)
@click.option(
    "--base", required=True, metavar="REF", help="The commit to compare with, such as origin/main."
)
@documents_argument
@output_format
@click.option(
    "--report-dir",
    type=click.Path(path_type=Path),
    help="A directory for the report in all formats.",
)
@fail_on_level
@click.option(
    "--accepted-in-base",
    is_flag=True,
    help="Accept only changes that the review.toml of the base accepts, too, and read the levels "
    "of rules from its lint.toml.",
)
@strip_prefix
@allow_refs_from
@click.pass_context
def review(
    ctx: click.Context,
    base: str,
    documents: tuple[Path | str, ...],
    output: str,
    report_dir: Path | None,
    fail_on: str,
    accepted_in_base: bool,
    prefixes: tuple[str, ...],
    allowed: tuple[Path, ...],
) -> None:
    """Review the changes to the contract in the working tree since a commit.

    The report has the findings of `validate` and of `diff`, the drift of the generated package,
    and the changes of its public names. DOCUMENTS are files with OpenAPI 3, or directories of
    them; by default those of [tool.specwright]. A document that the commit does not have is new,
    or was moved from the path of a removed one with the same title.
    """
    commit = Commit.base(base)
    named = local(documents, "review a copy of it in the repository")
    configs = _configs(named)
    with progress(REVIEW) as steps:
        job = _Job(commit, prefixes, allowed, steps, accepted_in_base=accepted_in_base)
        gone = removed_since(commit)
        reports, moved = zip(*(job.report(config, gone) for config in configs), strict=True)
        reports = (*reports, *_removed(commit, set(gone) - set(moved), named))
    report = merge_reports(reports)
    report = replace(report, facts=(("Base", _words(base, commit)), *report.facts))
    if report_dir is not None:
        write(report, report_dir)
    show(FORMATS[output](report))
    ctx.exit(1 if report.has(Level(fail_on)) else 0)


def _words(base: str, commit: Commit) -> str:
    """Return the base in words."""
    if commit.is_none:
        return "none, as before the first push of a branch"
    id = commit.id[:_SHOWN_HASH]
    return f"{base} ({id})" if commit.ref == base else f"{id}, on {default_branch()}"


def _configs(documents: Sequence[Path]) -> Sequence[Config]:
    """Return the settings of the named documents and directories, or of the project."""
    if not documents:
        return all_configured()
    files = (document for path in documents for document in _documents(path))
    return [configured(document=path) for path in dict.fromkeys(files)]


def _documents(path: Path) -> Sequence[Path]:
    return documents_in(path) if is_directory(path) else [path]


def _removed(commit: Commit, gone: Collection[str], documents: Sequence[Path]) -> Iterator[Report]:
    """Yield reports of documents of the project, or a directory, that were removed, not moved."""
    known = set(former_documents(commit)) if not documents else set()
    for path in sorted(gone):
        if path in known or any(map(Path(path).is_relative_to, documents)):
            report = removed_document(path, former_document(commit, path), commit.name(path))
            yield replace(report, command="review")


def _with(report: Report, findings: Sequence[Finding]) -> Report:
    return replace(report, findings=worst_first((*report.findings, *findings)))


@dataclass(frozen=True, slots=True)
class _Job:
    """The inputs of a review that all documents of a run share."""

    commit: Commit
    prefixes: Sequence[str]
    allowed: tuple[Path, ...]
    steps: Progress
    accepted_in_base: bool

    def report(self, config: Config, gone: Sequence[str]) -> tuple[Report, str | None]:
        """Review a document; return its former place, too, if it was moved."""
        options, chosen = config.options, Path(chosen_document(config))
        self.steps("reading the documents")
        revision = read_document(chosen, self.allowed)
        name, moved = self.commit.name_of(chosen), None
        is_there = self.commit.has(name)
        if not is_there:
            moved = former_path(self.commit, revision, gone)
        former = Path(moved) if moved else chosen
        settings, unread = self._settings(chosen, former, options)
        if moved is not None:
            name = self.commit.name(moved)
        elif not is_there:
            report = review_alone(revision, settings, self._with_nothing(chosen, revision))
            return _with(report, unread), None
        entries, pending = self._accepted(chosen, former)
        base = read_side(name, self.allowed, str(chosen))
        self.steps.characters = base.size + revision.size
        change = DocumentChange(
            self.commit,
            base,
            revision,
            settings,
            entries,
            self.prefixes,
        )
        report = review_of(
            change, options, chosen_output(config), today=date.today(), progress=self.steps
        )
        facts = (("Moved", f"from {moved}"), *report.facts) if moved else report.facts
        return replace(_with(report, (*pending, *unread)), facts=facts), moved

    def _with_nothing(self, chosen: Path, revision: Document) -> Report:
        """Return the comparison of a document that the base does not have."""
        if self.commit.is_none:
            return document_without_base(revision)
        return added_document(revision) if Commit.tracks(chosen) else untracked_document(revision)

    def _settings(
        self, chosen: Path, former: Path, options: PackageOptions
    ) -> tuple[Settings, Sequence[Finding]]:
        settings = lint_settings(chosen, options)
        if not self.accepted_in_base:
            return settings, ()
        of_base = lint_settings_in(self.commit, former, options)
        return of_base, levels_pending(settings, of_base, str(chosen.parent / policy.FILE_NAME))

    def _accepted(
        self, chosen: Path, former: Path
    ) -> tuple[Sequence[Acceptance], Sequence[Finding]]:
        entries = accepted(chosen)
        if not self.accepted_in_base:
            return entries, ()
        return entries_in_base(entries, accepted_in(self.commit, former))
