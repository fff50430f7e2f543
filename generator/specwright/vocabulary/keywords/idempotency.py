"""The recognition of repeated requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Status

# The header that identifies a request (draft-ietf-httpapi-idempotency-key-header), in lower case.
KEY_HEADER = "idempotency-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """An error response: its status and its error code."""

    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        "The status of the response, one that the operation declares.",
    ]
    code: Annotated[
        Name | None,
        Names(Target.ERROR_CODE, status="status"),
        "A code listed in `x-contract-error`. Null when error bodies have none.",
    ] = None
    header: Annotated[
        Name | None,
        Names(Target.RESPONSE_HEADER, status="status"),
        "A header that the response always has, such as `Retry-After`, or null.",
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The response to a repetition of a request that has succeeded: the first response, which a
    header may mark.
    """

    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        "The status of the first response and of every replay.",
    ]
    header: Annotated[
        Name | None,
        Names(Target.RESPONSE_HEADER, status="status"),
        "The response header that marks a replay, or null.",
    ] = None
    value: Annotated[Name | None, "The value of that header."] = None

    def marks(self, value: str | None) -> bool:
        """Return whether the header with this value marks a response as a replay."""
        return self.value is not None and value == self.value.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """A part of the request makes the operation idempotent: it can be repeated safely with the
    same value. It is a field of the body, or a header such as `Idempotency-Key`
    (draft-ietf-httpapi-idempotency-key-header).
    """

    key: Annotated[
        InstancePointer | None,
        Limits(type="string"),
        Names(Target.REQUEST_BODY),
        "The field in the request body that identifies the request.",
    ] = None
    header: Annotated[
        Name | None,
        Limits(type="string"),
        Names(Target.HEADER_PARAMETER),
        "The header parameter that identifies the request, in place of `key`. The generated client "
        "generates a value for calls without one.",
    ] = None
    replay: Replay
    in_progress: Annotated[
        ErrorResponse | None,
        "The response while the first request is still in progress. Null if it is not declared.",
    ] = None
    changed: Annotated[
        ErrorResponse | None,
        "The response if the payload differs from that of the first request. Null if the error "
        "is not declared.",
    ] = None
    scope: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The scope in which a key is unique.",
    ]


IDEMPOTENCY = Keyword[Idempotency](
    "x-contract-idempotency",
    (Place.OPERATION,),
    # Exactly one of the two.
    Annotated[Idempotency, Limits(oneOf=[{"required": ["key"]}, {"required": ["header"]}])],
    {
        "key": "/reference",
        "replay": {"status": 201, "header": "Replayed", "value": "true"},
        "in_progress": {"status": 409, "code": "in_progress"},
        "changed": {"status": 422, "code": "reference_reused"},
        "scope": ["account"],
    },
)
