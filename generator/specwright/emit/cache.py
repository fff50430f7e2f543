"""Results of earlier runs, by the content of everything that they were made of."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import specwright
from specwright.config import Options
from specwright.emit.fileset import FileSet
from specwright.emit.lock import digest

DIRECTORY = ".specwright_cache"
_KEPT = 8


def cache_key(document: bytes, options: Options, templates: Path) -> str:
    """Name the result for a document: whatever could change it changes the name."""
    hashed = hashlib.sha256()
    settings = {**asdict(options), "templates": options.templates is not None}
    for part in (sys.version, *_distributions(), json.dumps(settings, sort_keys=True)):
        hashed.update(f"{part}\0".encode())
    toolkit = Path(specwright.__file__).parent
    for directory in (toolkit, templates, options.templates):
        for name, content in _contents(directory) if directory else ():
            hashed.update(f"{name}\0{len(content)}\0".encode() + content)
    hashed.update(document)
    return hashed.hexdigest()


def load(cache: Path, key: str, document: Path) -> FileSet | None:
    """Return the files of an earlier run, if nothing that they were made of has changed."""
    try:
        checksum, _, text = (cache / key).read_text(encoding="utf-8").partition("\n")
        if checksum != digest(text.encode()):
            return None
        entry = json.loads(text)
        for name, expected in entry["parts"].items():
            if digest((document.parent / name).read_bytes()) != expected:
                return None
    except (OSError, ValueError):
        return None
    return FileSet({path: content.encode() for path, content in entry["files"].items()})


def store(cache: Path, key: str, files: FileSet, document: Path, parts: Iterable[str]) -> None:
    """Remember the files of this run; a cache that cannot be written is none.

    Args:
        parts: the other files that the document consists of. Where one is on another machine,
            nobody knows whether it has changed, and nothing is remembered.
    """
    try:
        entry = {
            "files": {path: content.decode() for path, content in files.items()},
            "parts": {
                os.path.relpath(part, document.parent): digest(Path(part).read_bytes())
                for part in parts
            },
        }
        text = json.dumps(entry)
        cache.mkdir(exist_ok=True)
        (cache / ".gitignore").write_text("*\n", encoding="utf-8")
        unfinished = cache / f"{key}.part"
        unfinished.write_text(f"{digest(text.encode())}\n{text}", encoding="utf-8")
        unfinished.replace(cache / key)
        entries = [path for path in cache.iterdir() if len(path.name) == len(key)]
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
            path.unlink(missing_ok=True)
    except OSError:
        return


def _distributions() -> Iterator[str]:
    """Yield name and version of everything installed; `importlib.metadata` takes longer."""
    for entry in map(Path, sys.path):
        if entry.is_dir():
            yield from sorted(path.name for path in entry.glob("*.dist-info"))


def _contents(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.suffix in (".py", ".json", ".jinja") and path.is_file():
            yield path.relative_to(directory).as_posix(), path.read_bytes()
