"""`specwright diff`: review the change from one version of a document to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import accepted, change_settings, read_side
from specwright.arguments.output import fail_on_level, output_format
from specwright.arguments.project import allow_refs_from, compared_document, strip_prefix
from specwright.compare.comparison import compare
from specwright.document.model import Document
from specwright.files import is_directory
from specwright.findings import Level, Report, worst_first
from specwright.report.formats import FORMATS
from specwright.report.progress import COMPARISON
from specwright.report.terminal import progress, show
from specwright.review.added_removed import added_document, removed_document
from specwright.review.documents import documents_in, title
from specwright.review.merge import merge_reports
from specwright.review.validity import validity_findings


@click.command(
    epilog="""
\b
Examples:
  specwright diff git:main:spec/openapi.json
  specwright diff openapi-1.0.yaml openapi-1.1.yaml --format json
  specwright diff git:v1.4.0:openapi.yaml openapi.yaml --fail-on warning
  specwright diff ../v1.4.0/apis apis

Exit codes: 0 if no finding has the level of --fail-on, 1 if one does, 2 if a document or the
accepted changes cannot be used.
"""
)
@click.argument("base", type=click.Path(path_type=str))
@document_argument("revision")
@output_format
@fail_on_level
@click.option(
    "--accepted",
    "acceptances",
    type=click.Path(path_type=str),
    help="Changes that the project accepts.  [default: review.toml beside REVISION, if there]",
)
@strip_prefix
@allow_refs_from
@click.pass_context
def diff(
    ctx: click.Context,
    base: str,
    revision: Path | str | None,
    output: str,
    fail_on: str,
    acceptances: str | None,
    prefixes: tuple[str, ...],
    allowed: tuple[Path, ...],
) -> None:
    """Review the change from BASE to REVISION for breaking changes.

    Both are files with OpenAPI 3, addresses of such files, or `git:REF:path` for a file of a
    commit; or directories, whose documents with the same path are compared. By default, REVISION is
    the document of [tool.specwright]. docs/reference/rules.md lists the rules, and `lint.toml`
    beside REVISION sets their levels.
    """
    newer = str(revision or compared_document(base))

    def compared(base: str, revision: str) -> Report:
        steps("reading the documents")
        before, after = (read_side(name, allowed, revision) for name in (base, revision))
        steps.characters = before.size + after.size
        steps("comparing the documents")
        report = compare(
            before,
            after,
            accepted(revision, acceptances),
            today=date.today(),
            settings=change_settings(revision),
            prefixes=prefixes,
        )
        problems = (
            finding for document in (before, after) for finding in validity_findings(document)
        )
        return replace(report, findings=worst_first((*report.findings, *problems)))

    with progress(COMPARISON) as steps:
        if is_directory(base) and is_directory(newer):
            read = partial(read_side, allowed=allowed)
            report = merge_reports([*_of_directories(Path(base), Path(newer), compared, read)])
        else:
            report = compared(base, newer)
    show(FORMATS[output](report))
    ctx.exit(1 if report.has(Level(fail_on)) else 0)


def _of_directories(
    base: Path,
    revision: Path,
    compared: Callable[[str, str], Report],
    read: Callable[[str], Document],
) -> Iterator[Report]:
    """Compare documents with the same path, or with the same title if the path has changed."""
    old, new = (
        {path.relative_to(directory): str(path) for path in documents_in(directory)}
        for directory in (base, revision)
    )
    gone = {path: read(old[path]) for path in old.keys() - new.keys()}
    for path, name in new.items():
        if path in old:
            yield compared(old[path], name)
            continue
        document = read(name)
        former = next(
            (place for place in sorted(gone) if title(gone[place]) == title(document)), None
        )
        if former is None:
            yield added_document(document)
        else:
            del gone[former]
            report = compared(old[former], name)
            yield replace(report, facts=(("Moved", f"from {former}"), *report.facts))
    for path in sorted(gone):
        yield removed_document(str(path), gone[path], old[path])
