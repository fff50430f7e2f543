"""The x-contract vocabulary as frozen dataclasses, with the readers that fill them.

The readers take declarations that have the shapes of `contract.schema.json`. Saying what is wrong
with any other shape is the work of lint, which starts from the table in `vocabulary`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Condition(StrEnum):
    """What a tool can detect without knowing the API, and answer with the contract's own code."""

    INVALID_JSON = "invalid_json"
    BODY_TOO_LARGE = "body_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    INVALID_VALUE = "invalid_value"
    OUT_OF_RANGE = "out_of_range"
    INVALID_LENGTH = "invalid_length"
    MISSING_CREDENTIALS = "missing_credentials"
    INVALID_CREDENTIALS = "invalid_credentials"
    ROUTE_NOT_FOUND = "route_not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NOT_IMPLEMENTED = "not_implemented"
    INTERNAL_ERROR = "internal_error"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate_limited"
    IDEMPOTENCY_IN_PROGRESS = "idempotency_in_progress"
    IDEMPOTENCY_CHANGED = "idempotency_changed"
    INVALID_CURSOR = "invalid_cursor"


class Direction(StrEnum):
    ASCENDING = "ascending"
    DESCENDING = "descending"


class Match(StrEnum):
    EQUALS = "equals"
    EQUALS_IGNORE_CASE = "equals_ignore_case"
    CONTAINS = "contains"
    CONTAINS_IGNORE_CASE = "contains_ignore_case"


@dataclass(frozen=True, slots=True)
class ErrorCode:
    code: str
    status: int
    type: str
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class ErrorContract:
    """The error body that all operations share; the pointers lead into that body."""

    schema: str
    type: str | None
    code: str
    message: str
    param: str | None
    request_id: str | None
    details: str | None
    request_id_header: str | None
    codes: tuple[ErrorCode, ...]

    def code_for(self, condition: Condition) -> ErrorCode | None:
        return next((code for code in self.codes if code.condition is condition), None)


@dataclass(frozen=True, slots=True)
class RateLimitClass:
    name: str
    limit: int
    window_seconds: int
    scope: str


@dataclass(frozen=True, slots=True)
class RateLimits:
    classes: tuple[RateLimitClass, ...]
    policy_header: str | None
    state_header: str | None
    retry_header: str | None

    def named(self, name: str) -> RateLimitClass | None:
        return next((each for each in self.classes if each.name == name), None)


@dataclass(frozen=True, slots=True)
class BodyLimit:
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An error answer of one operation."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Replay:
    """How a repeated answer is told from a first one."""

    status: int
    header: str
    value: str


@dataclass(frozen=True, slots=True)
class Idempotency:
    key: str
    replay: Replay
    in_progress: Answer
    changed: Answer
    scope: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pagination:
    cursor: str | None
    limit: str | None
    items: str
    next: str | None
    more: str | None
    id: str
    resume: bool


@dataclass(frozen=True, slots=True)
class Order:
    by: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class RequiresOneOf:
    parameters: tuple[str, ...]
    code: str


@dataclass(frozen=True, slots=True)
class Capacity:
    limit: int
    scope: str
    status: int
    code: str
    release: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    property: str
    match: Match


@dataclass(frozen=True, slots=True)
class Signature:
    header: str
    template: str
    payload: str
    algorithm: str
    encoding: str
    tolerance_seconds: int
    secret: str


@dataclass(frozen=True, slots=True)
class Delivery:
    retry_after_seconds: tuple[int, ...]
    success: str
    connect_timeout_seconds: int
    timeout_seconds: int
    event_id_header: str
    event_type_header: str


@dataclass(frozen=True, slots=True)
class Trigger:
    operation: str
    scenario: str | None
    within_seconds: int


@dataclass(frozen=True, slots=True)
class DocumentContract:
    error: ErrorContract | None
    rate_limits: RateLimits | None
    body_limit: BodyLimit | None


@dataclass(frozen=True, slots=True)
class OperationContract:
    rate_limit: str | None
    idempotency: Idempotency | None
    pagination: Pagination | None
    order: Order | None
    requires_one_of: RequiresOneOf | None
    capacity: Capacity | None


@dataclass(frozen=True, slots=True)
class WebhookContract:
    signature: Signature | None
    delivery: Delivery | None
    trigger: Trigger | None


Declaration = Mapping[str, Any]


