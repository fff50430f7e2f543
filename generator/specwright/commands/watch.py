"""`specwright watch`: generate again when the document, its settings or templates change."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Unpack

import click

from specwright import policy
from specwright.arguments.packages import PackageArguments, PackageBuild, package_options, packages
from specwright.arguments.pages import Pages
from specwright.arguments.project import USUAL_NAMES
from specwright.arguments.ranges import IntegerRange
from specwright.config import FILE_NAME, find_project
from specwright.errors import TOO_LARGE, InputError, SpecwrightError
from specwright.mock.process import MockProcess
from specwright.models.background import ModelWorker
from specwright.preview.process import Preview
from specwright.report.terminal import complain, say
from specwright.review.lost_names import lost_names
from specwright.review.package_changelog import lines_about
from specwright.serving import bound, listening
from specwright.text import visible
from specwright.watching import Watched, follow, places_of, refuse_remote


class Beside(NamedTuple):
    """A part that is updated after each package.

    Attributes:
        update: called after each update of the package; returns a line, if there is one.
        complain: called with an error because of which nothing is updated.
    """

    update: Callable[[PackageBuild], str | None]
    complain: Callable[[SpecwrightError], None] = lambda error: None


@click.command(
    epilog="""
\b
Examples:
  specwright watch
  specwright watch --document openapi.yaml --output sdk
  specwright watch --docs reference.html --port 4011
  specwright watch --docs reference.html --mock 4010

Exit codes: 0 after Ctrl-C or SIGTERM, 2 if a setting or an argument cannot be used at the start.
"""
)
@package_options
@click.option(
    "--docs",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Also write the reference there, as `docs --output` does.",
)
@click.option(
    "--port",
    metavar="PORT",
    type=IntegerRange(0, 65535),
    help="Show the pages of --docs on this port of this machine, and load them again in the "
    "browser after each run.",
)
@click.option(
    "--mock",
    metavar="PORT",
    type=IntegerRange(0, 65535),
    help="Also serve a mock on this port of this machine, as `mock` does.",
)
@click.pass_context
def watch(
    ctx: click.Context,
    /,
    docs: Path | None,
    port: int | None,
    mock: int | None,
    **options: Unpack[PackageArguments],
) -> None:
    """Generate again each time the document, its settings or templates change.

    The options are those of `generate`. Files that the document refers to are watched, too. Each
    run prints one line for each document. Errors do not end the command: the next change starts
    the next run. --docs and --mock take a single document; while it has errors, the last pages and
    the last mock remain.
    """
    document = options["document"]
    refuse_remote(document, "generate")
    if port is not None and docs is None:
        raise InputError("--port shows the pages of --docs", hint="add --docs reference.html")
    try:
        with _Workers() as workers, ExitStack() as ending:
            beside: list[Beside] = []
            preview: Preview | None = None
            if docs is not None:
                Pages.at(docs)
                beside.append(Beside(lambda package: _pages(docs, package)))
                if port is not None:
                    preview = ending.enter_context(Preview(bound(port), docs))
                    beside.append(_shown_by(preview))
            if mock is not None:
                process = ending.enter_context(MockProcess(listening(mock)))
                beside.append(Beside(lambda package: process.replace(_of_mock(package, options))))
            _chosen(options, beside)
            if preview is not None:
                say(f"{preview.url} shows {docs} until Ctrl-C")
            watched = Watched()
            follow(
                watched,
                run=lambda: _run(options, workers, watched, beside),
                rest=workers.prepare,
            )
    except KeyboardInterrupt:
        ctx.exit(0)


def _chosen(options: PackageArguments, beside: Sequence[Beside]) -> list[PackageBuild]:
    """Return the packages.

    Raises:
        InputError: a setting or an argument is invalid, or there are too many documents.
    """
    chosen = packages(options)
    if beside and len(chosen) > 1:
        raise InputError(
            f"--docs and --mock are for one document, and the project has {len(chosen)}",
            hint="name one of them",
        )
    return chosen


def _pages(output: Path, package: PackageBuild) -> str:
    # The update of the package has reported the parts that are left out.
    outcome, _ = Pages.at(output).update(package, lambda report: None)
    return outcome


def _shown_by(preview: Preview) -> Beside:
    return Beside(lambda package: preview.reload(), lambda error: preview.complain(_message(error)))


def _message(error: SpecwrightError) -> str:
    """Return an error with the findings that it is about, without colours."""
    # Imported here: a run without errors does not need it.
    from specwright.pipeline import InvalidDocument
    from specwright.report import text

    findings = text.render(error.report) if isinstance(error, InvalidDocument) else ""
    return "\n".join([*click.unstyle(findings).splitlines(), *map(visible, error.lines)])


def _of_mock(package: PackageBuild, options: PackageArguments) -> Iterator[str]:
    """Yield the arguments of `mock`."""
    yield f"--remote-refs={package.remote.value}"
    yield from (f"--allow-refs-from={directory}" for directory in options["allowed"])
    yield from ("--", str(package.document))


def _run(
    options: PackageArguments, workers: _Workers, watched: Watched, beside: Sequence[Beside]
) -> None:
    try:
        watched.notice([find_project(Path.cwd()) or FILE_NAME])
        chosen = _chosen(options, beside)
    except SpecwrightError as error:
        watched.notice([*USUAL_NAMES, *places_of(error)])
        _complain(error, beside)
        return
    for package in chosen:
        name = f"{package.document}: " if len(chosen) > 1 else ""
        try:
            watched.notice(_inputs(package))
            update = package.update(workers.take, watched.notice)
            say(f"{name}{update.outcome}: {update.summary}")
            if update.hint is not None:
                say(update.hint)
            lost = lost_names(update.differences)
            for words in lines_about(lost, package.changelog, package.target):
                say(words)
            for follower in beside:
                line = follower.update(package)
                if line is not None:
                    say(line)
        except SpecwrightError as error:
            watched.notice(places_of(error))
            _complain(error, beside)
        except (RecursionError, MemoryError):
            _complain(SpecwrightError(f"{name}{TOO_LARGE}"), beside)


def _complain(error: SpecwrightError, beside: Sequence[Beside]) -> None:
    complain(error)
    for follower in beside:
        follower.complain(error)


def _inputs(package: PackageBuild) -> Iterator[Path]:
    """Yield the files that a package is made from, apart from those the document refers to."""
    document = Path(package.document)
    yield document
    yield document.parent / policy.FILE_NAME
    # A run names what is wrong with them.
    with suppress(InputError):
        yield from map(Path, policy.sources(str(document)))
    if package.options.templates is not None:
        yield package.options.templates


class _Workers:
    """Processes for models, of which one is ready before it is needed."""

    def __init__(self) -> None:
        self._ready: ModelWorker | None = None

    def __enter__(self) -> _Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ready is not None:
            self._ready.__exit__(kind, error, trace)

    def take(self) -> ModelWorker:
        """Return a process; the caller ends it."""
        worker, self._ready = self._ready or ModelWorker(), None
        return worker

    def prepare(self) -> None:
        """Start the next process, which then loads the model generator."""
        self._ready = self._ready or ModelWorker()
        # Between runs, where it delays none of them.
        gc.collect()
