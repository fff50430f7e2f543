"""Declared headers of responses."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.recording.exchange import readings
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites

RESPONSE_HEADER = BehaviourRule(
    "response-header",
    BehaviourCategory.SHAPE,
    "A required response header is present, and fits its schema.",
    example="POST /items -> 201 without Location, which the response declares as required",
    advice="Send the header with each response of that status, or declare it without `required`.",
    weight=3,
    judge=judge_shape,
)

# Headers that a response object does not describe (OpenAPI 3.1.1, 4.8.17).
_NOT_DESCRIBED = frozenset({"content-type"})


@ResponseCheck
def headers_fit(checked: CheckedResponse) -> Iterator[Violation]:
    """Yield required headers that are missing, and those with invalid values."""
    if checked.declared is None:
        return
    problems = checked.contract.instances.problems
    for name, header in sites.members(checked.contract.document, checked.declared, "headers"):
        if name.lower() in _NOT_DESCRIBED:
            continue
        checked.record.check(RESPONSE_HEADER, header.pointer)
        value = checked.response.header(name)
        if value is None:
            if header.value.get("required") is True:
                yield checked.violation(RESPONSE_HEADER, header.pointer, f"no {name}")
        elif "schema" in header.value and all(
            any(problems(header / "schema", reading)) for reading in readings(value)
        ):
            message = f"the value of {name} is invalid"
            yield checked.violation(RESPONSE_HEADER, header.pointer, message)
