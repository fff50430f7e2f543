"""Violations by accepted requests that do not fit the document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from specwright.conformance.checks.requests.coercion import (
    COERCION,
    LISTED_CASE,
    is_converted,
    is_in_another_case,
)
from specwright.conformance.checks.rule import BehaviourCategory, BehaviourRule
from specwright.conformance.checks.verdicts import judge_rejection
from specwright.conformance.contract.contract import Contract, ContractOperation, ParameterSlot
from specwright.conformance.recording.exchange import Exchange, HttpRequest, readings, value_at
from specwright.conformance.recording.record import Violation
from specwright.document.operations import sites
from specwright.document.schemas.instances import SchemaMismatch
from specwright.findings import values_of
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join, split
from specwright.text import shorten

INVALID_ACCEPTED = BehaviourRule(
    "invalid-accepted",
    BehaviourCategory.VALIDATION,
    "A request that does not fit the document is refused.",
    example='POST /items {"price": -1} -> 201, and `price` has "minimum": 0',
    advice=(
        "Validate the request against its schema before anything else, or remove the limit from "
        "the document if the value is fine."
    ),
    expected="a 4xx error",
    judge=judge_rejection,
)

_SHOWN = 60
# The values that break a keyword of JSON Schema, in words.
_CAUSES: Mapping[str, str] = {
    "type": "a value of the wrong type",
    "enum": "a value that is not in the enumeration",
    "const": "a value other than the constant",
    "minimum": "a number below the minimum",
    "exclusiveMinimum": "a number below the minimum",
    "maximum": "a number above the maximum",
    "exclusiveMaximum": "a number above the maximum",
    "multipleOf": "a number that is not a multiple",
    "minLength": "a string that is too short",
    "maxLength": "a string that is too long",
    "pattern": "a string that does not match the pattern",
    "format": "a string that does not have the format",
    "minItems": "a list that is too short",
    "maxItems": "a list that is too long",
    "uniqueItems": "a list with duplicate items",
    "required": "a body without a required member",
    "additionalProperties": "a body with an unknown member",
    "unevaluatedProperties": "a body with an unknown member",
}
_NULL, _OTHER = "null where it is not allowed", "a value that does not fit"


@dataclass(frozen=True, slots=True)
class SentValue:
    """A value that was sent for a part of the document.

    Attributes:
        name: of the parameter; empty for a body.
        place: the pointer for a finding: of the parameter, or of the schema of the body.
        schema: the pointer of the schema of the value.
    """

    name: str
    place: Pointer
    schema: Pointer
    value: JsonValue


def accepted_value(
    contract: Contract, operation: ContractOperation, exchange: Exchange, sent: SentValue
) -> Violation:
    """Return the violation for an accepted value that does not fit its schema."""
    problem = next(contract.requests.problems(sent.schema, sent.value), None) or SchemaMismatch(
        "", ""
    )
    wrong = value_at(sent.value, problem.pointer)
    is_body = not sent.name
    place = place_of(contract, sent.schema, problem.pointer) if is_body else sent.place
    name = sent.name or ".".join(split(problem.pointer))
    if problem.missing is not None:
        value, name = "", f"a body without {join_names(name, problem.missing)}"
    elif problem.keyword == "additionalProperties":
        value, name = "", f"a body with unknown members{' in ' + name if name else ''}"
    else:
        value, name = f" = {spelled(wrong)}", name or "a body"
    limit = f" ({problem.limit})" if problem.limit and value else ""
    if is_converted(contract.requests, sent.schema, sent.value):
        rule, cause, values = COERCION, "a value of the wrong type is converted", values_of("type")
    elif problem.keyword == "enum" and is_in_another_case(
        contract.requests, sent.schema, sent.value, problem.pointer
    ):
        rule, cause, values = LISTED_CASE, "a listed value is accepted in another case", values_of()
    else:
        is_null = _is_null(wrong, problem)
        what = _NULL if is_null else _CAUSES.get(problem.keyword, _OTHER)
        # Keywords with the same words are one cause.
        kind = next((keyword for keyword, words in _CAUSES.items() if words == what), None)
        rule, cause, values = INVALID_ACCEPTED, f"{what} is accepted", values_of(kind, is_null)
    how = f"{name}{value}{limit}"
    return _violation(rule, place, operation, how, exchange, cause, values)


def accepted_form(
    operation: ContractOperation, exchange: Exchange, place: Pointer, how: str, rule: BehaviourRule
) -> Violation:
    """Return the violation for an accepted request of the wrong form, such as invalid JSON."""
    return _violation(rule, place, operation, how, exchange, f"{how} is accepted")


def accepted_request(
    contract: Contract, operation: ContractOperation, exchange: Exchange, fault: Pointer
) -> Violation:
    """Return the violation for an accepted request that does not fit a parameter or the body."""
    for slot in operation.slots:
        if slot.site.pointer == fault:
            return _accepted_parameter(contract, operation, exchange, slot)
    return _accepted_body(contract, operation, exchange, fault)


def place_of(contract: Contract, schema: Pointer, pointer: Pointer) -> Pointer:
    """Return the pointer of the schema for a part of a value, or of the nearest schema above."""
    place = schema
    for token in split(pointer):
        at, described = contract.document.end(place, {"$ref": f"#{place}"})
        if not isinstance(described, dict):
            break
        if token in mapping(described.get("properties")):
            place = at + join("properties", token)
        elif isinstance(described.get("additionalProperties"), dict):
            place = at + join("additionalProperties")
        elif token.isdecimal() and isinstance(described.get("items"), dict):
            place = at + join("items")
        else:
            break
    return place


def spelled(value: JsonValue) -> str:
    """Return a value as JSON, truncated if it is long."""
    written = json.dumps(value, ensure_ascii=False)
    if len(written) <= _SHOWN:
        return written
    size = f"{len(value)} characters" if isinstance(value, str) else f"{len(written)} bytes"
    return f"{shorten(written[:_SHOWN])}… ({size})"


def join_names(owner: str, name: str) -> str:
    """Return the full name of a member, with that of its owner."""
    return f"{owner}.{name}" if owner else name


def _accepted_parameter(
    contract: Contract, operation: ContractOperation, exchange: Exchange, slot: ParameterSlot
) -> Violation:
    text = _text_of(operation, exchange.request, slot)
    place, name = slot.site.pointer, slot.written.wire
    if text is None:
        rule = INVALID_ACCEPTED
        return accepted_form(operation, exchange, place, f"a request without {name}", rule)
    values = readings(text)
    first = [next(contract.instances.problems(slot.schema, value), None) for value in values]
    telling = (
        each
        for each, problem in zip(values, first, strict=True)
        if problem is not None and problem.keyword != "type"
    )
    sent = SentValue(name, place, slot.schema, next(telling, text))
    return accepted_value(contract, operation, exchange, sent)


def _accepted_body(
    contract: Contract, operation: ContractOperation, exchange: Exchange, fault: Pointer
) -> Violation:
    schema, rule = contract.body_schema(operation), INVALID_ACCEPTED
    value, body = exchange.request.json_or_none, exchange.request.body
    if body is None:
        return accepted_form(operation, exchange, fault, "a request without its body", rule)
    if sites.is_xml(exchange.request.header("Content-Type") or ""):
        return accepted_form(operation, exchange, fault, "XML that breaks its schema", rule)
    if schema is None or (value is None and body.strip() != b"null"):
        return accepted_form(
            operation, exchange, operation.pointer, "a body that is not JSON", rule
        )
    return accepted_value(contract, operation, exchange, SentValue("", schema, schema, value))


def _text_of(operation: ContractOperation, request: HttpRequest, slot: ParameterSlot) -> str | None:
    name, parts = slot.written.wire, urlsplit(request.url)
    if slot.written.location == "header":
        return request.header(name)
    if slot.written.location == "path":
        # From the end, as the base URL may have a path before that of the document.
        declared = operation.site.key.split("/")[::-1]
        sent = dict(zip(declared, parts.path.split("/")[::-1], strict=False))
        return unquote(sent.get(f"{{{name}}}", ""))
    return dict(parse_qsl(parts.query, keep_blank_values=True)).get(name)


def _is_null(wrong: JsonValue, problem: SchemaMismatch) -> bool:
    return wrong is None and problem.missing is None


def _violation(
    rule: BehaviourRule,
    place: Pointer,
    operation: ContractOperation,
    how: str,
    exchange: Exchange,
    cause: str,
    values: tuple[str, ...] = (),
) -> Violation:
    status = exchange.response.status if exchange.response is not None else "no response"
    message = f"{operation.name} accepted {how}: {status}"
    return Violation(rule, place, message, (exchange,), cause, values=values)
