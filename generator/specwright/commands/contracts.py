"""The document of a command that tests something against it."""

from __future__ import annotations

from pathlib import Path

from specwright.arguments.options import chosen_document, configured, reference_directories
from specwright.check.checks import check
from specwright.check.settings import Settings
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.upgrade import upgrade
from specwright.errors import InputError
from specwright.files import read_argument


def valid_document(named: Path | None, allowed: tuple[Path, ...]) -> Document:
    """The document that is named, or that of the project, upgraded.

    Raises:
        InputError: it has errors.
    """
    path = chosen_document(configured(document=named))
    within = reference_directories(path, allowed)
    loaded = upgrade(load(path, within=within, read=read_argument))
    report = check(loaded, Settings())
    if report.has_errors:
        raise InputError(
            f"{path}: nothing is tested against a document with errors",
            hint=f"see specwright validate {path}",
        )
    return loaded
