"""The error body that all operations share, and its codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Choice, InstancePointer, Limits, Name, Status


class Condition(Choice):
    """A situation that a tool can detect without knowing the API."""

    INVALID_JSON = "invalid_json", "The request body is not JSON."
    BODY_TOO_LARGE = (
        "body_too_large",
        "The request body has more bytes than `x-contract-body-limit` allows.",
    )
    UNSUPPORTED_MEDIA_TYPE = (
        "unsupported_media_type",
        "The request body has a media type that the operation does not accept.",
    )
    MISSING_FIELD = "missing_field", "A required field or parameter is absent."
    UNKNOWN_FIELD = "unknown_field", "A field stands where no additional ones are allowed."
    INVALID_VALUE = (
        "invalid_value",
        "A value has the wrong type or form, or is not one of the allowed ones.",
    )
    OUT_OF_RANGE = "out_of_range", "A number is below its minimum or above its maximum."
    INVALID_LENGTH = (
        "invalid_length",
        "A text, list or object is shorter or longer than allowed.",
    )
    MISSING_CREDENTIALS = "missing_credentials", "The request carries no credentials."
    INVALID_CREDENTIALS = (
        "invalid_credentials",
        "The credentials are malformed, unknown or revoked.",
    )
    ROUTE_NOT_FOUND = "route_not_found", "No path of the document matches."
    METHOD_NOT_ALLOWED = "method_not_allowed", "The path exists, but not with this method."
    NOT_IMPLEMENTED = "not_implemented", "The operation is declared but not implemented."
    INTERNAL_ERROR = "internal_error", "The server failed."
    UNAVAILABLE = "unavailable", "The server cannot answer at the moment."
    RATE_LIMITED = "rate_limited", "The caller has used up its rate limit."
    IDEMPOTENCY_IN_PROGRESS = (
        "idempotency_in_progress",
        "A request with the same idempotency key is still in progress.",
    )
    IDEMPOTENCY_CHANGED = (
        "idempotency_changed",
        "The idempotency key was used before with another payload.",
    )
    INVALID_CURSOR = (
        "invalid_cursor",
        "The cursor does not belong to this list and filter, or is not a cursor.",
    )


# The conditions of requests that do not have the form that the document requires.
MALFORMED = frozenset(
    {
        Condition.INVALID_JSON,
        Condition.BODY_TOO_LARGE,
        Condition.UNSUPPORTED_MEDIA_TYPE,
        Condition.MISSING_FIELD,
        Condition.UNKNOWN_FIELD,
        Condition.INVALID_VALUE,
        Condition.OUT_OF_RANGE,
        Condition.INVALID_LENGTH,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    """What one error code means."""

    status: Annotated[Status, "The status that the code comes with."]
    type: Annotated[Name, "The error type that the code belongs to."]
    condition: Annotated[
        Condition | None,
        "The situation that a generated server answers with this code. At most one code has a "
        "given condition.",
    ] = None


_Place = Annotated[InstancePointer, Names(Target.ERROR_BODY)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorContract:
    """The error body that every operation shares, and the codes that it can carry."""

    schema: Annotated[
        Name,
        Limits(pattern="^#/components/schemas/[A-Za-z0-9._-]+$"),
        Names(Target.SCHEMA),
        "The schema of the body, as a reference into this document.",
    ]
    type: Annotated[_Place | None, "Where the body says the error type. Null when it does not."] = (
        None
    )
    code: Annotated[_Place, "Where the body says the error code."]
    message: Annotated[_Place, "Where the body says the sentence for people."]
    param: Annotated[
        _Place | None,
        "Where the body names the field or parameter at fault. Null when it does not.",
    ] = None
    request_id: Annotated[
        _Place | None, "Where the body repeats the request id. Null when it does not."
    ] = None
    details: Annotated[
        _Place | None, "Where the body lists several faults. Null when it does not."
    ] = None
    request_id_header: Annotated[
        Name | None,
        Names(Target.RESPONSE_HEADER),
        "The response header that carries the request id on every answer. Null when there is none.",
    ] = None
    codes: Annotated[Mapping[Name, ErrorCode], Limits(minProperties=1), "Every code known today."]


ERROR = Keyword[ErrorContract](
    "x-contract-error",
    (Place.DOCUMENT,),
    ErrorContract,
    {
        "schema": "#/components/schemas/Problem",
        "code": "/code",
        "message": "/detail",
        "request_id_header": "Request-Id",
        "codes": {"bad_json": {"status": 400, "type": "invalid", "condition": "invalid_json"}},
    },
)
