"""`specwright review`: everything that a pull request does to the contract, in one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from specwright.arguments.inputs import (
    accepted,
    accepted_in,
    lint_settings,
    read_document,
    read_side,
)
from specwright.arguments.options import (
    allow_refs_from,
    chosen_document,
    chosen_output,
    configured,
)
from specwright.arguments.output import fail_on_level, output_format
from specwright.compare.verdicts.acceptances import Acceptance, approved
from specwright.document.sources.git import Commit
from specwright.findings import Finding, Level, worst_first
from specwright.report.directory import write
from specwright.report.formats import FORMATS
from specwright.report.terminal import progress, show
from specwright.review.pull_request import DocumentChange
from specwright.review.pull_request import review as review_of

_SHOWN_HASH = 12


@click.command(
    epilog="""
\b
Examples:
  specwright review --base origin/main
  specwright review --base HEAD^1 --format markdown > comment.md
  specwright review --base v1.4.0 --format github --report-dir reports

Exit codes: 0 if nothing is as bad as --fail-on says, 1 if something is, 2 if the base, the document
or a setting cannot be used.
"""
)
@click.option(
    "--base", required=True, metavar="REF", help="The commit to compare with, as git names it."
)
@click.option("--document", type=click.Path(path_type=Path), help="The OpenAPI document.")
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
    help="Let only those changes be accepted that the review.toml of the base accepts, too.",
)
@allow_refs_from
@click.pass_context
def review(
    ctx: click.Context,
    base: str,
    document: Path | None,
    output: str,
    report_dir: Path | None,
    fail_on: str,
    accepted_in_base: bool,
    allowed: tuple[Path, ...],
) -> None:
    """Review what the working tree does to the contract since a commit.

    One report: the findings of `validate`, those of `diff`, the drift of the generated package,
    and how its public names changed. The document is that of [tool.specwright] unless it is given.
    """
    config = configured(document=document)
    options, chosen = config.options, chosen_document(config)
    commit = Commit.of(base)
    entries: Sequence[Acceptance] = accepted(chosen)
    pending: Sequence[Finding] = ()
    if accepted_in_base:
        entries, pending = approved(entries, accepted_in(commit, chosen))
    change = DocumentChange(
        commit,
        read_side(commit.name_of(chosen), allowed),
        read_document(chosen, allowed),
        lint_settings(chosen, short_method_names=options.short_method_names),
        entries,
    )
    with progress("checking the documents") as say_step:
        report = review_of(
            change, options, chosen_output(config), today=date.today(), progress=say_step
        )
    report = replace(report, findings=worst_first((*report.findings, *pending)))
    report = replace(report, facts=(("Base", f"{base} ({commit.id[:_SHOWN_HASH]})"), *report.facts))
    if report_dir is not None:
        write(report, report_dir)
    show(FORMATS[output](report))
    ctx.exit(1 if report.has(Level(fail_on)) else 0)
