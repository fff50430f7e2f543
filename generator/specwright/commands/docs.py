"""`specwright docs`: the reference of an API as HTML."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.packages import PackageBuild
from specwright.arguments.pages import Pages
from specwright.arguments.project import allow_refs_from, configured
from specwright.document.sources.bundle import Remote
from specwright.document.sources.git import Commit
from specwright.reference.options import CLIENT, ReferenceOptions
from specwright.reference.programs import PROGRAMS
from specwright.report.terminal import say, show

if TYPE_CHECKING:
    from specwright.compare.changelog import ChangelogEntry


@click.command(
    epilog="""
\b
Examples:
  specwright docs --output reference.html
  specwright docs openapi.yaml --output site/reference
  specwright docs --output reference.html --since v1.0.0

Exit codes: 0 if the pages were written; 1 if the document has findings that lint.toml makes errors,
or a part of it was left out because of a bug; 2 if the document cannot be used or a page cannot be
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
    "--changes",
    "earlier",
    metavar="OLD",
    multiple=True,
    help="List the changes since this version of the document: a file, an address or git:REF:path "
    "(repeatable, the oldest first).",
)
@click.option(
    "--since",
    metavar="REF",
    help="List the changes of each version that the document has had since this commit.",
)
@click.option(
    "--download/--no-download",
    "has_download",
    default=True,
    show_default=True,
    help="Let readers download the document: as it is, with its comments.",
)
@click.option(
    "--sample",
    "samples",
    type=click.Choice([CLIENT, *PROGRAMS]),
    multiple=True,
    default=ReferenceOptions().samples,
    show_default=True,
    help="A sample of each operation: a call of the generated client, or a request of a program "
    "(repeatable, in the order of the page).",
)
@allow_refs_from
@click.pass_context
def docs(
    ctx: click.Context,
    document: Path | str | None,
    output: Path,
    earlier: tuple[str, ...],
    since: str | None,
    has_download: bool,
    samples: tuple[str, ...],
    allowed: tuple[Path, ...],
) -> None:
    """Write the reference of an API as an HTML page, or as a site.

    It covers operations, webhooks, models, errors and declared rules. By default, DOCUMENT is that
    of [tool.specwright]. Each operation has samples of requests and a form to send them; a search
    covers all of them. A page works offline and needs no other file. A site has a page for each
    group of operations; other files in its directory are left alone.
    """
    if earlier and since is not None:
        raise click.UsageError("--changes and --since exclude each other")
    pages = Pages.at(output)
    package = PackageBuild.of(configured(document=document), Remote.REFUSE, allowed)
    changes = _changes(earlier, since, str(package.document), allowed)
    options = replace(pages.options, has_download=has_download, changes=changes, samples=samples)
    pages = replace(pages, options=options)
    outcome, has_errors = pages.update(package, partial(show, err=True))
    say(outcome)
    ctx.exit(1 if has_errors else 0)


def _changes(
    earlier: tuple[str, ...], since: str | None, document: str, allowed: tuple[Path, ...]
) -> list[ChangelogEntry]:
    """Return the changes of versions, the newest first."""
    if since is None and not earlier:
        return []
    # Imported here: most pages have no changelog.
    from specwright.arguments.versions import versions_after, versions_since
    from specwright.review.entries import entries

    versions = (
        versions_after(earlier, document, allowed)
        if since is None
        else versions_since(Commit.of(since), document, allowed)
    )
    return [*entries(versions, date.today(), partial(say, err=True))]
