"""Paths from the top of a repository, for tools that show a report beside its files."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from pathlib import PurePath

from specwright.errors import Location
from specwright.findings import Finding, Report


def with_repository_paths(report: Report, directory: str) -> Report:
    """Return the report with the paths of the working tree relative to the top of the repository.

    Args:
        directory: the directory that they are relative to now, from the top, such as `services`.
    """
    if not directory:
        return report
    former_files: dict[str, str] = {}

    def relocate(location: Location) -> Location:
        if location.file.startswith(("git:", "/")):
            return location
        file = PurePath(location.file).as_posix()
        path = posixpath.normpath(posixpath.join(directory, file))
        former_files[path] = location.file
        return replace(location, file=path)

    def with_paths(finding: Finding) -> Finding:
        related = relocate(finding.related) if finding.related else None
        return replace(finding, location=relocate(finding.location), related=related)

    return replace(
        report,
        document=posixpath.normpath(posixpath.join(directory, report.document)),
        findings=tuple(map(with_paths, report.findings)),
        waived=tuple(map(with_paths, report.waived)),
        line=lambda place: report.line(
            replace(place, file=former_files.get(place.file, place.file))
        ),
    )
