"""The order of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Choice, InstancePointer


class SortDirection(Choice):
    """From the smallest up, or from the largest down."""

    ASCENDING = "ascending"
    DESCENDING = "descending"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderContract:
    """The order of the items of a list."""

    by: Annotated[
        InstancePointer, Names(Target.ITEM), "The field of an item that the list is ordered by."
    ]
    direction: Annotated[SortDirection, "The direction of the order."]


ORDER = Keyword[OrderContract](
    "x-contract-order",
    (Place.OPERATION,),
    OrderContract,
    {"by": "/created_at", "direction": "descending"},
    OBSERVED,
)
