"""A report as files in a directory, one for each file format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from specwright.errors import InputError, SpecwrightError
from specwright.files import replace_files, why_not_written
from specwright.findings import Report
from specwright.report.formats import FILES, FORMATS, RENDERERS
from specwright.report.repository_paths import with_repository_paths


def write(
    report: Report, directory: Path, others: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write every file atomically; they are read elsewhere, and name files from the top.

    `others` are additional files of the command, by name.

    A link in place of a file is replaced, and its target stays as it is.

    Raises:
        SpecwrightError: the directory is a symbolic link, or the files cannot be written.
    """
    report = with_repository_paths(report)
    rendered = {name: RENDERERS[kind](report) for name, kind in FILES.items()}
    contents = {name: text.encode() for name, text in {**rendered, **others}.items()}
    # `Path` passes on errors about names that the system rejects.
    if os.path.islink(directory):  # noqa: PTH114
        raise InputError(
            f"{directory}: is a symbolic link; reports are not written through links",
            hint="pass the target directory",
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        replace_files({directory / name: content for name, content in contents.items()})
    except OSError as error:
        raise SpecwrightError(
            f"{error.filename2 or error.filename or directory}: cannot be written: "
            f"{why_not_written(error)}",
            hint="check the permissions of the report directory and the free disk space",
        ) from error


def summarise(report: Report, path: Path) -> None:
    """Append the report in Markdown to a file, such as the summary of a job on GitHub.

    Raises:
        SpecwrightError: the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{FORMATS['markdown'](report)}\n")
    except OSError as error:
        raise SpecwrightError(f"{path}: cannot be written: {why_not_written(error)}") from error
