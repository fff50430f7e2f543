"""A report as one HTML file that works offline; its script is for searching only."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from specwright import __version__
from specwright.findings import EXPECTED, WORST_FIRST, Evidence, Finding, OperationSummary, Report
from specwright.report.excerpt import SourceLines
from specwright.report.outline import by_operation, causes, chapters, in_reading_order, rule_counts
from specwright.report.wording import counted, finding_counts, headline, unchecked
from specwright.text import visible

if TYPE_CHECKING:
    import jinja2


def render(report: Report) -> str:
    """Return the page; its content security policy allows only its own style and script."""
    # Imported here: only this format needs it.
    from markupsafe import Markup

    findings = _by_operation(report)
    state = partial(_state, findings)
    style, script = _asset("page.css"), _asset("page.js")
    return _template().render(
        report=report,
        headline=headline(report),
        verdict=finding_counts(report),
        unchecked=unchecked(report),
        rule_counts=rule_counts(report),
        operations=by_operation(report),
        chapters=chapters(report),
        causes=causes(report),
        advice={rule.id: rule.advice for rule in report.rules},
        findings=findings,
        state=state,
        states=Counter(map(state, report.operation_summaries)),
        levels=[level for level in WORST_FIRST if report.count(level)],
        extract=SourceLines(report.line).extract,
        proven=_proven,
        anchor=_anchors(),
        style=Markup(style),
        script=Markup(script),
        digests=[_digest(asset) for asset in (style, script)],
        version=__version__,
    )


@cache
def _template() -> jinja2.Template:
    """Compile the template once: it takes many times as long as a page."""
    # Imported here: only this format needs it.
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Every text is made visible before it is escaped.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["counted"] = counted
    environment.filters["ours"] = _ours
    return environment.from_string(_asset("page.html.jinja"))


class _Proof(NamedTuple):
    """Evidence in the layout: the expected result, the actual one, the request, and the rest."""

    expected: Evidence | None
    got: Evidence | None
    request: Evidence | None
    others: Sequence[Evidence]


def _proven(evidence: Sequence[Evidence]) -> _Proof:
    expected = next((item for item in evidence if item.label == EXPECTED), None)
    got = evidence[-1] if evidence else None
    sent = [item for item in evidence if item.http is not None and item is not got]
    others = [
        item
        for item in evidence
        if item is not expected and item is not got and item.label != "failure"
    ]
    return _Proof(expected, got, sent[-1] if sent else None, others)


def _by_operation(report: Report) -> Mapping[str, Sequence[Finding]]:
    """Return the findings of each operation, the worst first."""
    findings: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in in_reading_order(report):
        for operation in finding.operations:
            findings[operation].append(finding)
    return findings


def _state(findings: Mapping[str, Sequence[Finding]], summary: OperationSummary) -> str:
    if not summary.successes:
        return "missed"
    return "found" if findings[summary.operation] else "reached"


def _anchors() -> Callable[[Finding], str]:
    """Return a function that gives each finding its own anchor on the page."""
    names: dict[Finding, str] = {}
    counts: Counter[str] = Counter()

    def anchor(finding: Finding) -> str:
        if finding not in names:
            counts[finding.fingerprint] += 1
            again = counts[finding.fingerprint]
            names[finding] = finding.fingerprint + (f"-{again}" if again > 1 else "")
        return names[finding]

    return anchor


def _ours(text: str) -> Sequence[tuple[bool, str]]:
    """Return the parts of a text of the project, each with whether backticks mark it as code."""
    return [(number % 2 == 1, part) for number, part in enumerate(text.split("`"))]


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
