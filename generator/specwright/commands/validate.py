"""`specwright validate`: check a document and report the findings."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.inputs import lint_settings, read_document
from specwright.arguments.options import (
    all_configured,
    allow_refs_from,
    chosen_document,
    configured,
)
from specwright.arguments.output import lint_file, output_format
from specwright.check.checks import check
from specwright.config import is_same
from specwright.document.sources.bundle import Remote
from specwright.document.upgrade import upgrade
from specwright.report.formats import FORMATS
from specwright.report.terminal import show


@click.command(
    epilog="""
\b
Examples:
  specwright validate spec/openapi.json
  specwright validate openapi.yaml --format sarif > findings.sarif
  specwright validate openapi.yaml --format html > report.html
  specwright validate openapi.yaml --config lint.toml

Exit codes: 0 without errors (there may be warnings), 1 with errors, 2 if the document or the
configuration cannot be used.
"""
)
@click.argument("document", type=click.Path(path_type=Path), required=False)
@output_format
@lint_file
@click.option(
    "--remote-refs",
    type=click.Choice([each.value for each in Remote]),
    default=Remote.REFUSE.value,
    show_default=True,
    help="What to do about references to other machines: refuse the document, keep them "
    "unchecked, or fetch them.",
)
@allow_refs_from
@click.pass_context
def validate(
    ctx: click.Context,
    document: Path | None,
    output: str,
    config: str | None,
    remote_refs: str,
    allowed: tuple[Path, ...],
) -> None:
    """Check an OpenAPI document and report findings.

    DOCUMENT is a JSON or YAML file with OpenAPI 3.0, 3.1 or 3.2; by default that of
    [tool.specwright], or the openapi.json, openapi.yaml or openapi.yml that is here. It is checked
    against the official schema, then for errors that it cannot express, then against the rules of
    docs/reference/rules.md.
    """
    chosen = document or chosen_document(configured())
    short_names = _short_method_names(chosen)
    settings = lint_settings(chosen, short_method_names=short_names, file=config)
    loaded = read_document(chosen, allowed, Remote(remote_refs))
    report = check(upgrade(loaded), settings)
    show(FORMATS[output](report))
    ctx.exit(1 if report.has_errors else 0)


def _short_method_names(document: Path) -> bool:
    """Return whether the project generates short names from this document."""
    return any(
        is_same(each.document, document) and each.options.short_method_names
        for each in all_configured()
    )
