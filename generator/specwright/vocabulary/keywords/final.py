"""The states in which a resource stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, KeywordReader, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, lengthened
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name, Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The operation, a GET, reads a resource that changes after its creation until it reaches a
    final state.
    """

    at: Annotated[
        InstancePointer, Names(Target.RESPONSE_BODY), "The place of the state in the response."
    ]
    states: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The states in which the resource stays.",
    ]
    interval_seconds: Annotated[
        Positive,
        ChangePolicy(lengthened, Subject.LIMIT),
        "The minimum number of seconds between two requests of a caller that waits for a final "
        "state.",
    ]


FINAL = Keyword[Final](
    "x-contract-final",
    (Place.OPERATION,),
    Final,
    {"at": "/status", "states": ["paid", "refused"], "interval_seconds": 1},
    (KeywordReader.CLIENT, KeywordReader.TESTS, KeywordReader.REVIEW),
    methods=("GET",),
)
