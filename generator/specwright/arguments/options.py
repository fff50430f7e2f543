"""What several commands are told in the same way: by arguments, else by the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from specwright.config import Config, check_package, find_project, is_below, read_config
from specwright.errors import InputError

DEFAULT_OUTPUT = "generated"

allow_refs_from = click.option(
    "--allow-refs-from",
    "allowed",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A directory outside the project whose files the document may refer to (repeatable).",
)


def configured(
    *,
    document: Path | None = None,
    output: Path | None = None,
    package: str | None = None,
    templates: Path | None = None,
) -> Config:
    """Join the project's settings with the arguments, which come first.

    Raises:
        InputError: a setting or an argument has no meaning.
    """
    project = find_project(Path.cwd())
    config = read_config(project) if project else Config()
    if package is not None:
        try:
            check_package(package)
        except ValueError as error:
            raise InputError(f"--package {error}, not {package!r}") from None
    options = replace(
        config.options,
        package=package or config.options.package,
        templates=templates or _shown(config.options.templates),
    )
    # No system takes every name, and `Path.is_dir` passes on what it says then.
    if options.templates is not None and not os.path.isdir(options.templates):  # noqa: PTH112
        raise InputError(f"{options.templates}: there is no such directory of templates")
    above = project.parent if project else Path.cwd()
    return Config(
        document=document or _shown(config.document),
        output=output or _shown(config.output or _default_output(above)),
        options=options,
    )


def chosen_document(config: Config) -> Path:
    """Return the document, or say how to name one."""
    if config.document is None:
        raise InputError(
            "there is no document to generate from",
            hint="pass --document, or set `document` in [tool.specwright] of pyproject.toml",
        )
    return config.document


def chosen_output(config: Config) -> Path:
    """Return the directory to generate."""
    return config.output or Path(DEFAULT_OUTPUT)


def _default_output(above: Path) -> Path:
    output = above / DEFAULT_OUTPUT
    if not is_below(output, above):
        raise InputError(f"{output}: is a link to elsewhere", hint="say so with --output")
    return output


def reference_directories(document: Path, allowed: Sequence[Path]) -> Sequence[Path]:
    """The directories whose files a document may refer to: those allowed, and its project.

    The project is the directory of the nearest pyproject.toml with our table above the document,
    else the git working tree that it lies in, else the document's own directory.
    """
    own = document.parent.resolve()
    settings = find_project(own)
    above = (each for each in (own, *own.parents) if (each / ".git").exists())
    return [*allowed, settings.parent if settings else next(above, own)]


def _shown(path: Path | None) -> Path | None:
    """A path as people write it: relative, if it lies below the working directory."""
    if path is None:
        return None
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
