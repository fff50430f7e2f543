"""Values that are computed from others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import DEFAULT
from specwright.vocabulary.types import Choice, InstancePointer, Limits, Name


class Means(Choice):
    """The computation of a value from others."""

    PRODUCT = "product", "all of them multiplied; one that is null counts as one"
    DIFFERENCE = "difference", "the first less all others, and never less than zero"
    COUNT = "count", "the number of items of the only one of them, an array"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A condition."""

    at: Annotated[InstancePointer, "The place of the compared value in the object."]
    values: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The values that meet the condition.",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """The property, unless it is null, is computed from other members of its object."""

    by: Annotated[Means, "The operation that computes it."]
    of: Annotated[
        tuple[InstancePointer, ...],
        Limits(minItems=1),
        "The places of its operands in the object that has the property. An object that lacks one "
        "of them is not checked.",
    ]
    when: Annotated[When | None, "The condition, if it is not always computed."] = None


COMPUTED = Keyword[Computed](
    "x-contract-computed",
    (Place.PROPERTY,),
    # With a condition it promises less than without one.
    Annotated[Computed, DEFAULT],
    {"by": "product", "of": ["/price", "/quantity"]},
    OBSERVED,
)
SET_WHEN = Keyword[When](
    "x-contract-set-when",
    (Place.PROPERTY,),
    Annotated[When, DEFAULT, "The property, which may be null, is set in these cases."],
    {"at": "/status", "values": ["paid"]},
    OBSERVED,
)
