"""Values that are computed from others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.types import Choice, InstancePointer, Limits, Name


class Means(Choice):
    """The computation of a value from others."""

    PRODUCT = "product", "all of them multiplied; one that is null counts as one"
    DIFFERENCE = "difference", "the first less all others, and never less than zero"
    COUNT = "count", "how many items the only one of them, an array, has"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What has to hold."""

    at: Annotated[InstancePointer, "Where the object has what is compared."]
    values: Annotated[
        tuple[Name, ...], Limits(minItems=1, uniqueItems=True), "The values for which it holds."
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """The property, where it is not null, is computed from other members of its object."""

    by: Annotated[Means, "How it is computed."]
    of: Annotated[
        tuple[InstancePointer, ...],
        Limits(minItems=1),
        "Where the object that has the property has what it is computed from. Nothing is said of "
        "an object that lacks one of them.",
    ]
    when: Annotated[When | None, "When it is. Null, or left out, when it always is."] = None


COMPUTED = Keyword[Computed](
    "x-contract-computed",
    (Place.PROPERTY,),
    Computed,
    {"by": "product", "of": ["/price", "/quantity"]},
    OBSERVED,
)
SET_WHEN = Keyword[When](
    "x-contract-set-when",
    (Place.PROPERTY,),
    Annotated[When, "The property, which may be null, is set in these cases."],
    {"at": "/status", "values": ["paid"]},
    OBSERVED,
)
