"""`specwright validate`: check a document and report the findings."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.document_names import documents_argument
from specwright.arguments.documents import lint_settings, read_document
from specwright.arguments.output import lint_file, output_format
from specwright.arguments.project import allow_refs_from, chosen_documents, own_settings
from specwright.check.checks import check
from specwright.check.repair.names import check_names
from specwright.document.sources.bundle import Remote
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Report
from specwright.report.formats import FORMATS
from specwright.report.progress import VALIDATION, Progress
from specwright.report.terminal import progress, show
from specwright.review.merge import merge_reports


@click.command(
    epilog="""
\b
Examples:
  specwright validate
  specwright validate public.yaml partners.yaml
  specwright validate openapi.yaml --format sarif > findings.sarif
  specwright validate openapi.yaml --format html > report.html
  specwright validate openapi.yaml --config lint.toml

Exit codes: 0 without errors (there may be warnings), 1 with errors, 2 if a document or the
configuration cannot be used.
"""
)
@documents_argument
@output_format
@lint_file
@click.option(
    "--remote-refs",
    type=click.Choice([remote.value for remote in Remote]),
    default=Remote.REFUSE.value,
    show_default=True,
    help="What to do about references to other machines: refuse the document, keep them "
    "unchecked, or fetch them.",
)
@allow_refs_from
@click.pass_context
def validate(
    ctx: click.Context,
    documents: tuple[Path | str, ...],
    output: str,
    config: str | None,
    remote_refs: str,
    allowed: tuple[Path, ...],
) -> None:
    """Check OpenAPI documents and report findings.

    DOCUMENTS are JSON or YAML files with OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0, or their
    addresses; by default those of [tool.specwright], or the openapi or swagger file (.json, .yaml
    or .yml) in this directory. They are checked against the official schema, then for errors that
    it cannot express, then against the rules of docs/reference/rules.md.
    """
    with progress(VALIDATION) as steps:
        report = merge_reports(
            [
                _checked(document, config, allowed, Remote(remote_refs), steps)
                for document in chosen_documents(documents)
            ]
        )
    show(FORMATS[output](report))
    ctx.exit(1 if report.has_errors else 0)


def _checked(
    document: Path | str,
    config: str | None,
    allowed: tuple[Path, ...],
    remote: Remote,
    steps: Progress,
) -> Report:
    options = own_settings(document).options
    steps("reading the document")
    read = upgrade(read_document(document, allowed, remote))
    steps.characters = read.size
    steps("checking the document")
    check_names(read, options.names)
    return check(read, lint_settings(document, options, file=config))
