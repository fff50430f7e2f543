"""`specwright init`: the files of a new project."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import click

from specwright.arguments.document_names import document_argument, local
from specwright.arguments.project import (
    allow_refs_from,
    chosen_document,
    chosen_output,
    configured,
    reference_directories,
    usual_documents,
)
from specwright.config import FILE_NAME, Config, project_of
from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.operations.sites import Direction, operations
from specwright.document.sources.load import load_in_part, read_address
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError, Location, SpecwrightError
from specwright.files import read_argument, replace_files, repository, why_not_written
from specwright.project.ci import SERVICES, checks, publishing_workflow, usual_service
from specwright.project.files import (
    OUTPUT,
    ProjectFile,
    already_begun,
    named_settings,
    project_files,
)
from specwright.project.proposals import plain_names, proposals
from specwright.report.terminal import say

# Text that needs no quotes in a shell.
# The host of this machine, with a port or none.
_HERE = re.compile(r"(localhost|127\.0\.0\.1)(:[0-9]{1,5})?")
_PLAIN = re.compile(r"(/[A-Za-z0-9._-]+)*")
_NO_CI = "none"
# Where to look for a document, the most likely first.
_DIRECTORIES = ("", "spec", "specs", "api", "docs", "openapi")


@click.command(
    epilog="""
\b
Examples:
  specwright init
  specwright init docs/openapi.yaml
  specwright init https://api.example.com/openapi.json
  specwright init --ci gitlab
  specwright init openapi.yaml --ci gitlab --only-review
  specwright init --publish
  specwright init --names

Exit codes: 0 if the files were written or are there already, 2 if there is no document, the
project has settings already, or a file cannot be written.
"""
)
@document_argument(default="the openapi or swagger file here")
@allow_refs_from
@click.option(
    "--ci",
    type=click.Choice([*SERVICES, _NO_CI]),
    help="The service that checks pull or merge requests; in an existing project, only its jobs "
    "are written."
    "  [default: gitlab if there is a .gitlab-ci.yml and no .github, otherwise github]",
)
@click.option(
    "--only-review",
    is_flag=True,
    help="Only write a job that reviews changes of DOCUMENT: no settings, no package, no tests.",
)
@click.option(
    "--publish",
    is_flag=True,
    help="Also write a GitHub workflow that publishes the package on PyPI; in an existing project, "
    "write only that.",
)
@click.option(
    "--names",
    is_flag=True,
    help="In an existing project, only add the plain method names that its settings lack.",
)
def init(
    document: Path | str | None,
    allowed: tuple[Path, ...],
    ci: str | None,
    only_review: bool,
    publish: bool,
    names: bool,
) -> None:
    """Start a project from DOCUMENT: settings, ignore rules and pull request checks.

    DOCUMENT is a file below this directory, or an address to copy it from. By default, it is the
    openapi or swagger file (.json, .yaml or .yml) in this directory, or in spec, specs, api, docs
    or openapi. Settings that clearly follow from the document are written, too: the pagination of
    lists, the sign-in, and plain names for methods that a framework has named. Existing files are
    kept, or added to. The GitHub workflow or GitLab pipeline is written to the top of the git
    repository, and can have jobs for several projects.

    With --publish, a workflow builds the package when you push a tag, and publishes it on PyPI
    without a token. With --only-review, nothing but the review is set up, for a team that generates
    no code. With --names, an existing project gets plain names for methods that a framework has
    named, such as those of new operations.
    """
    here = Path()
    top = repository(here.resolve()) or here
    project = project_of(document)
    additions: list[ProjectFile] = []
    is_begun = project == here.resolve() / FILE_NAME
    if only_review:
        if publish or names or ci == _NO_CI:
            raise click.UsageError("--only-review writes nothing but a job that reviews changes")
        _write_review(ci or usual_service(top), top, document, allowed)
        return
    if ci is not None and ci != _NO_CI and is_begun:
        chosen = Path(chosen_document(configured(document=document)))
        additions.append(_checks(ci, top, _below(chosen), _read(chosen, allowed)))
    if publish and is_begun:
        additions.append(publishing_workflow(top, chosen_output(configured(document=document))))
    if names and project is not None:
        additions.append(_with_names(project, configured(document=document), allowed))
    if additions:
        _write(_contents(additions))
        _say(additions)
        return
    if isinstance(document, str):
        path, content = _copied(document)
    else:
        if is_begun and document is None:
            raise already_begun(here / FILE_NAME)
        path, content = _below(document) if document is not None else _usual_document(), None
    read = _read(path, allowed, content)
    files = list(project_files(here, path, read, proposals(read)))
    service = ci or usual_service(top)
    if service != _NO_CI:
        files.append(_checks(service, top, path, read))
    if publish:
        files.append(publishing_workflow(top, here / OUTPUT))
    _write({**_contents(files), **({} if content is None else {path: content})})
    say(f"{path.as_posix()}: {_summary(read)}")
    _say(files)
    key = " --api-key-env KEY" if Credential.of(read) is not None else ""
    say("next:")
    say("  specwright validate")
    say("  specwright generate")
    say(f"  specwright test {_url(read)}{key}")


def _read(path: Path | str, allowed: tuple[Path, ...], content: bytes | None = None) -> Document:
    """Return a document as OpenAPI 3.1, with the content of a copy that is not written yet."""
    reading = read_argument if content is None else lambda _: content
    return upgrade(load_in_part(path, within=reference_directories(path, allowed), read=reading))


def _write_review(
    service: str, repository: Path, document: Path | str | None, allowed: tuple[Path, ...]
) -> None:
    named = configured(document=document).document if document is None else document
    [path] = local([named or _usual_document()], "name a copy of it in the repository")
    read = _read(path, allowed)
    file = _checks(service, repository, _below(path), read, only_review=True)
    _write(_contents([file]))
    _say([file])


def _checks(
    service: str, repository: Path, document: Path, read: Document, *, only_review: bool = False
) -> ProjectFile:
    return checks(
        SERVICES[service],
        Path(),
        repository,
        document,
        asks_for_key=Credential.of(read) is not None,
        only_review=only_review,
    )


def _with_names(project: Path, config: Config, allowed: tuple[Path, ...]) -> ProjectFile:
    document = chosen_document(config)
    names = plain_names(_read(document, allowed), config.options.names)
    return named_settings(project, document, names)


def _contents(files: Iterable[ProjectFile]) -> dict[Path, bytes]:
    return {file.path: file.content for file in files if file.content is not None}


def _say(files: Iterable[ProjectFile]) -> None:
    for file in files:
        outcome = "kept" if file.content is None else "wrote"
        say(f"{outcome} {Path(os.path.relpath(file.path)).as_posix()}: {file.about}")
        for line in file.missing.splitlines():
            say(line)


def _copied(address: str) -> tuple[Path, bytes]:
    """Return the name of the copy, and the content at an address."""
    content = read_address(address)
    is_json = content.lstrip()[:1] == b"{"
    path = Path("openapi.json" if is_json else "openapi.yaml")
    if path.exists():
        hint = "remove it, or start from it: specwright init"
        raise InputError("already exists", Location(str(path), 1, 1), hint)
    return path, content


def _below(path: Path) -> Path:
    """Return the path of a file that settings can name, relative to this directory."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        hint = "run the command in a directory above it, or copy it"
        raise InputError(
            "the document is not below this directory", Location(str(path), 1, 1), hint
        ) from None


