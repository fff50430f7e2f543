"""How a request is recognised as the same one again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An error answer: its status and its error code."""

    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        "The status of the answer, one that the operation declares.",
    ]
    code: Annotated[
        Name, Names(Target.ERROR_CODE, status="status"), "A code listed in `x-contract-error`."
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The answer to a repetition of a request that has succeeded: the first answer, marked by a
    header.
    """

    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        "The status of the first answer and of every replay.",
    ]
    header: Annotated[
        Name,
        Names(Target.RESPONSE_HEADER, status="status"),
        "The response header that marks a replay.",
    ]
    value: Annotated[Name, "The value of that header."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """A field of the request makes the operation idempotent: it can be repeated safely with the
    same value.
    """

    key: Annotated[
        InstancePointer,
        Names(Target.REQUEST_BODY),
        "The field in the request body that identifies the request.",
    ]
    replay: Replay
    in_progress: Annotated[Answer, "The answer while the first request is still in progress."]
    changed: Annotated[
        Answer, "The answer when the payload differs from that of the first request."
    ]
    scope: Annotated[
        tuple[Name, ...], Limits(minItems=1, uniqueItems=True), "What a key is unique within."
    ]


IDEMPOTENCY = Keyword[Idempotency](
    "x-contract-idempotency",
    (Place.OPERATION,),
    Idempotency,
    {
        "key": "/reference",
        "replay": {"status": 201, "header": "Replayed", "value": "true"},
        "in_progress": {"status": 409, "code": "in_progress"},
        "changed": {"status": 422, "code": "reference_reused"},
        "scope": ["account"],
    },
)
