"""`specwright changelog`: the changelog entry for the change from one document to another."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from specwright.arguments.inputs import read_side
from specwright.arguments.options import allow_refs_from, chosen_document, configured
from specwright.compare.comparison import compare
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.report.terminal import say, show
from specwright.review.changelog import entry
from specwright.review.validity import invalid


@click.command(
    epilog="""
\b
Examples:
  specwright changelog git:v1.4.0:spec/openapi.json
  specwright changelog openapi-1.0.yaml openapi-1.1.yaml > entry.md

Exit codes: 0, or 2 if a document cannot be used.
"""
)
@click.argument("base", type=click.Path(path_type=str))
@click.argument("revision", type=click.Path(path_type=str), required=False)
@allow_refs_from
def changelog(base: str, revision: str | None, allowed: tuple[Path, ...]) -> None:
    """Write the changelog entry for the change from BASE to REVISION, in Markdown.

    Both are files with OpenAPI 3, or `git:REF:path` for a file of a commit. REVISION is the
    document of [tool.specwright] unless it is given. The form is that of Keep a Changelog; the
    heading is the version of REVISION. Accepted changes are changes, too.
    """
    newer = revision or str(chosen_document(configured()))
    before, after = (read_side(name, allowed) for name in (base, newer))
    report = compare(before, after, today=date.today())
    unsure = [each for each in report.findings if each.rule == ChangeRule.DIFF_INCOMPLETE]
    for finding in (*invalid(before), *invalid(after), *unsure):
        say(f"{finding.location}: {finding.level} {finding.rule} {finding.message}", err=True)
    show(entry(report, before, after))
