"""A report as JUnit XML, the format of test results that CI servers read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.etree import ElementTree

from specwright.findings import Finding, Level, Report, RuleRun
from specwright.report.wording import counted, details
from specwright.text import spelled, visible

# XML 1.0 does not allow these characters, not even as references.
_ILLEGAL = str.maketrans({character: spelled(character) for character in "\ufffe\uffff"})
_SUBJECT = "specwright"


@dataclass(frozen=True, slots=True)
class _Case:
    """A rule that was tried on an operation, with the findings there."""

    rule_run: RuleRun
    findings: list[Finding] = field(default_factory=list)


def render(report: Report) -> str:
    """Return one suite with a case for each operation and rule, in the form of Ant and Jenkins.

    A case fails as the command does: for errors only. A report without runs of rules has a case
    for each rule.
    """
    cases = _cases(report)
    suite = ElementTree.Element("testsuite", name=_legal(report.document))
    properties = ElementTree.SubElement(suite, "properties")
    for label, value in report.facts:
        ElementTree.SubElement(properties, "property", name=_legal(label), value=_legal(value))
    suite.extend(map(_case, cases))
    others = [finding for case in cases for finding in case.findings if not _fails(finding)]
    ElementTree.SubElement(suite, "system-out").text = _listed(others)
    ElementTree.SubElement(suite, "system-err")
    suite.set("tests", str(len(cases)))
    suite.set("errors", "0")
    for attribute, outcome in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{outcome}"))))
    _clock(report, suite)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    xml = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def _clock(report: Report, suite: ElementTree.Element) -> None:
    suite.set("package", _SUBJECT)
    suite.set("id", "0")
    suite.set("time", f"{report.run_time.seconds if report.run_time else 0:.3f}")
    suite.set("hostname", _legal(report.run_time.host) if report.run_time else "localhost")
    if report.run_time is not None:
        # The schema of Ant does not allow a time zone.
        started = datetime.fromtimestamp(report.run_time.started, UTC)
        suite.set("timestamp", f"{started:%Y-%m-%dT%H:%M:%S}")


def _cases(report: Report) -> Sequence[_Case]:
    rule_runs = report.rule_runs or tuple(RuleRun("", rule.id) for rule in report.rules)
    cases = {(rule_run.subject, rule_run.rule): _Case(rule_run) for rule_run in rule_runs}
    for finding in (*report.findings, *report.waived):
        for subject, part in finding.by_operation() if report.rule_runs else [("", finding)]:
            case = cases.setdefault((subject, part.rule), _Case(RuleRun(subject, part.rule)))
            case.findings.append(part)
    return tuple(cases.values())


def _case(case: _Case) -> ElementTree.Element:
    rule_run = case.rule_run
    element = ElementTree.Element(
        "testcase",
        classname=_legal(rule_run.subject) or _SUBJECT,
        name=_legal(rule_run.rule),
        time=f"{rule_run.seconds:.3f}",
    )
    failing = [finding for finding in case.findings if _fails(finding)]
    waived = [finding.waived for finding in case.findings if finding.waived is not None]
    # Readers keep one outcome of a case, so it contains all findings.
    if failing:
        failure = ElementTree.SubElement(element, "failure", message=_first(failing), type="error")
        failure.text = _listed(failing)
    elif waived or rule_run.skipped:
        reason = waived[0] if waived else rule_run.skipped
        ElementTree.SubElement(element, "skipped", message=_legal(reason))
    return element


def _fails(finding: Finding) -> bool:
    return finding.level is Level.ERROR and finding.waived is None


def _first(findings: Sequence[Finding]) -> str:
    further = f" (of {counted(len(findings), 'finding')})" if len(findings) > 1 else ""
    return _legal(f"{findings[0].words}{further}")


def _listed(findings: Iterable[Finding]) -> str:
    lines = []
    for finding in findings:
        kind = finding.level if finding.waived is None else f"waived ({finding.waived})"
        lines.append(f"{finding.location}: {kind}: {finding.rule} {finding.words}")
        lines += [f"    {detail}" for detail in details(finding)]
    return "\n".join(map(_legal, lines))


def _legal(text: str) -> str:
    return visible(text).translate(_ILLEGAL)
