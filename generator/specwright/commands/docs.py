"""`specwright docs`: the reference of an API as HTML."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.options import (
    allow_refs_from,
    chosen_document,
    configured,
    reference_directories,
)
from specwright.document.sources.load import load_in_part
from specwright.emit.transaction import replace_files
from specwright.errors import InputError
from specwright.report.terminal import say, show

_SUFFIX = ".html"
_INDEX = "index.html"


@click.command(
    epilog="""
\b
Examples:
  specwright docs --output reference.html
  specwright docs openapi.yaml --output site/reference

Exit codes: 0 if the pages are written, 1 if the document has findings that lint.toml makes
errors, 2 if the document cannot be used or a page cannot be written.
"""
)
@click.argument("document", type=click.Path(path_type=Path), required=False)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The page to write, if it ends in .html; otherwise the directory of a site.",
)
@allow_refs_from
def docs(document: Path | None, output: Path, allowed: tuple[Path, ...]) -> None:
    """Write the reference of an API as an HTML page, or as a site.

    It has operations, webhooks, models, errors and declared rules. DOCUMENT is the document of
    [tool.specwright] unless it is given. The pages have a curl command and a call of the generated
    client for each operation, a search, and forms to send requests. A page works offline and needs
    no other file. A site has a page for each group of operations; other files in its directory are
    left alone.
    """
    from specwright import pipeline
    from specwright.arguments.inputs import lint_settings
    from specwright.models.background import ModelWorker
    from specwright.report import text

    is_site = output.suffix.lower() != _SUFFIX
    _check(output, is_site)
    config = configured(document=document)
    chosen = chosen_document(config)
    try:
        with ModelWorker() as worker:
            files = pipeline.reference(
                load_in_part(chosen, within=reference_directories(chosen, allowed)),
                config.options,
                is_site=is_site,
                lint=lint_settings(chosen, short_method_names=config.options.short_method_names),
                tell=lambda report: show(text.render(report), err=True),
                begin_models=worker.begin,
            )
    except pipeline.InvalidDocument as error:
        show(text.render(error.report), err=True)
        raise
    if is_site:
        replace_files(output, files)
    else:
        replace_files(output.parent, {output.name: files[_INDEX]})
    size = sum(map(len, files.values())) / 1_000_000
    pages = "1 page" if len(files) == 1 else f"{len(files)} pages"
    say(f"wrote {output.as_posix()}: {pages}, {size:.1f} MB")


def _check(output: Path, is_site: bool) -> None:
    """Raise an error if nothing can be written there."""
    hint = "choose another --output"
    if output.is_symlink():
        raise InputError(f"{output}: is a link; pages are not written through links", hint=hint)
    if output.exists() and output.is_dir() != is_site:
        kind = "a file, and a site needs a directory" if is_site else "a directory"
        raise InputError(f"{output}: is {kind}", hint=hint)
