"""Arguments that several commands share, with the project's settings as defaults."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

import click

from specwright.config import (
    Config,
    check_package,
    find_project,
    is_below,
    is_same,
    of_document,
    project_of,
    read_configs,
    several,
)
from specwright.document.sources.bundle import Remote
from specwright.errors import InputError
from specwright.files import is_directory, repository

T = TypeVar("T")

DEFAULT_OUTPUT = "generated"


allow_refs_from = click.option(
    "--allow-refs-from",
    "allowed",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A directory outside the project whose files the document may refer to (repeatable).",
)

remote_refs = click.option(
    "--remote-refs",
    type=click.Choice([Remote.REFUSE.value, Remote.FETCH.value]),
    default=Remote.REFUSE.value,
    show_default=True,
    help="What to do about references to other machines.",
)


strip_prefix = click.option(
    "--strip-prefix",
    "prefixes",
    metavar="PREFIX",
    multiple=True,
    help="A prefix of paths to ignore when operations are matched, such as /v1 (repeatable).",
)

# Names of a document to look for if neither an argument nor the project names one, by preference:
# a directory with both has them for readers of either version.
_PREFERRED = (
    ("openapi.json", "openapi.yaml", "openapi.yml"),
    ("swagger.json", "swagger.yaml", "swagger.yml"),
)
USUAL_NAMES = tuple(chain.from_iterable(_PREFERRED))


def usual_documents(directory: Path = Path()) -> Sequence[Path]:
    """Return the documents with a usual name in a directory, which should be one."""
    for names in _PREFERRED:
        paths = [path for name in names if os.path.lexists(path := directory / name)]
        if paths:
            return paths
    return ()


def configured(
    *,
    document: Path | str | None = None,
    output: Path | None = None,
    package: str | None = None,
    templates: Path | None = None,
) -> Config:
    """Join the settings of a document's project with the arguments, which take precedence.

    Raises:
        InputError: a setting or an argument is invalid, or the project has several documents and
            none is named.
    """
    configs = _of_project(document)
    if document is None and len(configs) > 1:
        raise several(configs)
    config = configs[0] if document is None else _for(configs, document)
    if package is not None:
        try:
            check_package(package)
        except ValueError as error:
            hint = "it is imported by this name: letters, digits and _, such as my_api"
            raise InputError(f"--package {error}, got {package!r}", hint=hint) from None
    options = replace(
        config.options,
        package=package or config.options.package,
        templates=templates or config.options.templates,
    )
    return _usable(
        Config(
            document=document or config.document,
            output=output or config.output,
            options=options,
            test=config.test,
            changelog=config.changelog,
        ),
        project_of(document),
    )


def settings_for(document: Path | str) -> Config:
    """Return the settings that apply to a document: its own, or the only ones of the project.

    Raises:
        InputError: a setting is invalid.
    """
    return _for(_of_project(document), document)


def _for(configs: Sequence[Config], document: Path | str) -> Config:
    return of_document(configs, document) or Config()


def all_configured() -> tuple[Config, ...]:
    """Return the settings of each document of the project.

    Raises:
        InputError: a setting is invalid.
    """
    project = project_of()
    return tuple(_usable(config, project) for config in _of_project())


def _of_project(document: Path | str | None = None) -> tuple[Config, ...]:
    project = project_of(document)
    configs = read_configs(project) if project else (Config(),)
    return tuple(
        replace(
            config,
            document=_shown(config.document),
            output=_shown(config.output),
            options=replace(config.options, templates=_shown(config.options.templates)),
        )
        for config in configs
    )


def _usable(config: Config, project: Path | None) -> Config:
    """Return the settings with an output; raise an error if the templates are missing."""
    templates = config.options.templates
    if templates is not None and not is_directory(templates):
        raise InputError(f"{templates}: this directory of templates does not exist")
    return replace(config, output=config.output or _shown(_default_output(project)))


def chosen_document(config: Config, missing: str = "there is no document here") -> Path | str:
    """Return the document, or the one that has a usual name.

    Args:
        missing: the message if there is none.

    Raises:
        InputError: there is none, or more than one.
    """
    if config.document is not None:
        return config.document
    candidates = usual_documents()
    if len(candidates) == 1:
        return candidates[0]
    raise InputError(
        f"there is more than one document: {', '.join(map(str, candidates))}"
        if candidates
        else missing,
        hint="name one, or set `document` in [tool.specwright] of pyproject.toml",
    )


def compared_document(base: str) -> Path | str:
    """Return the document that the project has to compare another one with.

    Raises:
        InputError: there is none, or more than one.
    """
    return chosen_document(configured(), f"there is no document to compare '{base}' with")


def chosen_documents(named: Sequence[Path | str]) -> tuple[Path | str, ...]:
    """Return the named documents, each once, or those of the project.

    Raises:
        InputError: none is named, and the project has none.
    """
    return tuple(dict.fromkeys(named or map(chosen_document, all_configured())))


def own_settings(document: Path | str) -> Config:
    """Return the settings that the project has for this document, not for another one.

    Raises:
        InputError: a setting is invalid.
    """
    for config in _of_project(document):
        if config.document is None or is_same(config.document, document):
            return config
    return Config()


def chosen_output(config: Config) -> Path:
    """Return the directory of the generated package."""
    return config.output or Path(DEFAULT_OUTPUT)


def _default_output(project: Path | None) -> Path:
    above = project.parent if project else Path.cwd()
    output = above / DEFAULT_OUTPUT
    if not is_below(output, above):
        raise InputError(
            f"{output}: is a symbolic link out of the project", hint="confirm it with --output"
        )
    return output


def reference_directories(document: Path | str, allowed: Sequence[Path]) -> Sequence[Path]:
    """Return the directories with files that a document may refer to: those allowed, its project.

    The project is the git working tree that contains the document, or the directory of its
    settings if that is above; without both, it is the document's own directory. A document on
    another machine has none.
    """
    if isinstance(document, str):
        return allowed
    own = document.parent.resolve()
    settings = find_project(own)
    roots = [root for root in (repository(own), settings and settings.parent) if root is not None]
    return [*allowed, min(roots, key=lambda root: len(root.parts), default=own)]


def _shown(path: T) -> T | Path:
    """Return a path as people write it: relative, if it is below the working directory."""
    here = Path.cwd()
    return path.relative_to(here) if isinstance(path, Path) and path.is_relative_to(here) else path
