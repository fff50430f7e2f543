"""The formats of reports: a name, the function that renders one, and a file name for some."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from specwright.findings import Report
from specwright.report import data, github, gitlab, junit, markdown, page, sarif, text
from specwright.report.repository_paths import with_repository_paths

RENDERERS: Mapping[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": data.render,
    "github": github.render,
    "gitlab": gitlab.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "markdown": markdown.render,
    "html": page.render,
}
# As commands write them: services show these two beside the files of a repository.
FORMATS: Mapping[str, Callable[[Report], str]] = {
    **RENDERERS,
    "github": lambda report: github.render(with_repository_paths(report)),
    "gitlab": lambda report: gitlab.render(with_repository_paths(report)),
}
# The files of a report directory, by the names of their formats.
FILES: Mapping[str, str] = {
    "report.json": "json",
    "report.html": "html",
    "report.xml": "junit",
    "report.sarif": "sarif",
    "report.gitlab.json": "gitlab",
    "report.md": "markdown",
}
