"""A report as files in a directory, one for each format that programs and people keep."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from specwright.errors import InputError, SpecwrightError
from specwright.files import replace_files
from specwright.findings import Report
from specwright.report.formats import FORMATS

FILES: Mapping[str, str] = {
    "report.json": "json",
    "report.html": "html",
    "report.xml": "junit",
    "report.sarif": "sarif",
    "report.md": "markdown",
}


def write(
    report: Report, directory: Path, others: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write every file; each is the old one or the new one at any time, never a part of it.

    `others` are files of the command's own, by name.

    A link in the place of a file is replaced, and nothing is written to where it leads.

    Raises:
        SpecwrightError: the directory is a link, or the operating system refuses.
    """
    rendered = {name: FORMATS[kind](report) for name, kind in FILES.items()}
    contents = {name: text.encode() for name, text in {**rendered, **others}.items()}
    if directory.is_symlink():
        raise InputError(
            f"{directory}: is a link, and reports are written to no other place than they seem",
            hint="name the directory that it leads to",
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        replace_files({directory / name: content for name, content in contents.items()})
    except OSError as error:
        raise SpecwrightError(
            f"{error.filename2 or error.filename or directory}: cannot be written: "
            f"{error.strerror or error}",
            hint="see to the permissions of the directory of reports or to free space",
        ) from error


def summarise(report: Report, path: Path) -> None:
    """Add the report in Markdown to a file, such as the summary of a job on GitHub.

    Raises:
        SpecwrightError: the operating system refuses.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{FORMATS['markdown'](report)}\n")
    except OSError as error:
        raise SpecwrightError(f"{path}: cannot be written: {error.strerror or error}") from error
