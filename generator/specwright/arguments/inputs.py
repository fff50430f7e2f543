"""The two documents of a comparison, and what the project accepts of it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from specwright.arguments.options import reference_directories
from specwright.check.schema import check_schema
from specwright.compare.verdicts import acceptances
from specwright.compare.verdicts.change_rules import INVALID
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.git import PREFIX
from specwright.document.sources.load import load, load_commit
from specwright.document.upgrade import upgrade
from specwright.files import read_argument
from specwright.findings import Finding
from specwright.isolation import Limits, Stopped, isolated

_LIMITS = Limits(8.0, 512 * 1024 * 1024)


def read_side(name: str, allowed: tuple[Path, ...]) -> Document:
    """Read one of the documents: a file, or `git:REF:path`."""
    if name.startswith(PREFIX):
        return upgrade(load_commit(name, remote=Remote.KEEP))
    within = reference_directories(Path(name), allowed)
    return upgrade(load(name, remote=Remote.KEEP, within=within, read=read_argument))


def accepted(revision: str, file: str | None = None) -> tuple[acceptances.Acceptance, ...]:
    """The changes that the project accepts, by a file or by the one beside the revision."""
    if file is None:
        beside = Path(revision).with_name(acceptances.FILE_NAME)
        file = str(beside) if os.path.lexists(beside) else None
    return acceptances.load(file) if file else ()


def invalid(document: Document) -> list[Finding]:
    """Say that a document is not what its comparison takes it for."""
    [problems] = isolated([partial(check_schema, document)], _LIMITS)
    start = document.locate("")
    if isinstance(problems, Stopped):
        message = f"{document.path} could not be validated: {problems}"
        return [Finding(INVALID.id, INVALID.recommended, start, None, message)]
    if not problems:
        return []
    first = problems[0]
    message = (
        f"{document.path} is not valid OpenAPI ({len(problems)} errors, the first: "
        f"{first.message}); it is compared as far as possible"
    )
    place = document.locate(first.pointer)
    return [Finding(INVALID.id, INVALID.recommended, place, first.pointer, message)]
