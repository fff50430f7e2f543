"""Results of earlier runs of this user, by the content of all their inputs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import specwright
from specwright.caches import cache_home
from specwright.config import PackageOptions, is_below
from specwright.emit.fileset import FileSet
from specwright.emit.manifest import LOCK, digest, parse_lock
from specwright.errors import SpecwrightError
from specwright.files import read_regular, replace_files
from specwright.render.templates import Templates

_KEPT = 32
_ENTRY = re.compile(r"\.?[0-9a-f]{64}(\.\w+)?")


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """The files of a package, and the messages about its document.

    Attributes:
        parts: the other files that the document consists of, or their addresses.
        plain_names: names that its methods could have, by operationId, or such as `GET /things`.
        has_errors: whether this program failed on a part of the document, and did without it.
    """

    files: FileSet
    messages: str
    parts: frozenset[str] = frozenset()
    plain_names: Mapping[str, str] = field(default_factory=dict)
    has_errors: bool = False


def cache_directory() -> Path:
    """Return the directory of this user's results; it may not exist."""
    return cache_home() / "packages"


def cache_key(files: Iterable[bytes], options: PackageOptions, templates: Templates) -> str:
    """Return the name of a document's result; any input that affects it changes the name.

    Args:
        files: contents of the document, and of its settings.
    """
    hashed = hashlib.sha256()
    settings = {**asdict(options), "templates": options.templates is not None}
    for part in (sys.version, *_distributions(), json.dumps(settings, sort_keys=True, default=str)):
        hashed.update(f"{part}\0".encode())
    own = ((name, source.encode()) for name, source in templates.own().items())
    toolkit = Path(specwright.__file__).parent
    for contents in (_contents(toolkit), _contents(templates.builtin), own):
        for name, content in contents:
            hashed.update(f"{name}\0{len(content)}\0".encode() + content)
        hashed.update(b"\0")
    for content in files:
        hashed.update(f"{len(content)}\0".encode() + content)
    return hashed.hexdigest()


def load(cache: Path, key: str, document: Path, within: Sequence[Path]) -> GeneratedPackage | None:
    """Return the result of an earlier run, if none of its inputs has changed.

    Entries that others could have written, or that are not as `store` writes them, are ignored.

    Args:
        within: the directories with files that the document may refer to.
    """
    try:
        if not _is_private(cache):
            return None
        files, parts, messages, names = _entry(json.loads(read_regular(cache / key)))
        for name, expected in parts.items():
            part = document.parent / name
            # A file that was allowed then may not be allowed now.
            if not any(is_below(part, path) for path in within):
                return None
            if digest(read_regular(part)) != expected:
                return None
        package_files = _whole({path: content.encode() for path, content in files.items()})
        own = frozenset(str(document.parent / name) for name in parts)
        return GeneratedPackage(package_files, messages, own, names)
    except (OSError, ValueError, KeyError, RecursionError, SpecwrightError):
        return None


def store(cache: Path, key: str, package: GeneratedPackage, document: Path) -> None:
    """Store the result of this run; if the cache cannot be written, it is skipped.

    If a part of the document is on another machine, its changes cannot be noticed, and nothing is
    stored.
    """
    try:
        entry = {
            "files": {path: content.decode() for path, content in package.files.items()},
            "messages": package.messages,
            "plain_names": dict(package.plain_names),
            "parts": {
                os.path.relpath(part, document.parent): digest(read_regular(Path(part)))
                for part in package.parts
            },
        }
        if cache.is_absolute():
            cache.parent.mkdir(parents=True, exist_ok=True)
            cache.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(cache):
            return
        replace_files({cache / key: json.dumps(entry).encode()}, mode=0o600)
        entries = [path for path in cache.iterdir() if _ENTRY.fullmatch(path.name)]
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
            path.unlink(missing_ok=True)
    except OSError:
        return


def _is_private(cache: Path) -> bool:
    """Return whether this is a directory that only this user can have written to."""
    status = cache.lstat()
    if not cache.is_absolute() or not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077 == 0


def _entry(
    value: object,
) -> tuple[Mapping[str, str], Mapping[str, object], str, Mapping[str, str]]:
    match value:
        case {
            "files": dict(files),
            "parts": dict(parts),
            "messages": str(messages),
            "plain_names": dict(names),
        }:
            if all(isinstance(text, str) for text in (*files.values(), *names.values())):
                return files, parts, messages, names
    raise ValueError("not an entry of the cache")


def _whole(files: Mapping[str, bytes]) -> FileSet:
    """Return the files as a set; raise an error unless they are those in their lock file."""
    hashes = {path: digest(content) for path, content in files.items() if path != LOCK}
    if parse_lock(files[LOCK], LOCK).files != hashes:
        raise ValueError("not an output")
    return FileSet(files)


def _distributions() -> Iterator[str]:
    """Yield name and version of all installed distributions; `importlib.metadata` is slower."""
    for entry in map(Path, sys.path):
        if entry.is_dir():
            yield from sorted(path.name for path in entry.glob("*.dist-info"))


def _contents(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.suffix in (".py", ".json", ".jinja") and path.is_file():
            yield path.relative_to(directory).as_posix(), path.read_bytes()
