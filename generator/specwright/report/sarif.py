"""A report as SARIF 2.1.0, the format of code scanning services."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from specwright import __version__
from specwright.errors import Location
from specwright.findings import Finding, Level, Report, RuleDescription
from specwright.http_messages import RequestMessage, ResponseMessage
from specwright.report.rule_texts import explanation
from specwright.report.wording import details
from specwright.text import visible

_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}

_Object = dict[str, Any]


def render(report: Report) -> str:
    """Return one run, in ASCII; waived findings are included as suppressed results."""
    driver = {
        "name": "specwright",
        "version": __version__,
        "rules": [_rule(rule) for rule in report.rules],
    }
    run = {
        "tool": {"driver": driver},
        # As Python counts the characters of a string.
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in (*report.findings, *report.waived)],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2) + "\n"


def _rule(rule: RuleDescription) -> _Object:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.why},
        "help": {"text": explanation(rule)},
    }


def _result(finding: Finding) -> _Object:
    place: _Object = {"physicalLocation": _place(finding.location)}
    if finding.pointer is not None:
        place["logicalLocations"] = [{"fullyQualifiedName": finding.pointer}]
    result: _Object = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": "\n".join([visible(finding.words), *details(_lasting(finding))])},
        "locations": [place],
        "partialFingerprints": {"specwright/v1": finding.fingerprint},
    }
    for evidence in finding.evidence:
        if evidence.http is not None:
            result |= _message(evidence.http)
    if finding.related is not None:
        result["relatedLocations"] = [{"physicalLocation": _place(finding.related)}]
    if finding.waived is not None:
        result["suppressions"] = [{"kind": "external", "justification": finding.waived}]
    return result


def _lasting(finding: Finding) -> Finding:
    """Return a finding without the messages of one run, as their ids and dates do not recur."""
    if not finding.occurrences:
        return finding
    return replace(finding, evidence=())


def _message(message: RequestMessage | ResponseMessage) -> _Object:
    """Return a request or response (SARIF 2.1.0, 3.46 and 3.47); the last of each is the proof."""
    content = message.content
    common: _Object = {
        "protocol": "HTTP",
        "version": "1.1",
        "headers": {name: visible(value) for name, value in content.headers},
    }
    if content.body is not None:
        # A body that is not text has its own member.
        common["body"] = {"binary" if content.is_base64 else "text": content.body}
    if isinstance(message, RequestMessage):
        return {"webRequest": {**common, "method": message.method, "target": message.url}}
    return {"webResponse": {**common, "statusCode": message.status}}


def _place(location: Location) -> _Object:
    # File names need not be valid Unicode.
    path = PurePath(location.file).as_posix().encode("utf-8", "surrogatepass")
    return {
        "artifactLocation": {"uri": quote(path)},
        "region": {"startLine": location.line, "startColumn": location.column},
    }
