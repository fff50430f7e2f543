"""`specwright changelog`: the changelog entry for the change from one document to another."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from specwright.arguments.documents import read_side
from specwright.arguments.project import allow_refs_from, compared_document
from specwright.compare.comparison import compare
from specwright.compare.verdicts.change_rule import DIFF_INCOMPLETE
from specwright.document.sources.git import Commit
from specwright.errors import InputError
from specwright.report.terminal import say, show
from specwright.review.changelog import DocumentVersion, changelog_entry, version_steps
from specwright.review.validity import validity_findings


@click.command(
    epilog="""
\b
Examples:
  specwright changelog git:v1.4.0:spec/openapi.json
  specwright changelog openapi-1.0.yaml openapi-1.1.yaml > entry.md
  specwright changelog --since v1.0.0 > CHANGELOG.md

Exit codes: 0, or 2 if a document cannot be used.
"""
)
@click.argument("documents", metavar="[BASE] [REVISION]", type=click.Path(path_type=str), nargs=-1)
@click.option(
    "--document", metavar="PATH|URL", help="The same as REVISION.  [default: that of the project]"
)
@click.option(
    "--since",
    metavar="REF",
    help="Write an entry for each version that REVISION has had since this commit.",
)
@allow_refs_from
def changelog(
    documents: tuple[str, ...],
    document: str | None,
    since: str | None,
    allowed: tuple[Path, ...],
) -> None:
    """Write the changelog entry for the change from BASE to REVISION, in Markdown.

    Both are files with OpenAPI 3, or `git:REF:path` for a file of a commit. REVISION is the
    document of [tool.specwright] unless it is given. The form is that of Keep a Changelog; the
    heading is the version of REVISION. Accepted changes are included. With --since, BASE is left
    out: the versions are those of the commits up to the working tree, the newest first.
    """
    names = [*([] if since is None else [""]), *documents, *([document] if document else [])]
    if not 1 <= len(names) <= 2:
        raise click.UsageError("expected BASE [REVISION] or --since REF [REVISION]")
    newer = names[1] if len(names) == 2 else str(compared_document(since or names[0]))
    if since is None:
        _write(
            DocumentVersion(read_side(names[0], allowed, newer)),
            DocumentVersion(read_side(newer, allowed)),
        )
        return
    states = _states(Commit.of(since), newer, allowed)
    for number, (before, after) in enumerate(version_steps(states)):
        if number:
            show("\n")
        _write(before, after)


def _states(commit: Commit, path: str, allowed: tuple[Path, ...]) -> list[DocumentVersion]:
    """Return the document in a commit, after each later change, and in the working tree."""
    first = DocumentVersion(read_side(commit.name_of(Path(path)), allowed, path))
    states = [first]
    for later, day in commit.since(path):
        try:
            states.append(DocumentVersion(read_side(later.name_of(Path(path)), allowed, path), day))
        except InputError as error:
            say(f"left out: {error.lines[0]}", err=True)
    now = DocumentVersion(read_side(path, allowed))
    if now.document.data != states[-1].document.data:
        states.append(now)
    return states


def _write(before: DocumentVersion, after: DocumentVersion) -> None:
    base, revision = before.document, after.document
    report = compare(base, revision, today=date.today())
    unsure = [finding for finding in report.findings if finding.rule == DIFF_INCOMPLETE]
    for finding in (*validity_findings(base), *validity_findings(revision), *unsure):
        say(f"{finding.location}: {finding.level} {finding.rule} {finding.message}", err=True)
    show(changelog_entry(report, base, revision, after.day))
