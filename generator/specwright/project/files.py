"""The files of a new project, from its document."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from specwright.config import (
    FILE_NAME,
    TABLE,
    find_project,
    is_below,
    is_same,
    read_configs,
    read_toml,
)
from specwright.document.model import Document
from specwright.document.operations.naming import package_name
from specwright.document.operations.security import Credential
from specwright.errors import InputError, Location
from specwright.files import read_regular
from specwright.json_values import JsonObject, mapping
from specwright.project.proposals import Proposals

OUTPUT = "generated"
WORKFLOW = ".github/workflows/contract.yml"
_TEMPLATE = Path(__file__).with_name("workflow.yml")
_PUBLISHING = ".github/workflows/publish{job}.yml"
_PUBLISHING_TEMPLATE = Path(__file__).with_name("publish.yml")
_JOBS = "\njobs:\n"
_NAMES = "names.operations"
_ABOUT_NAMES = "# Methods, named after the functions that a framework derived operationIds from."
# Lines that files of git are to contain, with a message about each.
_LINES = (
    (".gitignore", "/reports/", "reports of tests stay out of the repository"),
    (".gitattributes", f"{OUTPUT}/** linguist-generated=true", "generated code is marked"),
)


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file to write.

    Attributes:
        content: None for a file that is kept, although something is missing in it.
        about: the new content in words, or what is missing.
    """

    path: Path
    content: bytes | None
    about: str


def project_files(
    directory: Path, repository: Path, name: Path, document: Document, proposed: Proposals
) -> Iterator[ProjectFile]:
    """Yield the files that a project needs and does not have; existing files are kept.

    Args:
        repository: the directory above it with the workflows, which may be those of several
            projects.
        name: the path of the document, relative to the directory.

    Raises:
        InputError: the project has settings already, or a file cannot be added to.
    """
    yield _settings(_own(directory, FILE_NAME), name, document, proposed)
    for path, line, about in _LINES:
        file = _own(directory, path)
        before = _content(file)
        if line.encode() not in before.splitlines():
            yield ProjectFile(file, _added(before, f"{line}\n"), about)
    workflow = _own(repository, WORKFLOW)
    place = directory.resolve().relative_to(repository.resolve())
    yield _workflow(workflow, place, name, asks_for_key=Credential.of(document) is not None)


def publishing_workflow(repository: Path, output: Path) -> ProjectFile:
    """Return the workflow that publishes a package; an existing one is kept.

    Args:
        repository: the directory with the workflows.
        output: the directory of the package, which is below it.

    Raises:
        InputError: the workflow cannot be written there.
    """
    package = output.resolve().relative_to(repository.resolve())
    place = package.parent if package.name == OUTPUT else package
    job = "" if place == Path() else f"-{_words(place)}"
    file = _own(repository, _PUBLISHING.format(job=job))
    tag = f"{job[1:]}-v" if job else "v"
    if file.exists():
        return ProjectFile(file, None, "it is yours")
    parts = {"job": job, "tag": tag, "package": _quoted(package)}
    text = _filled(_PUBLISHING_TEMPLATE, parts)
    return ProjectFile(file, text.encode(), f"tags such as {tag}1.2.0 publish the package")


def named_settings(file: Path, document: Path | str, names: Mapping[str, str]) -> ProjectFile:
    """Return the settings of a project with these names of methods, too; the rest is kept.

    Args:
        file: the settings, which are valid.
        names: names by operationId, or such as `GET /things`, for which the settings have none.

    Raises:
        InputError: the project has no settings for the document, or their text cannot be added to.
    """
    start = Location(str(file), 1, 1)
    number = next(
        (
            number
            for number, config in enumerate(read_configs(file))
            if config.document is None or is_same(config.document, document)
        ),
        None,
    )
    if number is None:
        raise InputError(f"{TABLE} is for another document than {document}", start)
    if not names:
        return ProjectFile(file, None, "no method has a plainer name")
    before, settings = read_toml(file)
    wanted = _with_names(settings, number, names)
    for text in _texts_with_names(before, names):
        if _parsed(text) == wanted:
            return ProjectFile(file, text.encode(), f"names ({len(names)})")
    lines = ", ".join(_pairs(names))
    raise InputError("cannot be added to", start, f"write into [tool.specwright.{_NAMES}]: {lines}")


