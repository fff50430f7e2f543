"""The states in which a resource stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place, Reader
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The operation, a GET, reads a resource that changes after it was created, until it has come
    to a final state.
    """

    at: Annotated[InstancePointer, Names(Target.RESPONSE_BODY), "Where the response has the state."]
    states: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The states in which the resource stays.",
    ]
    interval_seconds: Annotated[
        Positive,
        "How many seconds a caller that waits for a final state leaves between two requests at "
        "least.",
    ]


FINAL = Keyword[Final](
    "x-contract-final",
    (Place.OPERATION,),
    Final,
    {"at": "/status", "states": ["paid", "refused"], "interval_seconds": 1},
    (Reader.CLIENT, Reader.REVIEW),
    methods=("GET",),
)
