"""The files of a new project, from its document."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from specwright.errors import InputError, Location
from specwright.files import read_regular, why_not_read
from specwright.json_values import mapping
from specwright.project.proposals import Proposals

OUTPUT = "generated"
_NAMES = "names.operations"
_ABOUT_NAMES = "# Methods, named after the functions that a framework derived operationIds from."
# Lines that files of git are to contain, with a message about each.
_LINES = (
    (
        ".gitignore",
        # Directories of the package have names such as `media`, which lines above may ignore.
        ("/reports/", f"!/{OUTPUT}/**", f"/{OUTPUT}/**/__pycache__/"),
        "reports of tests stay out of the repository, and all of the package is in it",
    ),
    (".gitattributes", (f"{OUTPUT}/** linguist-generated=true",), "generated code is marked"),
)


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file to write.

    Attributes:
        content: None for a file that is kept, although something is missing in it.
        about: the new content in words, or what is missing.
        missing: the text to add by hand to a file that is kept.
    """

    path: Path
    content: bytes | None
    about: str
    missing: str = ""


def project_files(
    directory: Path, name: Path, document: Document, proposed: Proposals
) -> Iterator[ProjectFile]:
    """Yield the files that a project needs and does not have; existing files are kept.

    Args:
        name: the path of the document, relative to the directory.

    Raises:
        InputError: the project has settings already, or a file cannot be added to.
    """
    yield _settings(own_file(directory, FILE_NAME), name, document, proposed)
    for path, lines, about in _LINES:
        file = own_file(directory, path)
        before = content_of(file)
        added = [line for line in lines if line.encode() not in before.splitlines()]
        if added:
            yield ProjectFile(file, added_to(before, "".join(f"{line}\n" for line in added)), about)


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


def own_file(directory: Path, path: str) -> Path:
    """Return a file of the project.

    Raises:
        InputError: a link puts it in another place.
    """
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
        raise already_begun(present)
    values = {
        "document": name.as_posix(),
        "output": OUTPUT,
        "package": package_name(_title(document)),
    }
    text = settings_table(values, proposed)
    content = added_to(before.encode(), f"\n{text}" if before else text)
    _check(file, content, values)
    sections = (
        ("pagination", proposed.pagination),
        ("names", proposed.names),
        ("sign-in", proposed.sign_in),
    )
    counts = [f"{name} ({len(settings)})" for name, settings in sections if settings]
    return ProjectFile(file, content, ", ".join([TABLE, *counts]))


def already_begun(settings: Path) -> InputError:
    """Return the error about a project that has settings."""
    hint = "change it there, or remove it first"
    return InputError(f"the project has {TABLE} already", Location(str(settings), 1, 1), hint)


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


def content_of(file: Path) -> bytes:
    """Return the content of a file, empty without one.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        return read_regular(file) if file.exists() else b""
    except OSError as error:
        message = f"cannot be read: {why_not_read(error)}"
        raise InputError(message, Location(str(file), 1, 1)) from None


def added_to(before: bytes, text: str) -> bytes:
    """Return a content with text on lines of its own below it."""
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
