"""The documents of a directory, and their places in an older commit."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from specwright.config import configs_as_of, find_project
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.git import Commit
from specwright.document.sources.load import load_commit
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.files import read_regular

_SUFFIXES = frozenset((".json", ".yaml", ".yml"))
_OPENAPI = re.compile(
    rb"(?:^|[{,])\s*[\"']?(?:openapi[\"']?\s*:\s*[\"']?3\.|swagger[\"']?\s*:\s*[\"']?2\.0)",
    re.MULTILINE,
)
# Directories of installed packages, which are not part of the project.
_EXCLUDED = frozenset(("node_modules", "site-packages"))


def documents_in(directory: Path) -> Sequence[Path]:
    """Return the OpenAPI documents of a directory by name, without links and hidden directories.

    Raises:
        InputError: the directory has none.
    """
    documents = sorted(path for path in _files(directory) if _is_openapi(read_regular(path)))
    if not documents:
        raise InputError(
            f"{directory}: contains no OpenAPI documents", hint="pass another directory"
        )
    return documents


def _files(directory: Path) -> Iterator[Path]:
    for place, directories, names in os.walk(directory):
        directories[:] = [
            name for name in directories if not name.startswith(".") and name not in _EXCLUDED
        ]
        for path in (Path(place, name) for name in names):
            if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
                yield path


def _is_openapi(content: bytes) -> bool:
    return _OPENAPI.search(content) is not None


def removed_since(commit: Commit) -> Sequence[str]:
    """Return the paths of the OpenAPI documents of a commit that the working tree no longer has."""
    missing = (
        path
        for path in commit.files()
        if Path(path).suffix in _SUFFIXES and not os.path.lexists(path)
    )
    return [path for path in missing if _was_openapi(commit, path)]


def _was_openapi(commit: Commit, path: str) -> bool:
    try:
        return _is_openapi(commit.read(commit.name(path)))
    except OSError:
        return False


def former_documents(commit: Commit) -> Sequence[str]:
    """Return the documents in a project's settings at a commit, if these can be read."""
    file = find_project(Path.cwd())
    if file is None:
        return ()
    try:
        configs = configs_as_of(file, commit.read(commit.name_of(file)))
    except (OSError, InputError):
        return ()
    return [os.path.relpath(config.document) for config in configs if config.document is not None]


def former_path(commit: Commit, document: Document, removed: Collection[str]) -> str | None:
    """Return the former path of a moved document: that of a removed one with the same title.

    Of several, one with the same file name is preferred. If there is none, it is the path of the
    file that git knows it was renamed from.
    """
    name = Path(document.path).name
    for path in sorted(removed, key=lambda path: (Path(path).name != name, path)):
        former = former_document(commit, path)
        if former is not None and title(former) == title(document):
            return path
    renamed = commit.renamed().get(os.path.relpath(document.path))
    return renamed if renamed in removed else None


def former_document(commit: Commit, path: str) -> Document | None:
    """Return a document of a commit, upgraded; None if it cannot be used."""
    try:
        return upgrade(load_commit(commit.name(path), remote=Remote.KEEP))
    except InputError:
        return None


def title(document: Document) -> object:
    """Return the title of an API, which identifies a moved document."""
    info = document.data.get("info")
    return info.get("title") if isinstance(info, dict) else None
