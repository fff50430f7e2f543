"""From a path to a `Document`: read, parse, bundle other files, check references."""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from shlex import quote

from specwright.document.model import Document, Source, is_remote
from specwright.document.shape import is_swagger
from specwright.document.sources import json_source
from specwright.document.sources.bundle import Files, LeadsOut, Remote, bundle
from specwright.document.sources.git import Commit, ref_of
from specwright.document.sources.references import check_references
from specwright.errors import InputError, Location, did_you_mean
from specwright.files import read_regular
from specwright.json_values import JsonObject, JsonValue


class Directories:
    """The directory of a document, and others with files that it may refer to."""

    def __init__(self, document: str, others: Iterable[Path]) -> None:
        self._directories = [os.path.realpath(path) for path in (Path(document).parent, *others)]

    def beside(self, file: str, path: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(file), path))  # noqa: PTH118, PTH120

    def identity(self, file: str) -> str:
        return os.path.realpath(file)

    def read(self, file: str) -> bytes:
        real = Path(os.path.realpath(file))
        if not any(real.is_relative_to(directory) for directory in self._directories):
            raise LeadsOut(file)
        return read_regular(real)


SWAGGER_VERSION = "2.0"
_SUPPORTED = re.compile(r"3\.[012]\.\d+(-.+)?")
# Fields by which the documents of other formats begin.
_OTHERS = {"asyncapi": "AsyncAPI", "swaggerVersion": "Swagger 1", "arazzo": "Arazzo"}
_SUFFIXES = frozenset((".json", ".yaml", ".yml"))
_BEGINNING = "starts with a field 'openapi', such as 'openapi: 3.1.1'"
# Names of documents share their suffix.
_SIMILAR = 0.9
# How git begins the lines of one side.
_CONFLICT = re.compile(r"^<{7} ", re.MULTILINE)
# Bytes to show of content that is not a document.
_SHOWN = 120


def load(
    path: str | Path,
    *,
    remote: Remote = Remote.REFUSE,
    within: Iterable[Path] = (),
    read: Callable[[Path], bytes] = read_regular,
) -> Document:
    """Read a document with all files that it refers to.

    Args:
        read: reads the document itself.
        within: directories with files that it may refer to, apart from its own.

    Raises:
        InputError: a file is missing, may not be read, or is invalid.
    """
    return resolved(load_in_part(path, remote=remote, within=within, read=read))


def load_from(address: str, allows: Callable[[str], bool]) -> Document:
    """Read a document from its address; it may not refer to anything outside itself.

    Args:
        allows: whether an address may be the target of a redirect.

    Raises:
        InputError: it cannot be fetched, or is not an OpenAPI document.
    """
    content = _fetched(address, allows)
    return resolved(_loaded(address, content, Remote.REFUSE, Directories(address, ())))


def load_in_part(
    path: str | Path,
    *,
    remote: Remote = Remote.REFUSE,
    within: Iterable[Path] = (),
    read: Callable[[Path], bytes] = read_regular,
) -> Document:
    """Read a document as `load` does, without the targets of its unresolved references.

    Args:
        path: the path, or the address on another machine.
    """
    file = str(path)
    content = read_address(file) if is_remote(file) else read_file(file, read)
    return _loaded(file, content, remote, Directories(file, within))


def read_address(address: str) -> bytes:
    """Return the content at the address of a document, or at its redirect.

    Raises:
        InputError: it cannot be fetched.
    """
    return _fetched(address, is_remote)


def _fetched(address: str, allows: Callable[[str], bool]) -> bytes:
    # Imported here because almost no run needs it.
    from specwright.document.sources.remote import fetch

    return fetch(address, Location(address, 1, 1), allows)


def resolved(document: Document) -> Document:
    """Return the document if all of its references have targets.

    Raises:
        UnresolvedError: the first reference without a target.
    """
    for error in document.unresolved.values():
        raise error
    return document


def load_commit(name: str, *, remote: Remote = Remote.REFUSE) -> Document:
    """Read a document of a commit, `git:REF:path`, with the files of the commit it refers to.

    Raises:
        InputError: the commit or the file does not exist, or the file is invalid.
    """
    commit = Commit.of(ref_of(name))

    def read(_: Path) -> bytes:
        try:
            return commit.read(name)
        except FileNotFoundError:
            raise InputError(
                f"'{commit.ref}' has no file '{commit.path(name)}'",
                hint=f"`git ls-tree -r --name-only {quote(commit.ref)}` lists its files",
            ) from None

    return resolved(_loaded(name, read_file(name, read), remote, commit))


def _loaded(file: str, content: bytes, remote: Remote, files: Files) -> Document:
    data, source = _parse_openapi(file, content)
    return check_references(bundle(data, source, parse, remote=remote, files=files))


def parse_openapi(file: str, content: bytes) -> JsonObject:
    """Return the data of one file as it is written, without following references."""
    return _parse_openapi(file, content)[0]


