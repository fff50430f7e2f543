"""The packages to generate: their documents and destinations, and the run that makes one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import click

from specwright import policy
from specwright.arguments.document_names import document_argument
from specwright.arguments.project import (
    DEFAULT_OUTPUT,
    all_configured,
    allow_refs_from,
    chosen_document,
    chosen_output,
    configured,
    reference_directories,
    remote_refs,
)
from specwright.config import Config, PackageOptions, is_below, project_of
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load_in_part, read_file
from specwright.emit import cache
from specwright.emit.cache import GeneratedPackage
from specwright.emit.drift import FileDifference
from specwright.emit.fileset import FileSet
from specwright.emit.ignored import about_ignored
from specwright.emit.manifest import contents, read_lock
from specwright.emit.write import write
from specwright.errors import InputError, SpecwrightError
from specwright.findings import Report
from specwright.render.templates import Templates, builtin_directory
from specwright.report.progress import GENERATION, Progress
from specwright.report.terminal import progress, say, show

if TYPE_CHECKING:
    from specwright.models.background import ModelWorker

Start = Callable[[], "ModelWorker"]
Notice = Callable[[Iterable[str]], None]


def _ignore(parts: Iterable[str]) -> None:
    """Do nothing with the files of a document."""


_Command = Callable[..., None]
_OPTIONS = (
    document_argument(),
    click.option(
        "--output",
        type=click.Path(path_type=Path),
        help=f"The directory to generate.  [default: {DEFAULT_OUTPUT}]",
    ),
    click.option("--package", help="Import name of the package.  [default: from the title]"),
    click.option(
        "--templates", type=click.Path(path_type=Path), help="Directory of templates of your own."
    ),
    click.option(
        "--changelog",
        type=click.Path(path_type=Path),
        help="Also add names that callers lose to this changelog, which is yours.",
    ),
    remote_refs,
    allow_refs_from,
)


def package_options(command: _Command) -> _Command:
    """Add the options of `packages`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class PackageArguments(TypedDict):
    """The values of `package_options`."""

    document: Path | str | None
    output: Path | None
    package: str | None
    templates: Path | None
    changelog: Path | None
    remote_refs: str
    allowed: tuple[Path, ...]


def command_of(arguments: PackageArguments) -> str:
    """Return the command that generates with the same arguments, for a shell."""
    remote = arguments["remote_refs"]
    options = {
        "--output": arguments["output"],
        "--package": arguments["package"],
        "--templates": arguments["templates"],
        "--changelog": arguments["changelog"],
        "--remote-refs": None if remote == Remote.REFUSE else remote,
    }
    named = [f"{name}={value}" for name, value in options.items() if value is not None]
    named += [f"--allow-refs-from={directory}" for directory in arguments["allowed"]]
    document = arguments["document"]
    return shlex.join(
        ["specwright", "generate", *([] if document is None else [str(document)]), *named]
    )


def packages(arguments: PackageArguments) -> list[PackageBuild]:
    """Return the packages of the project, or the one that the arguments describe.

    Raises:
        InputError: a setting or an argument is invalid.
    """
    document, output = arguments["document"], arguments["output"]
    package, templates = arguments["package"], arguments["templates"]
    if (document, output, package, templates) == (None, None, None, None):
        configs = all_configured()
    else:
        own = configured(document=document, output=output, package=package, templates=templates)
        configs = (own,)
    remote = Remote(arguments["remote_refs"])
    changelog = arguments["changelog"]
    if changelog is not None:
        configs = tuple(replace(config, changelog=changelog) for config in configs)
    return [PackageBuild.of(config, remote, arguments["allowed"]) for config in configs]


class PackageUpdate(NamedTuple):
    """The outcome of an update in words: the files, and the share of the document.

    Attributes:
        hint: a command that gives methods plain names, if there are such names.
        has_errors: whether this program failed on a part of the document.
        differences: the files that were written, with their contents before.
        ignored: lines about files that git ignores.
    """

    outcome: str
    summary: str
    hint: str | None
    has_errors: bool
    differences: Sequence[FileDifference]
    ignored: Sequence[str]


