"""The lock file: the generated files, their inputs, and the versions of the tools."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from specwright.emit import file_states
from specwright.emit.fileset import FileSet
from specwright.errors import InputError, Location, SpecwrightError

LOCK = "specwright.lock.json"
_HASH = re.compile(r"[0-9a-f]{64}")
_HINT = (
    "only specwright writes it: restore it from version control, or delete the whole "
    "output directory and generate it again"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageContents:
    """The share of its document that a package covers.

    Attributes:
        operations, webhooks: their number in the document.
        whole_operations, whole_webhooks: the number of them without any part that is left out.
        left_out: the number of places without code, by the rule that reports them.
    """

    operations: int = 0
    whole_operations: int = 0
    webhooks: int = 0
    whole_webhooks: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Origin:
    """The inputs of an output.

    Attributes:
        tools: versions of the tools that determine its bytes.
        document: hash of the document.
        fetched: hash of each part of it from another machine, by address.
        options: the settings that determine the content.
        templates: hash of each template of the user.
        contents: the share of the document that it covers.
    """

    tools: Mapping[str, str]
    document: str
    options: Mapping[str, object]
    templates: Mapping[str, str] = field(default_factory=dict)
    contents: PackageContents = field(default_factory=PackageContents)
    fetched: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of a lock file, which describes its directory.

    Attributes:
        package: name of the package that was generated into the directory.
        files: hash of each generated file.
    """

    package: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def digest(content: bytes) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(content).hexdigest()


def locked(files: Mapping[str, bytes], origin: Origin) -> FileSet:
    """Return the files with the lock file that describes them."""
    hashes = {path: digest(content) for path, content in files.items()}
    text = json.dumps({**asdict(origin), "files": hashes}, indent=2, sort_keys=True)
    return FileSet({**files, LOCK: f"{text}\n".encode()})


def contents(files: FileSet) -> PackageContents:
    """Return the contents recorded in the lock file of a package that was just generated."""
    return PackageContents(**json.loads(files[LOCK])["contents"])


def read_lock(directory: Path) -> Lock:
    """Return the lock file of a directory; an empty one if it does not exist.

    Raises:
        InputError: it is not as specwright wrote it, so nothing in it is trusted.
    """
    file = str(directory / LOCK)
    try:
        content = file_states.read(directory, LOCK)
    except file_states.NotGenerated:
        raise _not_a_lock(
            Location(file, 1, 1), "it is a symbolic link, a device or too large"
        ) from None
    return Lock() if content is None else parse_lock(content, file)


def parse_lock(content: bytes, file: str) -> Lock:
    """Return the data of a lock file.

    Raises:
        InputError: it is not as specwright wrote it.
    """
    try:
        entries = json.loads(content, object_pairs_hook=_unique)
        package, files = entries["options"]["package"], entries["files"]
        if not isinstance(package, str) or not isinstance(files, dict):
            raise TypeError
    except json.JSONDecodeError as error:
        raise _not_a_lock(Location(file, error.lineno, error.colno), error.msg) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _not_a_lock(
            Location(file, 1, 1), "it does not have the form that specwright writes"
        ) from None
    text = content.decode()
    for path, hashed in files.items():
        if not isinstance(hashed, str) or not _HASH.fullmatch(hashed):
            raise _not_a_lock(_place(file, text, path), f"{path!r} has no hash")
    try:
        FileSet(dict.fromkeys([*files, LOCK], b""))
    except SpecwrightError as error:
        wrong = next((path for path in files if repr(path) in error.message), "")
        raise _not_a_lock(_place(file, text, wrong), error.message) from None
    return Lock(package, files)


def _unique(members: list[tuple[str, object]]) -> dict[str, object]:
    unique = dict(members)
    if len(unique) != len(members):
        raise ValueError("duplicate name")
    return unique


def _place(file: str, text: str, path: str) -> Location:
    before, quoted, _ = text.partition(json.dumps(path))
    if not path or not quoted:
        return Location(file, 1, 1)
    return Location(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


def _not_a_lock(place: Location, reason: str) -> InputError:
    return InputError(f"not a lock file: {reason}", place, _HINT)
