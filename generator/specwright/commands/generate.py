"""`specwright generate`: bring a generated package in line with its document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from specwright.commands.options import (
    DEFAULT_OUTPUT,
    chosen_document,
    chosen_output,
    configured,
)
from specwright.config import Config
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load, read_file
from specwright.emit import cache
from specwright.emit.drift import Difference, State, compare, unified_diff
from specwright.emit.fileset import FileSet
from specwright.emit.write import write
from specwright.render.templates import builtin_directory
from specwright.report.terminal import say, show

if TYPE_CHECKING:
    from specwright.models.worker import ModelWorker


@click.command(
    epilog="""
\b
Examples:
  specwright generate
  specwright generate --check
  specwright generate --document openapi.yaml --output sdk --package shop

Exit codes: 0 if the output is or now is what the document says, 1 if --check or --diff found a
difference or the document is not valid OpenAPI, 2 if it cannot be generated or written.
"""
)
@click.option("--check", is_flag=True, help="Write nothing; name every file that differs.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--document", type=click.Path(path_type=Path), help="The OpenAPI document.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help=f"The directory to generate.  [default: {DEFAULT_OUTPUT}]",
)
@click.option("--package", help="Import name of the package.  [default: from the title]")
@click.option(
    "--templates", type=click.Path(path_type=Path), help="Directory of templates of your own."
)
@click.option(
    "--remote-refs",
    type=click.Choice([Remote.REFUSE.value, Remote.FETCH.value]),
    default=Remote.REFUSE.value,
    show_default=True,
    help="What to do about references to other machines.",
)
@click.pass_context
def generate(
    ctx: click.Context,
    check: bool,
    diff: bool,
    document: Path | None,
    output: Path | None,
    package: str | None,
    templates: Path | None,
    remote_refs: str,
) -> None:
    """Generate models, client, server stub and webhooks from an OpenAPI document.

    What is not given here comes from [tool.specwright] in the nearest pyproject.toml. Files that
    somebody edited or put into the output are never overwritten.
    """
    started = perf_counter()
    config = configured(document=document, output=output, package=package, templates=templates)
    files = _made(config, Remote(remote_refs))
    target = chosen_output(config)
    if not check and not diff:
        changed = len(write(files, target))
        seconds = perf_counter() - started
        outcome = f"{changed} changed" if changed else "nothing changed"
        say(f"generated {len(files)} files ({outcome}) in {seconds:.1f} s")
        return
    differences = compare(files, target)
    if diff:
        for line in unified_diff(differences):
            say(line.removesuffix("\n"))
    for line in _drift(differences, target, with_content=not diff):
        say(line)
    if differences:
        say(f"{len(differences)} of {len(files)} files differ; run: specwright generate")
    elif check:
        say(f"{len(files)} files are what {config.document} says")
    ctx.exit(1 if differences else 0)


def _made(config: Config, remote: Remote) -> FileSet:
    """Generate the files, or take them from the cache when everything is as it was."""
    document = chosen_document(config)
    place = chosen_output(config).resolve().parent / cache.DIRECTORY
    key = cache.cache_key(read_file(str(document)), config.options, builtin_directory())
    files = cache.load(place, key, document)
    if files is None:
        # Imported here: a run that finds everything as it was needs none of it.
        from specwright.models.worker import ModelWorker

        with ModelWorker() as worker:
            loaded = load(document, remote=remote)
            files = _generated(config, loaded, worker)
        cache.store(place, key, files, document, _parts(loaded))
    return files


def _generated(config: Config, document: Document, worker: ModelWorker) -> FileSet:
    # Imported here: a run that finds everything as it was needs none of it.
    from specwright import pipeline
    from specwright.report import text

    try:
        with _progress() as progress:
            return pipeline.generate(
                document, config.options, progress=progress, begin_models=worker.begin
            )
    except pipeline.InvalidDocument as error:
        show(text.render(error.report), err=True)
        raise


def _parts(document: Document) -> set[str]:
    """The other files, or addresses, that a document consists of."""
    return {graft.source.file for graft in document.grafts.values()} - {document.source.file}


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show the current step, to people only."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    # Imported here: it costs more than a run that finds everything as it was.
    from rich.console import Console

    with Console(stderr=True).status("reading the document") as status:
        yield status.update


def _drift(
    differences: tuple[Difference, ...], target: Path, *, with_content: bool
) -> Iterator[str]:
    for each in differences:
        if with_content or each.state is State.FOREIGN:
            yield f"{(target / each.path).as_posix()}: {each.state}"
