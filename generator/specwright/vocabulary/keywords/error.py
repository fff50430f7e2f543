"""The error body that all operations share, and its codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from specwright.json_values import JsonValue, declared_mapping
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.policy import UNJUDGED, ChangePolicy, Subject
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
    MISSING_FIELD = "missing_field", "A required field or parameter is missing."
    UNKNOWN_FIELD = "unknown_field", "A field is present where additional fields are not allowed."
    INVALID_VALUE = (
        "invalid_value",
        "A value has the wrong type or form, or is not one of the allowed ones.",
    )
    OUT_OF_RANGE = "out_of_range", "A number is below its minimum or above its maximum."
    INVALID_LENGTH = (
        "invalid_length",
        "A string, list or object is shorter or longer than allowed.",
    )
    MISSING_CREDENTIALS = "missing_credentials", "The request has no credentials."
    INVALID_CREDENTIALS = (
        "invalid_credentials",
        "The credentials are malformed, unknown or revoked.",
    )
    ROUTE_NOT_FOUND = "route_not_found", "No path of the document matches."
    METHOD_NOT_ALLOWED = "method_not_allowed", "The path exists, but not with this method."
    NOT_IMPLEMENTED = "not_implemented", "The operation is declared but not implemented."
    INTERNAL_ERROR = "internal_error", "The server failed."
    UNAVAILABLE = "unavailable", "The server cannot respond at the moment."
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
class ErrorCodeContract:
    """The meaning of one error code."""

    status: Annotated[Status, "The status that the code comes with."]
    type: Annotated[Name, "The error type that the code belongs to."]
    condition: Annotated[
        Condition | None,
        "The condition in which a generated server responds with this code. At most one code has "
        "a given condition.",
    ] = None


def _is_another(before: JsonValue, after: JsonValue) -> bool:
    """Return whether an error code was removed, or has another status or type."""
    if before is None or after is None:
        return before is not None
    old, new = declared_mapping(before), declared_mapping(after)
    return any(old.get(name) != new.get(name) for name in ("status", "type"))


_Place = Annotated[InstancePointer, Names(Target.ERROR_BODY)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorContract:
    """The error body that every operation shares, and the codes that it can carry."""

    schema: Annotated[
        Name,
        Limits(pattern="^#/components/schemas/[A-Za-z0-9._-]+$"),
        Names(Target.SCHEMA),
        UNJUDGED,
        "The schema of the body, as a reference into this document.",
    ]
    type: Annotated[_Place | None, "The place of the error type in the body, or null."] = None
    code: Annotated[_Place, "The place of the error code in the body."]
    message: Annotated[_Place, "The place of the message for people in the body."]
    param: Annotated[
        _Place | None,
        "The place in the body that names the invalid field or parameter, or null.",
    ] = None
    request_id: Annotated[_Place | None, "The place of the request id in the body, or null."] = None
    details: Annotated[
        _Place | None, "The place in the body of a list of several errors, or null."
    ] = None
    request_id_header: Annotated[
        Name | None,
        Names(Target.RESPONSE_HEADER),
        "The header of every response that carries the request id, or null.",
    ] = None
    precedence: Annotated[
        tuple[Condition, ...],
        Limits(uniqueItems=True),
        "The order in which a server checks these conditions: of those that a request meets, the "
        "response is about the first one. Where `rate_limited` comes first, requests that meet a "
        "later one count for the limit.",
    ] = ()
    codes: Annotated[
        Mapping[Name, Annotated[ErrorCodeContract, ChangePolicy(_is_another, Subject.ERROR_CODE)]],
        Limits(minProperties=1),
        "Every code known today.",
    ]


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
