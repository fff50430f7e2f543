"""The lock file: what was generated, from what, by which versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from specwright.emit.fileset import FileSet
from specwright.errors import InputError, Location

LOCK = "specwright.lock.json"
_HINT = (
    "it is written by specwright alone: restore it from version control, or delete the whole "
    "output directory and generate it anew"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What an output was made of.

    Attributes:
        tools: versions of the tools that decide its bytes.
        document: hash of the document.
        options: what the configuration says about the content.
        templates: hash of each template of the user.
    """

    tools: Mapping[str, str]
    document: str
    options: Mapping[str, str | bool]
    templates: Mapping[str, str] = field(default_factory=dict)


def digest(content: bytes) -> str:
    """Return the hash that stands for a file's content."""
    return hashlib.sha256(content).hexdigest()


def locked(files: Mapping[str, bytes], origin: Origin) -> FileSet:
    """Return the files with the lock file that describes them."""
    hashes = {path: digest(content) for path, content in files.items()}
    text = json.dumps({**asdict(origin), "files": hashes}, indent=2, sort_keys=True)
    return FileSet({**files, LOCK: f"{text}\n".encode()})


def recorded(directory: Path) -> Mapping[str, str]:
    """Return the hashes of the files that were generated into a directory.

    Raises:
        InputError: the lock file was damaged.
    """
    path = directory / LOCK
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        files = json.loads(content)["files"]
        return {str(name): str(value) for name, value in files.items()}
    except json.JSONDecodeError as error:
        place = Location(str(path), error.lineno, error.colno)
        raise InputError(f"not a lock file: {error.msg}", place, _HINT) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError("not a lock file", Location(str(path), 1, 1), _HINT) from error
