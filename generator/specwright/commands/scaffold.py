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
from specwright.errors import SpecwrightError
from specwright.files import read_regular, why_not_read
from specwright.findings import Report
from specwright.project.handlers import Completion, completed
from specwright.report.terminal import say, show


@click.command(
    epilog="""
\b
Examples:
  specwright scaffold --into service/shop
  specwright scaffold --into service/shop --update

Exit codes: 0 if every file exists now; 1 if the document has findings that lint.toml makes errors,
or a part of it was left out because of a bug; 2 if a file cannot be written.
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
@click.option(
    "--update", is_flag=True, help="Add handlers for new operations to the modules that exist."
)
@allow_refs_from
@click.pass_context
def scaffold(
    ctx: click.Context,
    into: Path,
    document: Path | str | None,
    package: str | None,
    templates: Path | None,
    update: bool,
    allowed: tuple[Path, ...],
) -> None:
    """Write a module for each group of operations, and an app.py that serves them.

    They run as they are, and respond to every request with 501. Existing files are skipped, and
    the handlers that they lack are named. --update inserts these handlers; existing lines stay as
    they are.
    """
    from specwright import pipeline
    from specwright.arguments.documents import lint_settings
    from specwright.models.background import ModelWorker
    from specwright.report import text

    config = configured(document=document, package=package, templates=templates)
    chosen = chosen_document(config)
    reports: list[Report] = []
    outcomes: list[str] = []
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
    written: dict[str, bytes] = {}
    for path, content in files.items():
        place = into / path
        if not os.path.lexists(place):
            written[path], outcome = content, "written"
        else:
            completion = _completion(place, content)
            outcome = _outcome(completion, update=update)
            if update and completion.lacking and not completion.obstacle:
                written[path] = completion.text.encode()
        outcomes.append(f"{place.as_posix()}: {outcome}")
    if written:
        replace_files(into, written)
    for line in outcomes:
        say(line)
    ctx.exit(1 if any(report.has_errors for report in reports) else 0)


def _completion(place: Path, fresh: bytes) -> Completion:
    """Return the comparison of an existing file with a new one; links are not followed."""
    if place.is_symlink():
        return Completion((), (), "", "it is a symbolic link")
    try:
        existing = read_regular(place).decode()
    except UnicodeDecodeError:
        return Completion((), (), "", "it is not UTF-8")
    except OSError as error:
        raise SpecwrightError(f"{place}: cannot be read: {why_not_read(error)}") from None
    return completed(existing, fresh.decode())


def _outcome(completion: Completion, *, update: bool) -> str:
    """Return the outcome for an existing file, in words."""
    names = ", ".join(completion.lacking)
    if names and update and not completion.obstacle:
        words = [f"added {names}"]
    elif names:
        words = ["skipped: already exists", f"lacks {names}, which --update adds"]
    else:
        words = ["skipped: already exists"]
    if completion.obstacle:
        words[1:] = [f"not compared: {completion.obstacle}", *([f"lacks {names}"] if names else [])]
    if completion.arguments:
        words.append(f"create_app lacks {', '.join(completion.arguments)}")
    if completion.unknown:
        words.append(f"not an operation: {', '.join(completion.unknown)}")
    return "; ".join(words)
