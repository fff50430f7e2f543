"""`specwright diff`: review the change from one version of a document to another."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from specwright.arguments.inputs import accepted, change_levels, read_side
from specwright.arguments.options import allow_refs_from, chosen_document, configured, strip_prefix
from specwright.arguments.output import fail_on_level, output_format
from specwright.compare.comparison import compare
from specwright.findings import Level, worst_first
from specwright.report.formats import FORMATS
from specwright.report.terminal import show
from specwright.review.validity import invalid


@click.command(
    epilog="""
\b
Examples:
  specwright diff git:main:spec/openapi.json
  specwright diff openapi-1.0.yaml openapi-1.1.yaml --format json
  specwright diff git:v1.4.0:openapi.yaml openapi.yaml --fail-on warning

Exit codes: 0 if nothing is as bad as --fail-on says, 1 if something is, 2 if a document or the
accepted changes cannot be used.
"""
)
@click.argument("base", type=click.Path(path_type=str))
@click.argument("revision", type=click.Path(path_type=str), required=False)
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
    revision: str | None,
    output: str,
    fail_on: str,
    acceptances: str | None,
    prefixes: tuple[str, ...],
    allowed: tuple[Path, ...],
) -> None:
    """Review the change from BASE to REVISION: whom does it break?

    Both are files with OpenAPI 3, or `git:REF:path` for a file of a commit. REVISION is the
    document of [tool.specwright] unless it is given. docs/reference/rules.md lists what is found;
    `lint.toml` beside REVISION sets levels of these rules, too.
    """
    newer = revision or str(chosen_document(configured()))
    before, after = (read_side(name, allowed) for name in (base, newer))
    entries = accepted(newer, acceptances)
    problems = [finding for each in (before, after) for finding in invalid(each)]
    report = compare(
        before,
        after,
        entries,
        today=date.today(),
        levels=change_levels(newer),
        prefixes=prefixes,
    )
    report = replace(report, findings=worst_first((*report.findings, *problems)))
    show(FORMATS[output](report))
    ctx.exit(1 if report.has(Level(fail_on)) else 0)
