"""`specwright changelog`: the changelog entry for the change from one document to another."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path

import click

from specwright.arguments.project import allow_refs_from, compared_document
from specwright.arguments.versions import versions_after, versions_since
from specwright.document.sources.git import Commit
from specwright.report.terminal import say, show
from specwright.review.changelog import as_markdown
from specwright.review.entries import entries


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

    Both are files with OpenAPI 3, or `git:REF:path` for a file of a commit. By default, REVISION is
    the document of [tool.specwright]. The entry has the form of Keep a Changelog; its heading is
    the version of REVISION. Accepted changes are included. With --since, omit BASE: there is an
    entry for each version from that commit to the working tree, the newest first.
    """
    names = [*([] if since is None else [""]), *documents, *([document] if document else [])]
    if not 1 <= len(names) <= 2:
        raise click.UsageError("expected BASE [REVISION] or --since REF [REVISION]")
    newer = names[1] if len(names) == 2 else str(compared_document(since or names[0]))
    states = (
        versions_after(names[:1], newer, allowed)
        if since is None
        else versions_since(Commit.of(since), newer, allowed)
    )
    for number, entry in enumerate(entries(states, date.today(), partial(say, err=True))):
        if number:
            show("\n")
        show(as_markdown(entry))