def _with_names(
    settings: dict[str, object], number: int, names: Mapping[str, str]
) -> dict[str, object]:
    """Return all settings with the names in one of our tables."""
    wanted = copy.deepcopy(settings)
    tables = mapping(wanted["tool"])["specwright"]
    table = mapping(tables[number] if isinstance(tables, list) else tables)
    kinds = mapping(table.setdefault("names", {}))
    mapping(kinds.setdefault("operations", {})).update(names)
    return wanted


def _texts_with_names(text: str, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the text with the names in each place that may be the right one."""
    ended = text if text.endswith("\n") else f"{text}\n"
    lines = ended.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    places = [_end_of_table(lines, following) for following in (*heads, len(lines))]
    for added in (_pairs(names), ("", _ABOUT_NAMES, *_table(_NAMES, names))):
        block = "".join(f"{line}\n" for line in added)
        for place in reversed(places):
            yield "".join([*lines[:place], block, *lines[place:]])


def _end_of_table(lines: Sequence[str], following: int) -> int:
    """Return the line below a table, given that of the next one, which may have comments above."""
    while following and lines[following - 1].strip()[:1] in ("", "#"):
        following -= 1
    return following


def _parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _own(directory: Path, path: str) -> Path:
    """Return a file of the project; raise an error if a link puts it in another place."""
    file = directory / path
    if not is_below(file, directory):
        raise InputError(
            "is a symbolic link to a place outside the project", Location(str(file), 1, 1)
        )
    return file


def _settings(file: Path, name: Path, document: Document, proposed: Proposals) -> ProjectFile:
    before, settings = read_toml(file) if file.exists() else ("", {})
    tools = settings.get("tool", {})
    has_own = not isinstance(tools, dict) or "specwright" in tools
    for present in [file] if has_own else _between(file, name):
        hint = "change it there, or remove it first"
        raise InputError(f"the project has {TABLE} already", Location(str(present), 1, 1), hint)
    values = {
        "document": name.as_posix(),
        "output": OUTPUT,
        "package": package_name(_title(document)),
    }
    text = settings_table(values, proposed)
    content = _added(before.encode(), f"\n{text}" if before else text)
    _check(file, content, values)
    sections = (
        ("pagination", proposed.pagination),
        ("names", proposed.names),
        ("sign-in", proposed.sign_in),
    )
    counts = [f"{name} ({len(settings)})" for name, settings in sections if settings]
    return ProjectFile(file, content, ", ".join([TABLE, *counts]))


def _between(file: Path, name: Path) -> Iterator[Path]:
    """Yield the settings between a file of settings and a document: commands would read them."""
    top = file.parent.resolve()
    nearest = find_project((top / name).parent)
    if nearest is not None and nearest != top / FILE_NAME and nearest.is_relative_to(top):
        yield file.parent / nearest.relative_to(top)


def _title(document: Document) -> str:
    info = document.data.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return title if isinstance(title, str) and title else "API"


def _check(file: Path, content: bytes, values: Mapping[str, str]) -> None:
    """Make sure that the addition is parsed as intended after the text before it."""
    try:
        table = tomllib.loads(content.decode())["tool"]["specwright"]
    except (ValueError, KeyError, TypeError):
        table = {}
    if any(table.get(key) != value for key, value in values.items()):
        hint = f"write {TABLE} into it yourself: docs/reference/settings.md"
        raise InputError("cannot be added to", Location(str(file), 1, 1), hint)


def _workflow(file: Path, place: Path, name: Path, *, asks_for_key: bool) -> ProjectFile:
    """Return the workflow with the jobs of a project; those of others, and its edits, are kept.

    Args:
        place: the directory of the project, from the top of the repository.
        name: the path of the document, from that directory.
    """
    text = _checks(place, name, asks_for_key=asks_for_key)
    before = _content(file)
    if not before:
        about = "validate, generate --check, review and test on pull requests"
        return ProjectFile(file, text.encode(), about)
    jobs = text.partition(_JOBS)[2]
    content = _added(before, jobs)
    present, wanted, together = map(_data, (before, text.encode(), content))
    known, new = (mapping(data.get("jobs")) for data in (present, wanted))
    if new.items() <= known.items():
        return ProjectFile(file, None, "it has the jobs of this document")
    if not known or known.keys() & new.keys() or together != {**present, "jobs": {**known, **new}}:
        about = f"add jobs for {(place / name).as_posix()} to it"
        return ProjectFile(file, None, about)
    return ProjectFile(file, content, f"the jobs {', '.join(new)}")


def _data(content: bytes) -> JsonObject:
    """Return the data of a workflow; empty if it is none."""
    try:
        return mapping(yaml.safe_load(content))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _checks(place: Path, name: Path, *, asks_for_key: bool) -> str:
    """Return the workflow for a document; one below the top of the repository is named in it."""
    is_top = place == Path()
    words = _words(place)
    variable = f"_{words.upper().replace('-', '_')}"
    shown = _quoted(place / name)
    parts = {
        "secret": "\n          KEY: ${{ secrets.CONTRACT_KEY<variable> }}" if asks_for_key else "",
        "job": "" if is_top else f"-{words}",
        "variable": "" if is_top else variable,
        "environment": "" if is_top else f"\n    env:\n      DOCUMENT: {shown}",
        "document": "" if is_top else ' "$DOCUMENT"',
        "option": " --api-key-env KEY" if asks_for_key else "",
    }
    return _filled(_TEMPLATE, parts)


def _filled(template: Path, parts: Mapping[str, str]) -> str:
    text = template.read_text("utf-8")
    for token, part in parts.items():
        text = text.replace(f"<{token}>", part)
    return text


def _words(place: Path) -> str:
    """Return the path of a project as a part of names of jobs and tags."""
    return "-".join(re.findall("[A-Za-z0-9]+", place.as_posix())) or "api"


def _quoted(path: Path) -> str:
    """Return a path as a value in a workflow."""
    # GitHub replaces expressions in the text before it is read.
    return json.dumps(path.as_posix()).replace("${{", "${{ '${{' }}")


def _content(file: Path) -> bytes:
    try:
        return read_regular(file) if file.exists() else b""
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise InputError(message, Location(str(file), 1, 1)) from None


def _added(before: bytes, text: str) -> bytes:
    start = before + b"\n" if before and not before.endswith(b"\n") else before
    return start + text.encode()


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def settings_table(values: Mapping[str, str], proposed: Proposals) -> str:
    """Return the table `[tool.specwright]`, with proposals in tables of their own."""
    return "\n".join([*_table("", values), *_proposed(proposed)]) + "\n"


def _proposed(proposed: Proposals) -> Iterator[str]:
    if proposed.pagination:
        yield "\n# Lists with pagination that the document shows plainly."
        yield from _table("pagination", proposed.pagination)
    if proposed.names:
        yield f"\n{_ABOUT_NAMES}"
        yield from _table(_NAMES, proposed.names)
    for scheme, members in proposed.sign_in.items():
        yield "\n# How `specwright test` signs in with a key `user:password`."
        yield from _table(f"test.sign-in.{_key(scheme)}", members)


def _table(name: str, values: Mapping[str, object]) -> Iterator[str]:
    yield f"[tool.specwright{'.' if name else ''}{name}]"
    yield from _pairs(values)


def _pairs(values: Mapping[str, object]) -> Sequence[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in values.items()]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        members = (f"{_key(str(name))} = {_value(each)}" for name, each in value.items())
        return f"{{ {', '.join(members)} }}"
    # Texts, whole numbers and truth values in JSON are TOML, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
