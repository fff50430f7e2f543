"""Whole numbers that are written with a decimal point."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specwright.conformance.checks.responses.checked_response import CheckedResponse
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import (
    Repetition,
    ReplayVerdict,
    judge_acceptance,
    judge_shape,
)
from specwright.conformance.contract.value_parts import any_item, subschema_at, value_parts
from specwright.conformance.recording.record import Violation
from specwright.document.schemas.applicators import Subschema
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping, one_or_more
from specwright.pointer import Pointer

# A number with a decimal point and no fraction, in JSON.
_IN_REQUEST = re.compile(rb"[0-9]\.0+(?![0-9])")


def _judge(repetition: Repetition) -> ReplayVerdict:
    """Judge the form of a number in a response, or its refusal in a request."""
    was = repetition.was
    is_refusal = was is not None and not was.is_success
    return judge_acceptance(repetition) if is_refusal else judge_shape(repetition)


WHOLE_NUMBER = BehaviourRule(
    "whole-number",
    BehaviourCategory.SHAPE,
    (
        "An integer with a decimal point, such as 274.0, is valid (JSON Schema 2020-12, core, "
        "4.2.3), but many programs refuse it: responses do not have it, and requests may."
    ),
    example='GET /items/7 -> 200 {"stock": 274.0}, and `stock` is an integer',
    advice=(
        "Convert the number to an integer before it is written. The rule is a note unless "
        "`lint.toml` says otherwise."
    ),
    level=Level.INFO,
    judge=_judge,
)


def with_decimal_point(
    checked: CheckedResponse, schema: Pointer, value: JsonValue
) -> Iterator[Violation]:
    """Yield a violation for each integer of a body that has a decimal point."""
    checked.record.check(WHOLE_NUMBER, schema)
    if not has_whole_float(value) or _may_be_echo(checked):
        return
    document = checked.contract.document
    places = dict.fromkeys(
        any_item(part.pointer)
        for part in value_parts(document, subschema_at(document, schema), value)
        if _is_whole_float(part.value) and any(map(_is_integer, part.applied))
    )
    for place in places:
        message = f"{checked.response.status}: an integer with a decimal point at '{place}'"
        cause = "an integer is written with a decimal point"
        yield checked.violation(WHOLE_NUMBER, schema, message, cause, values_of(place))


def _may_be_echo(checked: CheckedResponse) -> bool:
    """Return whether a request had a number in this form, which the server may have stored."""
    exchanges = (*checked.record.exchanges, checked.exchange)
    requests = [exchange.request for exchange in exchanges]
    return any(
        _IN_REQUEST.search(request.body or b"")
        # It had a body that was not recorded.
        or (request.body is None and request.header("content-type") is not None)
        for request in requests
    )


def has_whole_float(value: JsonValue) -> bool:
    """Return whether a value has a number with a decimal point and no fraction."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif _is_whole_float(value):
            return True
    return False


def _is_whole_float(value: JsonValue) -> bool:
    return isinstance(value, float) and value.is_integer()


def _is_integer(schema: Subschema) -> bool:
    types = one_or_more(mapping(schema.value).get("type"))
    return "integer" in types and "number" not in types
