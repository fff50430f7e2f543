"""Arguments that several commands share, with the project's settings as defaults."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from specwright.config import (
    Config,
    check_package,
    find_project,
    is_below,
    of_document,
    read_configs,
    several,
)
from specwright.document.model import is_remote
from specwright.document.sources.bundle import Remote
from specwright.errors import InputError

DEFAULT_OUTPUT = "generated"


def path_or_url(value: str) -> Path | str:
    """Return an address as it is, and any other argument as a path."""
    return value if is_remote(value) else Path(value)


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

# Names of a document to look for if neither an argument nor the project names one.
USUAL_NAMES = ("openapi.json", "openapi.yaml", "openapi.yml")


def configured(
    *,
    document: Path | None = None,
    output: Path | None = None,
    package: str | None = None,
    templates: Path | None = None,
) -> Config:
    """Join the project's settings with the arguments, which take precedence.

    Raises:
        InputError: a setting or an argument is invalid, or the project has several documents and
            none is named.
    """
    configs = _of_project()
    if document is None and len(configs) > 1:
        raise several(configs)
    config = of_document(configs, document or Path()) or Config()
    if package is not None:
        try:
            check_package(package)
        except ValueError as error:
            raise InputError(f"--package {error}, got {package!r}") from None
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
        )
    )


def all_configured() -> tuple[Config, ...]:
    """Return the settings of each document of the project.

    Raises:
        InputError: a setting is invalid.
    """
    return tuple(map(_usable, _of_project()))


def _of_project() -> tuple[Config, ...]:
    project = find_project(Path.cwd())
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


def _usable(config: Config) -> Config:
    """Return the settings with an output; raise an error if the templates are missing."""
    templates = config.options.templates
    # Systems reject some names, and `Path.is_dir` passes on their errors.
    if templates is not None and not os.path.isdir(templates):  # noqa: PTH112
        raise InputError(f"{templates}: this directory of templates does not exist")
    return replace(config, output=config.output or _shown(_default_output()))


def chosen_document(config: Config) -> Path:
    """Return the document, or the one that has a usual name, or raise an error with a hint."""
    if config.document is not None:
        return config.document
    candidates = [Path(name) for name in USUAL_NAMES if os.path.lexists(name)]
    if len(candidates) == 1:
        return candidates[0]
    raise InputError(
        f"there is more than one document: {', '.join(map(str, candidates))}"
        if candidates
        else "there is no document here",
        hint="name one, or set `document` in [tool.specwright] of pyproject.toml",
    )


def chosen_documents(named: Sequence[Path]) -> tuple[Path, ...]:
    """Return the named documents, each once, or those of the project.

    Raises:
        InputError: none is named, and the project has none.
    """
    return tuple(dict.fromkeys(named or map(chosen_document, all_configured())))


def chosen_output(config: Config) -> Path:
    """Return the directory of the generated package."""
    return config.output or Path(DEFAULT_OUTPUT)


def _default_output() -> Path:
    project = find_project(Path.cwd())
    above = project.parent if project else Path.cwd()
    output = above / DEFAULT_OUTPUT
    if not is_below(output, above):
        raise InputError(
            f"{output}: is a symbolic link out of the project", hint="confirm it with --output"
        )
    return output


def reference_directories(document: Path, allowed: Sequence[Path]) -> Sequence[Path]:
    """Return the directories with files that a document may refer to: those allowed, its project.

    The project is the directory of the nearest pyproject.toml with our table above the document,
    else the git working tree that contains it, else the document's own directory.
    """
    own = document.parent.resolve()
    settings = find_project(own)
    checkouts = (path for path in (own, *own.parents) if (path / ".git").exists())
    return [*allowed, settings.parent if settings else next(checkouts, own)]


def _shown(path: Path | None) -> Path | None:
    """Return a path as people write it: relative, if it is below the working directory."""
    if path is None:
        return None
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
