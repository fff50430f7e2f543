"""A report as JUnit XML, the test results that CI servers read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from specwright.findings import Finding, Level, Report
from specwright.report.details import details
from specwright.report.verdict import counted
from specwright.text import spelled, visible

# XML 1.0 has no place for them, not even as references.
_ILLEGAL = str.maketrans({character: spelled(character) for character in "\ufffe\uffff"})


def render(report: Report) -> str:
    """One suite with a case for each rule, which fails as the command does: for errors only."""
    findings: dict[str, list[Finding]] = {rule.id: [] for rule in report.rules}
    for finding in (*report.findings, *report.waived):
        findings.setdefault(finding.rule, []).append(finding)
    suite = ElementTree.Element("testsuite", name=_legal(report.document))
    if report.facts:
        properties = ElementTree.SubElement(suite, "properties")
        for label, value in report.facts:
            ElementTree.SubElement(properties, "property", name=_legal(label), value=_legal(value))
    suite.extend(_case(rule, found) for rule, found in findings.items())
    suite.set("tests", str(len(findings)))
    suite.set("errors", "0")
    for attribute, outcome in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{outcome}"))))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    written = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _case(rule: str, findings: Sequence[Finding]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="specwright", name=_legal(rule))
    failing = [each for each in findings if _fails(each)]
    others = [each for each in findings if not _fails(each)]
    waived = [each.waived for each in others if each.waived is not None]
    # Readers keep one failure of a case, so it holds all findings.
    if failing:
        failure = ElementTree.SubElement(case, "failure", message=_first(failing), type="error")
        failure.text = _listed(failing)
    elif waived:
        ElementTree.SubElement(case, "skipped", message=_legal(waived[0]))
    if others:
        ElementTree.SubElement(case, "system-out").text = _listed(others)
    return case


def _fails(finding: Finding) -> bool:
    return finding.level is Level.ERROR and finding.waived is None


def _first(findings: Sequence[Finding]) -> str:
    further = f" (of {counted(len(findings), 'finding')})" if len(findings) > 1 else ""
    return _legal(f"{findings[0].words}{further}")


def _listed(findings: Sequence[Finding]) -> str:
    lines = []
    for finding in findings:
        kind = finding.level if finding.waived is None else f"waived ({finding.waived})"
        lines.append(f"{finding.location}: {kind}: {finding.words}")
        lines += [f"    {detail}" for detail in details(finding)]
    return "\n".join(map(_legal, lines))


def _legal(text: str) -> str:
    return visible(text).translate(_ILLEGAL)
