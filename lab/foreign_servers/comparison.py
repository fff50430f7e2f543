"""The failures of schemathesis that specwright does not report for the same server."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# The rules of specwright that look for the same fault as a check of schemathesis.
_RULES: dict[str, frozenset[str]] = {
    title: frozenset(rules.split())
    for title, rules in {
        "API accepts invalid authentication": "credentials-ignored",
        "API accepts requests without authentication": "credentials-ignored",
        "Allow header mismatch": "allow-header",
        "JSON deserialization error": "response-schema undeclared-media-type",
        "Missing Content-Type header": "undeclared-media-type",
        "Missing required header accepted": "invalid-accepted credentials-ignored",
        "Request rejected by the API": "valid-refused",
        "Resource is not available after creation": "created-is-found",
        "Response violates schema": "response-schema error-code write-only",
        "Schema-valid request rejected": "valid-refused",
        "Schema-violating request accepted": (
            "invalid-accepted coercion media-type-accepted requires-one-of"
        ),
        "Server error": "server-error no-answer",
        "Undocumented Content-Type": "undeclared-media-type",
        "Undocumented status code": (
            "undeclared-status undeclared-refusal unreadable-refusal server-error"
        ),
        "Deleted resource still available": "deleted-is-gone",
        "Wrong response to undeclared method": "method-not-allowed allow-header",
    }.items()
}
# Faults of a path: any of its methods shows them.
_OF_PATHS = {"allow-header", "method-not-allowed"}
# Checks of a response: the fault of one status says nothing about another.
_OF_STATUSES = {"Response violates schema", "Undocumented Content-Type", "Undocumented status code"}
# The member or parameter that a message of schemathesis is about.
_NAMED = (
    re.compile(r"Schema at \S*/properties/([^/\s:]+)"),
    re.compile(r"Invalid component: in \w+ - ([\w.$-]+):"),
    re.compile(r"Invalid component: in .* at \S*/properties/([^/\s:]+)"),
)
_EVIDENCE = 160


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of either tool.

    Attributes:
        check: a rule of specwright, or the title of a check of schemathesis.
        operation: method and path.
        status: that of the response, if there was one.
        message: the words of the tool.
        sent: method, URL and body of the request.
        media_type: of that body, as it was sent.
    """

    check: str
    operation: str
    status: int | None
    message: str
    sent: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """Failures of schemathesis, on one operation, that specwright does not report.

    Attributes:
        about: the status, or the name of the member or parameter; and what the media type lacks.
        times: how often it was reported.
        evidence: one of the requests, and the message.
    """

    check: str
    operation: str
    about: str
    times: int
    evidence: str


def of_specwright(result: Mapping[str, Any]) -> list[Failure]:
    """Return the failures in a result file."""
    return [
        Failure(
            failure["rule"], failure.get("operation", ""), request["status"], failure["message"]
        )
        for failure in result["failures"]
        for request in failure["requests"] or [{"status": None}]
    ]


def of_schemathesis(events: Iterable[Mapping[str, Any]]) -> list[Failure]:
    """Return the failures in the events of a run."""
    return [
        _failed(check["failure_info"]["failure"], recorder, id)
        for event in events
        for recorder in [event.get("ScenarioFinished", {}).get("recorder", {})]
        for id, checks in recorder.get("checks", {}).items()
        for check in checks
        if check.get("failure_info")
    ]


def others(theirs: Iterable[Failure], ours: Iterable[Failure]) -> list[Other]:
    """Return the failures of schemathesis that no failure of specwright equals.

    Two are equal if a rule and a check that look for the same fault failed on one operation: with
    the same status, or for a member or parameter of the same name.
    """
    found = list(ours)
    counts, first = Counter[tuple[str, str, str]](), dict[tuple[str, str, str], Failure]()
    for other_row in theirs:
        if not any(_is_same(other_row, other) for other in found):
            key = (other_row.check, other_row.operation, _about(other_row))
            counts[key] += 1
            first.setdefault(key, other_row)
    return [Other(*key, times, _evidence(first[key])) for key, times in sorted(counts.items())]


def _is_same(theirs: Failure, ours: Failure) -> bool:
    if ours.check not in _RULES.get(theirs.check, ()):
        return False
    if ours.check in _OF_PATHS:
        return theirs.operation.partition(" ")[2] == ours.operation.partition(" ")[2]
    name = _name(theirs)
    return (
        theirs.operation == ours.operation
        and (theirs.check not in _OF_STATUSES or theirs.status == ours.status)
        and (name is None or name in ours.message)
    )


def _name(failure: Failure) -> str | None:
    found = (pattern.search(failure.message) for pattern in _NAMED)
    return next((match[1] for match in found if match), None)


def _about(failure: Failure) -> str:
    about = _name(failure) or str(failure.status or "no response")
    kind = failure.media_type
    is_broken = kind.startswith("multipart/") and "boundary=" not in kind
    return f"{about} ({kind} without a boundary)" if is_broken else about


def _evidence(failure: Failure) -> str:
    lines = [line for line in failure.message.splitlines() if not line.startswith("Expected: ")]
    said = " ".join(" ".join(lines).split())
    return f"{failure.sent[:_EVIDENCE]}: {failure.status}: {said[:_EVIDENCE]}"


def _failed(failure: Mapping[str, Any], recorder: Mapping[str, Any], id: str) -> Failure:
    exchange = recorder.get("interactions", {}).get(id) or {}
    request, response = exchange.get("request") or {}, exchange.get("response") or {}
    case = recorder.get("cases", {}).get(id, {})
    body = case.get("value", case).get("body")
    written = "" if body is None else f" {json.dumps(body, ensure_ascii=False)}"
    headers = {name.lower(): values for name, values in (request.get("headers") or {}).items()}
    return Failure(
        failure["title"],
        failure["operation"],
        response.get("status_code"),
        failure["message"],
        f"{request.get('method')} {request.get('uri')}{written}",
        " ".join(headers.get("content-type", ())),
    )
