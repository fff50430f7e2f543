"""The formats of reports: a name, and the function that renders one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from specwright.findings import Report
from specwright.report import data, github, junit, markdown, page, sarif, text

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": data.render,
    "github": github.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "markdown": markdown.render,
    "html": page.render,
}
