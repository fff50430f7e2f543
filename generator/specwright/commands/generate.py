"""`specwright generate`: bring a generated package in line with its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from specwright.arguments.options import (
    DEFAULT_OUTPUT,
    all_configured,
    allow_refs_from,
    chosen_document,
    chosen_output,
    configured,
    path_or_url,
    reference_directories,
)
from specwright.config import Config, Options
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load_in_part, read_file
from specwright.emit import cache
from specwright.emit.cache import Made
from specwright.emit.drift import State, compare, unified_diff
from specwright.emit.lock import Contents, contents, read_lock
from specwright.emit.write import write
from specwright.findings import Report
from specwright.grading import settings
from specwright.render.templates import Templates, builtin_directory
from specwright.report.terminal import progress, say, show

if TYPE_CHECKING:
    from specwright.models.background import ModelWorker


@click.command(
    epilog="""
\b
Examples:
  specwright generate
  specwright generate --check
  specwright generate --document openapi.yaml --output sdk --package shop
  specwright generate --document https://api.example.com/openapi.json

Exit codes: 0 if the output is up to date, 1 if --check or --diff found a difference or the document
has findings that lint.toml makes errors, 2 if a file cannot be read or written.
"""
)
@click.option("--check", is_flag=True, help="Write nothing; name every file that differs.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--document", type=path_or_url, help="The OpenAPI document, or its address.")
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
@allow_refs_from
@click.pass_context
def generate(
    ctx: click.Context,
    check: bool,
    diff: bool,
    document: Path | str | None,
    output: Path | None,
    package: str | None,
    templates: Path | None,
    remote_refs: str,
    allowed: tuple[Path, ...],
) -> None:
    """Generate models, client, server stub and webhooks from an OpenAPI document.

    An element with a mistake is left out, with a message; the rest is generated. Options that are
    not given come from [tool.specwright] in the nearest pyproject.toml, or from each of several
    [[tool.specwright]]; without those, the document is the openapi.json, openapi.yaml or
    openapi.yml that is here. Files in the output that were edited or added by hand are never
    overwritten.
    """
    if (document, output, package, templates) == (None, None, None, None):
        configs = all_configured()
    else:
        local = document if isinstance(document, Path) else None
        configs = (configured(document=local, output=output, package=package, templates=templates),)
    address = document if isinstance(document, str) else None
    inputs = [_Input.of(each, address, Remote(remote_refs), allowed) for each in configs]
    for each in inputs:
        # Making a package takes time, wasted if nothing may be written to the directory.
        read_lock(each.target)
    if not check and not diff:
        for each in inputs:
            _write(each)
        return
    # The verdict is on the document as it is now, never on the cache.
    outcomes = [_compare(each, check=check, diff=diff) for each in inputs]
    ctx.exit(0 if all(outcomes) else 1)


@dataclass(frozen=True, slots=True)
class _Input:
    """A document to read, and the destination of its package.

    Attributes:
        within: the directories with the files that it may refer to.
        target: the directory of the package.
    """

    document: Path | str
    options: Options
    target: Path
    remote: Remote
    within: Sequence[Path]

    @classmethod
    def of(
        cls, config: Config, address: str | None, remote: Remote, allowed: Sequence[Path]
    ) -> _Input:
        target = chosen_output(config)
        if address is not None:
            return cls(address, config.options, target, remote, ())
        document = chosen_document(config)
        within = reference_directories(document, allowed)
        return cls(document, config.options, target, remote, within)

    def read(self) -> Document:
        return load_in_part(self.document, remote=self.remote, within=self.within)


def _write(given: _Input) -> None:
    started = perf_counter()
    made = _remembered(given)
    files = made.files
    show(made.said, err=True)
    changed = len(write(files, given.target))
    seconds = perf_counter() - started
    outcome = f"{changed} changed" if changed else "nothing changed"
    say(f"generated {len(files)} files ({outcome}) in {seconds:.1f} s")
    say(_summary(contents(files)))


def _compare(given: _Input, *, check: bool, diff: bool) -> bool:
    """Report the differences; return whether the package is up to date."""
    made, _ = _made(given)
    files = made.files
    show(made.said, err=True)
    differences = compare(files, given.target)
    if diff:
        for line in unified_diff(differences):
            say(line.removesuffix("\n"))
    for each in differences:
        if not diff or not each.is_shown or each.state is State.FOREIGN:
            say(f"{(given.target / each.path).as_posix()}: {each.state}")
    if differences:
        say(f"{len(differences)} of {len(files)} files differ; run: specwright generate")
    elif check:
        say(f"{len(files)} files are up to date with {given.document}")
    return not differences


def _summary(made: Contents) -> str:
    """Return how much of the document has code, in words."""
    counts = [
        f"{whole} of {number} {what}"
        for whole, number, what in (
            (made.whole_operations, made.operations, "operations"),
            (made.whole_webhooks, made.webhooks, "webhooks"),
        )
        if number
    ]
    whole = f"{', '.join(counts) or 'no operations'} in full"
    left_out = [f"{count} {rule}" for rule, count in made.left_out.items()]
    return f"{whole}; left out: {', '.join(left_out) or 'nothing'}"


def _remembered(given: _Input) -> Made:
    """Generate the files, or take them from the cache if nothing has changed."""
    if isinstance(given.document, str):
        # It is unknown whether a document on another machine has changed.
        return _made(given)[0]
    document = given.document
    templates = Templates(builtin_directory(), given.options.templates)
    lint = settings.find(str(document))

    def key() -> str:
        files = [read_file(each) for each in (str(document), lint) if each is not None]
        return cache.cache_key(files, given.options, templates)

    place, before = cache.cache_directory(), key()
    made = cache.load(place, before, document, given.within)
    if made is None:
        made, loaded = _made(given)
        # If a file has changed in the meantime, it is unknown which version was read.
        if key() == before:
            cache.store(place, before, made, document, _parts(loaded))
    return made


def _made(given: _Input) -> tuple[Made, Document]:
    # Imported here: a run without changes does not need it.
    from specwright.models.background import ModelWorker

    with ModelWorker() as worker:
        loaded = given.read()
        return _generated(given.options, loaded, worker), loaded


def _generated(options: Options, document: Document, worker: ModelWorker) -> Made:
    # Imported here: a run without changes does not need it.
    from specwright import pipeline
    from specwright.arguments.inputs import lint_settings
    from specwright.report import text

    lint = lint_settings(document.path, short_method_names=options.short_method_names)
    reports: list[Report] = []
    try:
        with progress("reading the document") as say_step:
            files = pipeline.generate(
                document,
                options,
                lint=lint,
                progress=say_step,
                tell=reports.append,
                begin_models=worker.begin,
            )
    except pipeline.InvalidDocument as error:
        show(text.render(error.report), err=True)
        raise
    return Made(files, "".join(map(text.render, reports)))


def _parts(document: Document) -> set[str]:
    """Return the other files, or addresses, that a document consists of."""
    return document.sources.keys() - {document.source.file}
