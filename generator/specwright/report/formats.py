"""The formats of reports: a name, the function that renders one, and a file name for some."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from specwright.findings import Report
from specwright.report import data, github, gitlab, junit, markdown, page, sarif, text

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": data.render,
    "github": github.render,
    "gitlab": gitlab.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "markdown": markdown.render,
    "html": page.render,
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