def _parse_openapi(file: str, content: bytes) -> tuple[JsonObject, Source]:
    try:
        data, source = parse(file, content)
        return _openapi(data, source), source
    except InputError as error:
        if not is_remote(file):
            raise
        # The user cannot open the file to find out what the server has sent instead.
        shown = content[:_SHOWN].decode("utf-8", "replace")
        message = f"{error.message}; the response begins with {shown!r}"
        raise InputError(message, error.location, error.hint) from None


def read_file(file: str, read: Callable[[Path], bytes] = read_regular) -> bytes:
    """Return the bytes of a local file, or raise an `InputError` with the reason."""
    start = Location(file, 1, 1)
    try:
        return read(Path(file))
    except FileNotFoundError:
        raise InputError("no such file", start, _advice(file)) from None
    except IsADirectoryError:
        raise InputError("is a directory", start, "name the document inside it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot be read: {reason}", start, "name a file that you may read"
        ) from None


def _advice(file: str) -> str:
    """Return a hint about a missing file."""
    if re.match(r"[a-z]+:/", file):
        return "an address begins with https:// or http://"
    before, colon, after = file.partition(":")
    if colon:
        return f"a file of a commit is git:{before}:{after}"
    path = Path(file)
    names = _documents_in(path.parent)
    same = [name for name in names if Path(name).stem == path.stem]
    if same:
        return f"did you mean '{same[0]}'?"
    return did_you_mean(path.name, names, "check the path", _SIMILAR)


def _documents_in(directory: Path) -> list[str]:
    """Return the names of the files in a directory that may be documents."""
    try:
        return sorted(path.name for path in directory.iterdir() if path.suffix in _SUFFIXES)
    except OSError:
        return []


def parse(file: str, content: bytes) -> tuple[JsonValue, Source]:
    """Parse JSON or YAML."""
    text = decode(file, content)
    try:
        return _parsed(file, text)
    except InputError:
        conflict = _CONFLICT.search(text)
        if conflict is None:
            raise
        place = Location(file, text.count("\n", 0, conflict.start()) + 1, 1)
        message = "the file has an unresolved merge conflict"
        raise InputError(message, place, "choose one side, and remove the markers") from None


def _parsed(file: str, text: str) -> tuple[JsonValue, Source]:
    if is_json(file, text):
        return json_source.parse(file, text)
    # Imported here because JSON documents do not need it.
    from specwright.document.sources import yaml_source

    return yaml_source.parse(file, text)


def is_json(file: str, text: str) -> bool:
    """Return whether a file is JSON and not YAML, by its suffix, else by its first character."""
    suffix = Path(file).suffix.lower()
    if suffix in (".yaml", ".yml"):
        return False
    return suffix == ".json" or text.lstrip()[:1] in ("{", "[")


def decode(file: str, content: bytes) -> str:
    """Return the text of a file, in the encoding that its first bytes show.

    They tell UTF-8, UTF-16 and UTF-32 apart, with or without a byte order mark (YAML 1.2.2, 5.2).
    """
    encoding = json.detect_encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, "replace")
        line_start = before.rfind("\n") + 1
        name = encoding.upper().removesuffix("-SIG")
        raise InputError(
            f"not {name} text",
            Location(file, before.count("\n") + 1, len(before) - line_start + 1),
            "save it as UTF-8",
        ) from None
    if not text.strip():
        hint = f"save its content first; a document {_BEGINNING}"
        raise InputError("the file is empty", Location(file, 1, 1), hint)
    return text


def _openapi(data: JsonValue, source: Source) -> JsonObject:
    """Return the data if it is a document of a version that is supported."""
    if not isinstance(data, dict):
        raise InputError(
            "not an OpenAPI document: the top level is not an object",
            Location(source.file, *source.position(())),
            f"it {_BEGINNING}",
        )
    if is_swagger(data):
        # In YAML it is often a number, which the official schema reports.
        if str(data["swagger"]) != SWAGGER_VERSION:
            raise InputError(
                f"the field 'swagger' is {data['swagger']!r}",
                Location(source.file, *source.position(("swagger",))),
                f'it must be text: "{SWAGGER_VERSION}"',
            )
        return data
    for field, name in _OTHERS.items():
        if field in data and "openapi" not in data:
            raise InputError(
                f"this is a document of {name}",
                Location(source.file, *source.position((field,))),
                f"OpenAPI 3.0, 3.1, 3.2 and Swagger {SWAGGER_VERSION} can be read",
            )
    version = data.get("openapi")
    if not isinstance(version, str) or not _SUPPORTED.fullmatch(version):
        shown = "missing" if "openapi" not in data else f"{version!r}"
        raise InputError(
            f"the field 'openapi' is {shown}",
            Location(source.file, *source.position(("openapi",))),
            'it must be text: a version 3.0.x, 3.1.x or 3.2.x, such as "3.1.1"; '
            f"or 'swagger' is \"{SWAGGER_VERSION}\"",
        )
    return data
