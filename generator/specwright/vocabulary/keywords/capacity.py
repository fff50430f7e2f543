"""The maximum number of resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, lowered, replaced
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Name, Positive, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The maximum number of resources that the operation creates."""

    limit: Annotated[
        Positive,
        ChangePolicy(lowered, Subject.LIMIT),
        "The number of resources that may exist at once.",
    ]
    scope: Annotated[
        Name, ChangePolicy(replaced), "The scope in which resources are counted separately."
    ]
    status: Annotated[
        Status,
        Names(Target.RESPONSE_STATUS),
        ChangePolicy(replaced),
        "The status of the response when the capacity is used up.",
    ]
    code: Annotated[
        Name,
        Names(Target.ERROR_CODE, status="status"),
        ChangePolicy(replaced),
        "The error code of that response.",
    ]
    release: Annotated[
        Name | None,
        Names(Target.OPERATION),
        "The operationId that frees capacity. Null if there is no such operation.",
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
