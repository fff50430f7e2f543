"""Parameters that must not all be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, narrowed
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Limits, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiresOneOf:
    """At least one of several optional query parameters must be given."""

    parameters: Annotated[
        tuple[Annotated[Name, Names(Target.QUERY_PARAMETER)], ...],
        Limits(minItems=2, uniqueItems=True),
        ChangePolicy(narrowed),
        "The names of the query parameters.",
    ]
    code: Annotated[
        Name, Names(Target.ERROR_CODE), "The error code of the response if all of them are missing."
    ]


REQUIRES_ONE_OF = Keyword[RequiresOneOf](
    "x-contract-requires-one-of",
    (Place.OPERATION,),
    RequiresOneOf,
    {"parameters": ["country", "region"], "code": "missing_place"},
    SERVED,
)