@dataclass(frozen=True, slots=True)
class PackageBuild:
    """A document to read, and the destination of its package.

    Attributes:
        within: the directories with the files that it may refer to.
        target: the directory of the package.
        removed: the old names whose last day is over.
        changelog: the file to which names that callers lose are added, if there is one.
    """

    document: Path | str
    options: PackageOptions
    target: Path
    remote: Remote
    within: Sequence[Path]
    removed: Sequence[str] = ()
    changelog: Path | None = None

    @classmethod
    def of(cls, config: Config, remote: Remote, allowed: Sequence[Path]) -> PackageBuild:
        document = chosen_document(config)
        within = reference_directories(document, allowed)
        options = config.options.on(datetime.now(UTC).date())
        removed = sorted(config.options.deprecated.keys() - options.deprecated.keys())
        target, changelog = chosen_output(config), config.changelog
        if changelog is not None and is_below(changelog, target):
            hint = "put it elsewhere: everything in the output is generated"
            raise InputError(f"{changelog}: the changelog is in the output", hint=hint)
        return cls(document, options, target, remote, within, removed, changelog)

    def update(self, start: Start, notice: Notice = _ignore) -> PackageUpdate:
        """Write the files that have changed.

        Args:
            start: as for `generate`.
            notice: as for `generate`.
        """
        begun = perf_counter()
        result = self._generate_or_load(start, notice)
        files = result.files
        show(result.messages, err=True)
        for name in self.removed:
            say(f"{name} is removed: delete it from [tool.specwright.deprecated]", err=True)
        # Without a lock file there is no package yet, and so there are no callers.
        is_new = read_lock(self.target).package is None
        differences = write(files, self.target)
        changed = len(differences)
        seconds = perf_counter() - begun
        outcome = f"{changed} changed" if changed else "nothing changed"
        outcome = f"generated {len(files)} files ({outcome}) in {seconds:.1f} s"
        hint = self._hint(result.plain_names, is_new=is_new)
        ignored = tuple(about_ignored(self.target, files))
        return PackageUpdate(
            outcome, _summary(files), hint, result.has_errors, differences, ignored
        )

    def _hint(self, plain_names: Mapping[str, str], *, is_new: bool) -> str | None:
        """Return a line about names in a new package, or in a project that names its methods."""
        if not plain_names or not (is_new or self.options.names.operations):
            return None
        called, name = next(iter(plain_names.items()))
        count = len(plain_names)
        option = [] if project_of(self.document) is None else ["--names"]
        command = shlex.join(["specwright", "init", *option, str(self.document)])
        methods = f"{count} method{'' if count == 1 else 's'}"
        return f"plain names for {methods}, such as {name} for {called}: {command}"

    def generate(self, start: Start, notice: Notice = _ignore) -> GeneratedPackage:
        """Generate the files.

        Args:
            start: returns a process for the models.
            notice: called with the other files of the document as soon as they are known.
        """
        try:
            # The process is a copy of this one, and has no part in the display of progress.
            with start() as worker, progress(GENERATION) as steps:
                document = load_in_part(self.document, remote=self.remote, within=self.within)
                steps.characters = document.size
                parts = frozenset(document.sources.keys() - {document.source.file})
                notice(parts)
                return _generated(self.options, document, parts, worker, steps)
        except SpecwrightError as error:
            # Imported here: the process for the models starts before this one loads anything.
            from specwright.pipeline import InvalidDocument
            from specwright.report import text

            if isinstance(error, InvalidDocument):
                show(text.render(error.report), err=True)
            raise

    def _generate_or_load(self, start: Start, notice: Notice) -> GeneratedPackage:
        """Generate the files, or take them from the cache if nothing has changed."""
        if isinstance(self.document, str):
            # It is unknown whether a document on another machine has changed.
            return self.generate(start, notice)
        document = self.document
        templates = Templates(builtin_directory(), self.options.templates)

        def key() -> str:
            files = [read_file(name) for name in (str(document), *policy.sources(str(document)))]
            return cache.cache_key(files, self.options, templates)

        place, before = cache.cache_directory(), key()
        cached = cache.load(place, before, document, self.within)
        if cached is not None:
            notice(cached.parts)
            return cached
        result = self.generate(start, notice)
        # If a file has changed in the meantime, it is unknown which version was read.
        if key() == before and not result.has_errors:
            cache.store(place, before, result, document)
        return result


def new_worker() -> ModelWorker:
    """Return a new process for models."""
    # Imported here: a run without changes does not need it.
    from specwright.models.background import ModelWorker

    return ModelWorker()


def _generated(
    options: PackageOptions,
    document: Document,
    parts: frozenset[str],
    worker: ModelWorker,
    steps: Progress,
) -> GeneratedPackage:
    # Imported here: a run without changes does not need it.
    from specwright import pipeline
    from specwright.arguments.documents import lint_settings
    from specwright.project.proposals import plain_names
    from specwright.report import text

    lint = lint_settings(document.path, options)
    reports: list[Report] = []
    files = pipeline.generate(
        document,
        options,
        lint=lint,
        progress=steps,
        tell=reports.append,
        begin_models=worker.begin,
    )
    messages = "".join(map(text.render, reports))
    has_errors = any(report.has_errors for report in reports)
    names = plain_names(document, options.names)
    return GeneratedPackage(files, messages, parts, names, has_errors)


def _summary(files: FileSet) -> str:
    """Return how much of the document has code, in words."""
    lock = contents(files)
    counts = [
        f"{whole} of {number} {what}"
        for whole, number, what in (
            (lock.whole_operations, lock.operations, "operations"),
            (lock.whole_webhooks, lock.webhooks, "webhooks"),
        )
        if number
    ]
    whole = f"{', '.join(counts) or 'no operations'} in full"
    left_out = [f"{count} {rule}" for rule, count in lock.left_out.items()]
    return f"{whole}; left out: {', '.join(left_out)}" if left_out else f"{whole}; nothing left out"