def document_contract(data: Declaration) -> DocumentContract:
    error = data.get("x-contract-error")
    rate_limits = data.get("x-contract-rate-limit")
    body_limit = data.get("x-contract-body-limit")
    return DocumentContract(
        error=None if error is None else _error(error),
        rate_limits=None if rate_limits is None else _rate_limits(rate_limits),
        body_limit=None if body_limit is None else BodyLimit(**body_limit),
    )


def operation_contract(operation: Declaration) -> OperationContract:
    rate_limit = operation.get("x-contract-rate-limit")
    idempotency = operation.get("x-contract-idempotency")
    pagination = operation.get("x-contract-pagination")
    order = operation.get("x-contract-order")
    requires_one_of = operation.get("x-contract-requires-one-of")
    capacity = operation.get("x-contract-capacity")
    return OperationContract(
        rate_limit=None if rate_limit is None else rate_limit["class"],
        idempotency=None if idempotency is None else _idempotency(idempotency),
        pagination=None if pagination is None else _pagination(pagination),
        order=None if order is None else Order(order["by"], Direction(order["direction"])),
        requires_one_of=None if requires_one_of is None else _requires_one_of(requires_one_of),
        capacity=None if capacity is None else Capacity(**capacity),
    )


def webhook_contract(operation: Declaration) -> WebhookContract:
    signature = operation.get("x-contract-signature")
    delivery = operation.get("x-contract-delivery")
    trigger = operation.get("x-contract-trigger")
    return WebhookContract(
        signature=None if signature is None else Signature(**signature),
        delivery=None if delivery is None else _delivery(delivery),
        trigger=None if trigger is None else Trigger(**trigger),
    )


def parameter_filter(parameter: Declaration) -> Filter | None:
    declared = parameter.get("x-contract-filter")
    return None if declared is None else Filter(declared["property"], Match(declared["match"]))


def is_shown_once(schema: Declaration) -> bool:
    return schema.get("x-contract-once") is True


def code_when_invalid(schema: Declaration) -> str | None:
    """The error code for a value that the property refuses, where it has one of its own."""
    declared = schema.get("x-contract-invalid")
    return None if declared is None else declared["code"]


def known_values(schema: Declaration) -> tuple[str | int, ...] | None:
    """The values known today when the schema is an open enumeration or an open union."""
    declared = schema.get("x-extensible-enum")
    return None if declared is None else tuple(declared)


def _error(declared: Declaration) -> ErrorContract:
    return ErrorContract(
        schema=declared["schema"],
        type=declared.get("type"),
        code=declared["code"],
        message=declared["message"],
        param=declared.get("param"),
        request_id=declared.get("request_id"),
        details=declared.get("details"),
        request_id_header=declared.get("request_id_header"),
        codes=tuple(_error_code(code, meaning) for code, meaning in declared["codes"].items()),
    )


def _error_code(code: str, meaning: Declaration) -> ErrorCode:
    condition = meaning.get("condition")
    return ErrorCode(
        code=code,
        status=meaning["status"],
        type=meaning["type"],
        condition=None if condition is None else Condition(condition),
    )


def _rate_limits(declared: Declaration) -> RateLimits:
    headers = declared.get("headers", {})
    return RateLimits(
        classes=tuple(RateLimitClass(name, **each) for name, each in declared["classes"].items()),
        policy_header=headers.get("policy"),
        state_header=headers.get("state"),
        retry_header=headers.get("retry"),
    )


def _idempotency(declared: Declaration) -> Idempotency:
    return Idempotency(
        key=declared["key"],
        replay=Replay(**declared["replay"]),
        in_progress=Answer(**declared["in_progress"]),
        changed=Answer(**declared["changed"]),
        scope=tuple(declared["scope"]),
    )


def _pagination(declared: Declaration) -> Pagination:
    return Pagination(
        cursor=declared["cursor"],
        limit=declared["limit"],
        items=declared["items"],
        next=declared["next"],
        more=declared["more"],
        id=declared["id"],
        resume=declared.get("resume", False),
    )


def _requires_one_of(declared: Declaration) -> RequiresOneOf:
    return RequiresOneOf(tuple(declared["parameters"]), declared["code"])


def _delivery(declared: Declaration) -> Delivery:
    members = dict(declared)
    members["retry_after_seconds"] = tuple(declared["retry_after_seconds"])
    return Delivery(**members)
