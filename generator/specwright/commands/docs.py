"""`specwright docs`: the reference of an API as HTML."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.packages import PackageBuild
from specwright.arguments.pages import Pages
from specwright.arguments.project import allow_refs_from, configured
from specwright.document.sources.bundle import Remote
from specwright.report.terminal import say, show


@click.command(
    epilog="""
\b
Examples:
  specwright docs --output reference.html
  specwright docs openapi.yaml --output site/reference

Exit codes: 0 if the pages are written, 1 if the document has findings that lint.toml makes errors
or a part of it is left out because of a bug, 2 if the document cannot be used or a page cannot be
written.
"""
)
@document_argument()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The page to write, if it ends in .html; otherwise the directory of a site.",
)
@click.option(
    "--download/--no-download",
    "has_download",
    default=True,
    show_default=True,
    help="Let readers download the document: as it is, with its comments.",
)
@allow_refs_from
@click.pass_context
def docs(
    ctx: click.Context,
    document: Path | str | None,
    output: Path,
    has_download: bool,
    allowed: tuple[Path, ...],
) -> None:
    """Write the reference of an API as an HTML page, or as a site.

    It has operations, webhooks, models, errors and declared rules. DOCUMENT is the document of
    [tool.specwright] unless it is given. The pages have a curl command and a call of the generated
    client for each operation, a search, and forms to send requests. A page works offline and needs
    no other file. A site has a page for each group of operations; other files in its directory are
    left alone.
    """
    pages = Pages.at(output)
    package = PackageBuild.of(configured(document=document), Remote.REFUSE, allowed)
    pages = replace(pages, options=replace(pages.options, has_download=has_download))
    outcome, has_errors = pages.update(package, partial(show, err=True))
    say(outcome)
    ctx.exit(1 if has_errors else 0)