def _usual_document() -> Path:
    for directory in _DIRECTORIES:
        paths = usual_documents(Path(directory))
        if len(paths) == 1:
            return paths[0]
        if paths:
            names = ", ".join(map(str, paths))
            raise InputError(f"there is more than one document: {names}", hint="name one of them")
    raise InputError(
        "there is no document here", hint="name a file or an address: specwright init DOCUMENT"
    )


def _summary(document: Document) -> str:
    info = document.data.get("info")
    members = (info.get("title"), info.get("version")) if isinstance(info, dict) else ()
    title = " ".join(str(member) for member in members if member)
    count = sum(operation.direction is Direction.PATH for operation in operations(document))
    return f"{title}, {count} operation{'' if count == 1 else 's'}"


def _url(document: Document) -> str:
    """Return the URL of the first server, on this machine, where an implementation may run."""
    servers = document.data.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url = first.get("url") if isinstance(first, dict) else None
    parts = urlsplit(url if isinstance(url, str) and "{" not in url else "")
    path = parts.path.rstrip("/")
    is_here = parts.scheme in ("http", "https") and _HERE.fullmatch(parts.netloc)
    origin = f"{parts.scheme}://{parts.netloc}" if is_here else "http://127.0.0.1:8000"
    return origin + (path if _PLAIN.fullmatch(path) else "")


def _write(contents: dict[Path, bytes]) -> None:
    try:
        for path in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
        replace_files(contents)
    except OSError as error:
        raise SpecwrightError(
            f"{error.filename2 or error.filename}: cannot be written: {why_not_written(error)}",
            hint="check the permissions of the directory and the free space",
        ) from error
