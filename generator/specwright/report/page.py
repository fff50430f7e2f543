"""A report as one HTML file, which needs neither a network nor scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from specwright import __version__
from specwright.findings import WORST_FIRST, Finding, Level, Report
from specwright.report.excerpt import excerpt
from specwright.report.verdict import counted, verdict
from specwright.text import visible


@dataclass(frozen=True, slots=True)
class _Group:
    """The findings of one rule at one level."""

    level: Level
    rule: str
    why: str
    findings: Sequence[Finding]


def render(report: Report) -> str:
    """The whole page; its style is the only one that its policy lets a browser apply."""
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
    environment.globals["excerpt"] = excerpt
    style = _asset("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.from_string(_asset("page.html.jinja")).render(
        report=report,
        verdict=verdict(report),
        groups=_groups(report),
        levels=[level for level in WORST_FIRST if report.count(level)],
        style=Markup(style),
        digest=digest,
        version=__version__,
    )


def _groups(report: Report) -> Sequence[_Group]:
    """Errors first, then by the place where a rule is first not followed."""
    why = {rule.id: rule.why for rule in report.rules}
    found: dict[tuple[Level, str], list[Finding]] = {}
    for finding in report.findings:
        found.setdefault((finding.level, finding.rule), []).append(finding)
    groups = [
        _Group(level, rule, why.get(rule, ""), findings)
        for (level, rule), findings in found.items()
    ]
    return sorted(groups, key=lambda group: WORST_FIRST.index(group.level))


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
