"""The maximum number of resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Name, Positive, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The operation creates at most so many resources."""

    limit: Annotated[Positive, "How many resources may exist at once."]
    scope: Annotated[Name, "What is counted separately."]
    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        "The status of the answer when the capacity is used up.",
    ]
    code: Annotated[
        Name, Names(Target.ERROR_CODE, status="status"), "The error code of that answer."
    ]
    release: Annotated[
        Name | None,
        Names(Target.OPERATION),
        "The operationId that frees a place again. Null when nothing does.",
    ]


CAPACITY = Keyword[Capacity](
    "x-contract-capacity",
    (Place.OPERATION,),
    Capacity,
    {
        "limit": 3,
        "scope": "account",
        "status": 409,
        "code": "too_many_hooks",
        "release": "deleteHook",
    },
    SERVED,
)
