"""A report as one HTML file, which needs no network, and a script for searching only."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.resources import files

from specwright import __version__
from specwright.findings import WORST_FIRST, Finding, Report
from specwright.report.excerpt import Source
from specwright.report.outline import by_operation, kinds, parts
from specwright.report.verdict import counted, headline, verdict
from specwright.text import visible


def render(report: Report) -> str:
    """The whole page; its style and script are the only ones that its policy lets a browser use."""
    # Imported here: only this format needs it.
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Before it is escaped, every text is made visible.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["counted"] = counted
    environment.filters["ours"] = _ours
    environment.globals["extract"] = Source(report.line).extract
    environment.globals["anchor"] = _anchors()
    style, script = _asset("page.css"), _asset("page.js")
    return environment.from_string(_asset("page.html.jinja")).render(
        report=report,
        headline=headline(report),
        verdict=verdict(report),
        kinds=kinds(report),
        operations=by_operation(report),
        parts=parts(report),
        levels=[level for level in WORST_FIRST if report.count(level)],
        style=Markup(style),
        script=Markup(script),
        digests=[_digest(each) for each in (style, script)],
        version=__version__,
    )


def _anchors() -> Callable[[Finding], str]:
    """The name of the place of each finding on the page; no two have the same."""
    names: dict[Finding, str] = {}
    taken: Counter[str] = Counter()

    def anchor(finding: Finding) -> str:
        if finding not in names:
            taken[finding.fingerprint] += 1
            again = taken[finding.fingerprint]
            names[finding] = finding.fingerprint + (f"-{again}" if again > 1 else "")
        return names[finding]

    return anchor


def _ours(text: str) -> Sequence[tuple[bool, str]]:
    """The parts of a text of ours, and whether each is code, which backticks mark."""
    return [(number % 2 == 1, part) for number, part in enumerate(text.split("`"))]


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
