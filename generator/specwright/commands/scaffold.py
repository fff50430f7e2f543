"""`specwright scaffold`: files to start an implementation with."""

from __future__ import annotations

import os
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.project import (
    allow_refs_from,
    chosen_document,
    configured,
    reference_directories,
)
from specwright.document.sources.load import load_in_part
from specwright.emit.transaction import replace_files
from specwright.findings import Report
from specwright.report.terminal import say, show


@click.command(
    epilog="""
\b
Examples:
  specwright scaffold --into service/shop

Exit codes: 0 if every file exists now, 1 if the document has findings that lint.toml makes errors
or a part of it is left out because of a bug, 2 if a file cannot be written.
"""
)
@document_argument()
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    required=True,
    help="The directory of the implementation.",
)
@click.option("--package", help="Import name of the generated package.")
@click.option(
    "--templates", type=click.Path(path_type=Path), help="Directory of templates of your own."
)
@allow_refs_from
@click.pass_context
def scaffold(
    ctx: click.Context,
    into: Path,
    document: Path | str | None,
    package: str | None,
    templates: Path | None,
    allowed: tuple[Path, ...],
) -> None:
    """Write a module for each group of operations, and an app.py that serves them.

    They run as they are and answer every request with 501. Existing files are skipped, so the
    command can be run again after the document gets a new group.
    """
    from specwright import pipeline
    from specwright.arguments.documents import lint_settings
    from specwright.models.background import ModelWorker
    from specwright.report import text

    config = configured(document=document, package=package, templates=templates)
    chosen = chosen_document(config)
    reports: list[Report] = []
    with ModelWorker() as worker:
        loaded = load_in_part(chosen, within=reference_directories(chosen, allowed))
        files = pipeline.scaffold(
            loaded,
            config.options,
            lint=lint_settings(chosen, config.options),
            tell=reports.append,
            begin_models=worker.begin,
        )
    show("".join(map(text.render, reports)), err=True)
    missing = {path: content for path, content in files.items() if not os.path.lexists(into / path)}
    if missing:
        replace_files(into, missing)
    for path in files:
        outcome = "written" if path in missing else "skipped: already exists"
        say(f"{(into / path).as_posix()}: {outcome}")
    ctx.exit(1 if any(report.has_errors for report in reports) else 0)
