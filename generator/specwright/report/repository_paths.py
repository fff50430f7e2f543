"""Paths from the top of a repository, for services that show a report beside its files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from specwright.errors import Location
from specwright.files import repository
from specwright.findings import Finding, Report

# Of files in a commit, and on other machines.
_ELSEWHERE = ("git:", "http:", "https:")


def with_repository_paths(report: Report) -> Report:
    """Return the report with files named from the top of the repository, if there is one."""
    here = Path.cwd()
    top = repository(here)
    return report if top is None else _with_paths(report, here, top)


def _with_paths(report: Report, here: Path, top: Path) -> Report:
    former_files: dict[str, str] = {}

    def relocate(location: Location) -> Location:
        if location.file.startswith(_ELSEWHERE):
            return location
        path = here / location.file
        # The name of a link stays: only links above it are followed, as for the working directory.
        try:
            file = Path(os.path.realpath(path.parent), path.name)
        except ValueError:
            # No file has such a name.
            return location
        if not file.is_relative_to(top):
            return location
        shown = file.relative_to(top).as_posix()
        former_files[shown] = location.file
        return replace(location, file=shown)

    def with_paths(finding: Finding) -> Finding:
        related = relocate(finding.related) if finding.related else None
        return replace(finding, location=relocate(finding.location), related=related)

    is_file = os.path.lexists(here / report.document)
    return replace(
        report,
        document=relocate(Location(report.document, 1, 1)).file if is_file else report.document,
        findings=tuple(map(with_paths, report.findings)),
        waived=tuple(map(with_paths, report.waived)),
        line=lambda place: report.line(
            replace(place, file=former_files.get(place.file, place.file))
        ),
    )
