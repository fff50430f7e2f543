"""Declared headers of responses."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse, ResponseCheck
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_shape
from specwright.conformance.recording.exchange import readings
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.json_values import JsonValue

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
            any(problems(header / "schema", reading)) for reading in _readings(value)
        ):
            message = f"the value of {name} is invalid"
            yield checked.violation(RESPONSE_HEADER, header.pointer, message)


def _readings(text: str) -> Iterator[JsonValue]:
    """Yield the values that a header may have, also as a list of the style `simple`.

    Members of objects are written in the same way (OpenAPI 3.1.1, 4.8.12.3): with commas, and with
    `explode` also with an equals sign.
    """
    yield from readings(text)
    items = [item.strip() for item in text.split(",")]
    values = [readings(item)[-1] for item in items]
    yield [*items]
    yield values
    members = [item.partition("=") for item in items]
    yield {name: value for name, _, value in members}
    yield {name: readings(value)[-1] for name, _, value in members}
    yield dict(zip(items[::2], items[1::2], strict=False))
    yield dict(zip(items[::2], values[1::2], strict=False))
